// Network.setUserAgentOverride, as far as page script can carry it out.

import { NAVIGATOR_KEYS, userAgentScript, userAgentScriptId } from "../useragent";
import { allFrames } from "./frames";
import { register } from "./registry";
import { addScript } from "./scripts";
import { type Session, onSessionEnd } from "./session";

let by: Session | undefined;

register("Network", {
  setUserAgentOverride: (p, s) => {
    by = s;
    addScript({ identifier: userAgentScriptId(s.id), source: userAgentScript(p), runImmediately: true }, s);
  },
});

onSessionEnd((s) => {
  if (s !== by) return;
  for (const { win } of allFrames()) for (const k of NAVIGATOR_KEYS) delete (win?.navigator as { [k in string]?: unknown } | undefined)?.[k];
});
