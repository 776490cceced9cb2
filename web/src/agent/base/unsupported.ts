// Commands that page script cannot carry out. The agent answers them with an
// error that names the reason. A false success would mislead the Client.

import type { Method, Params } from "../../cdp";
import { INERT, REFUSED } from "../../methods";
import { isProxied } from "../network/upstream";
import { provide } from "./registry";
import { byMethod, methodsIn, rowOf } from "./table";

const reasons = byMethod(REFUSED);

/** Refused if a param is set. */
const SETTINGS =
  "Emulation.setLocaleOverride,setScriptExecutionDisabled,setScrollbarsHidden,setTimezoneOverride Input.setIgnoreInputEvents Network.setBypassServiceWorker Page.setBypassCSP Runtime.setAsyncCallStackDepth,setCustomObjectFormatterEnabled";

/** Whether params ask for what page script cannot do. Other methods that are refused are refused with all params. */
const asks: { [M in Method]?: (p: Params<M>) => unknown } = {
  "Emulation.setCPUThrottlingRate": (p) => p.rate !== 1,
  "Emulation.setEmitTouchEventsForMouse": (p) => p.enabled,
  "Emulation.setEmulatedMedia": (p) => p.media === "print", // the Host emulates the media features
  "Emulation.setEmulatedVisionDeficiency": (p) => p.type !== "none",
  "Network.emulateNetworkConditions": (p) =>
    (p.offline && !isProxied()) || p.latency > 0 || p.downloadThroughput > 0 || p.uploadThroughput > 0,
  "Network.setExtraHTTPHeaders": (p) => Object.keys(p.headers ?? {}).length && !isProxied(),
  "Performance.setTimeDomain": (p) => p.timeDomain !== "timeTicks",
  "Runtime.compileScript": (p) => p.persistScript,
};
const conditions = new Map(Object.entries(asks as Record<string, (p: object) => unknown>));
for (const name of methodsIn(SETTINGS)) conditions.set(name, (p) => Object.values(p).some(Boolean));

const nothing = (): void => {};
provide([INERT, ...conditions.keys()].join(" "), () => nothing);

/** The error text for a command that cannot be carried out, or undefined. */
export function refusal(method: string, params: object): string | undefined {
  const reason = rowOf(reasons, method);
  const asked = conditions.get(method);
  return reason && (!asked || asked(params)) ? impossible(method, reason) : undefined;
}

/** The error text for a method that page script cannot carry out. */
export function impossible(method: string, reason: string): string {
  return `${method} is not possible in an embedded frame: ${reason}`;
}
