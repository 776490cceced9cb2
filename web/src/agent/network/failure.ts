// Why a request of script has failed. Script learns nothing of that, but the proxy knows whether the
// app's server has answered, and how.

import { originals } from "../base/originals";
import type { Asker } from "./cors";
import type { Exchange } from "./exchange";
import { proxyNews } from "./extrainfo";
import { netErrorOf } from "./neterror";

/** Tells of a request that the browser has failed. */
export async function tellFailure(x: Exchange, asker: Asker): Promise<void> {
  await new Promise<void>((r) => originals.setTimeout(r, 0)); // the policy's event comes after
  const why = netErrorOf(asker.url);
  const refused = why[2] ? undefined : await proxyNews()?.refusalAtProxy(x.request.method, asker);
  if (refused) x.refused(refused);
  else x.failed(...why);
}
