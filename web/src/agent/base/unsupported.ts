// Commands that page script cannot carry out. The agent answers them with an
// error that names the reason. A false success would mislead the client.

import type { Method, Params } from "../../cdp";
import { isProxied } from "../network/upstream";

const BROWSER = "needs the browser process";
const HEADERS = "request headers belong to the browser";
const NETWORK = "the network belongs to the browser";
const PERMISSIONS = "permissions belong to the embedding browser";

/** Methods, or whole domains as "Domain.*", and the reason. */
const reasons: Record<string, string> = {
  "Page.printToPDF": "page script cannot print to a file",
  "Page.startScreencast": "page script cannot record the screen",
  "Page.captureSnapshot": BROWSER,
  "Page.setDownloadBehavior": "downloads belong to the embedding browser",
  "DOM.getNodeStackTraces": BROWSER,
  "DOM.getNodesForSubtreeByStyle": BROWSER,
  "Emulation.setUserAgentOverride": HEADERS,
  "Network.setBlockedURLs": NETWORK,
  "Network.clearBrowserCache": NETWORK,
  "Browser.grantPermissions": PERMISSIONS,
  "Browser.setPermission": PERMISSIONS,
  "Browser.resetPermissions": PERMISSIONS,
  "Target.createBrowserContext": "frames share the storage of the embedding browser",
  "Runtime.queryObjects": BROWSER,
  "Runtime.terminateExecution": BROWSER,
  "Tracing.*": BROWSER,
  "Profiler.*": BROWSER,
  "HeapProfiler.*": BROWSER,
  "Debugger.*": BROWSER,
  "IO.*": BROWSER,
};

/** Methods that work although their domain does not. */
const possible = new Set(["HeapProfiler.collectGarbage"]);

/** Methods that only some parameters make impossible. */
const conditions: { [M in Method]?: (p: Params<M>) => string | undefined } = {
  "Network.emulateNetworkConditions": (p) =>
    (p.offline && !isProxied()) || p.latency > 0 || p.downloadThroughput > 0 || p.uploadThroughput > 0
      ? NETWORK
      : undefined,
  "Network.setExtraHTTPHeaders": (p) => (Object.keys(p.headers ?? {}).length && !isProxied() ? HEADERS : undefined),
};

/** The error text for a command that cannot be carried out, or undefined. */
export function refusal(method: string, params: object): string | undefined {
  if (possible.has(method)) return undefined;
  const reason =
    (conditions as Record<string, (p: object) => string | undefined>)[method]?.(params) ??
    reasons[method] ??
    reasons[`${method.split(".")[0]}.*`];
  return reason && impossible(method, reason);
}

/** The error text for a method that page script cannot carry out. */
export function impossible(method: string, reason = BROWSER): string {
  return `${method} is not possible in an embedded frame: ${reason}`;
}
