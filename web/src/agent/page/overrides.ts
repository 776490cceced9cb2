// Overrides of the user agent, geolocation and touch support that scripts see.

import type { Protocol } from "../../cdp";
import { clearing, overrideId, overrides, overrideScript } from "../../overrides";
import { allFrames } from "./frames";
import { register } from "../base/registry";
import { addScript } from "../runtime/scripts";
import { setOverrides } from "../network/upstream";
import { type Session, onSessionEnd } from "../base/session";

/** The owner of each override: the last session that has set it. */
const owners = new Map<string, Session>();

function override(method: string, p: object | undefined, s: Session): void | Promise<void> {
  owners.set(method, s);
  addScript({ identifier: overrideId(method, s.id), source: overrideScript(method, p), runImmediately: true }, s);
  if (method === "Network.setUserAgentOverride")
    // Also for request headers, if there is a proxy.
    return setOverrides(s, { userAgent: (p as Protocol.Network.SetUserAgentOverrideRequest).userAgent });
}

for (const [commands, p] of [
  [Object.keys(overrides), true],
  [Object.keys(clearing), false],
] as const) {
  for (const command of commands) {
    const [domain, name] = command.split(".");
    register(domain, { [name]: (params, s) => override(clearing[command] ?? command, p ? params : undefined, s) });
  }
}

onSessionEnd((s) => {
  for (const [method, owner] of owners) {
    if (owner !== s) continue;
    owners.delete(method);
    const { path, keys } = overrides[method];
    for (const { win } of allFrames()) {
      const of = (path === "geolocation" ? win?.navigator.geolocation : win?.navigator) as
        | { [k in string]?: unknown }
        | undefined;
      for (const k of keys) delete of?.[k];
    }
  }
});
