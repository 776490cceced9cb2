// Why a request of script has failed. Script learns nothing of that, but the proxy knows whether the
// app's server has answered, and how.

import { originals } from "../base/originals";
import { type Asker, isSameOrigin, refusal } from "./cors";
import type { Exchange } from "./exchange";
import { extraOf } from "./extrainfo";
import { netErrorOf } from "./neterror";

/** Tells of a request that the browser has failed. */
export async function tellFailure(x: Exchange, asker: Asker): Promise<void> {
  await new Promise<void>((r) => originals.setTimeout(r, 0)); // the policy's event comes after
  const why = netErrorOf(asker.url);
  const cors = !why[2] && asker.mode === "cors" && !isSameOrigin(asker);
  const { method } = x.request;
  const came = cors ? ((await extraOf(method, asker.url)) ?? (await extraOf("OPTIONS", asker.url))) : undefined;
  const before =
    came && came.method !== method ? "Response to preflight request doesn't pass access control check: " : "";
  const refused = came && refusal(asker, (name) => came.headers[name] ?? null, before);
  if (refused) x.refused(refused);
  else x.failed(...why);
}
