// Why a request of script has failed. Script gets no reason, but the proxy knows whether the app's server has
// answered, and how.

import { originals } from "../base/originals";
import type { Asker } from "./cors";
import type { Exchange } from "./exchange";
import { proxyReports } from "./extrainfo";
import { netErrorOf } from "./neterror";

/** Reports a request that the browser has failed. */
export async function tellFailure(x: Exchange, asker: Asker): Promise<void> {
  // A securitypolicyviolation event comes later than the failure.
  await new Promise<void>((r) => originals.setTimeout(r, 0));
  const why = netErrorOf(asker.url);
  const refused = why[2] ? undefined : await proxyReports()?.refusalOf(x.request.method, asker);
  if (refused) x.refused(refused);
  else x.failed(...why);
}
