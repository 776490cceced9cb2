// Commands that page script cannot carry out. The agent answers them with an
// error that names the reason. A false success would mislead the Client.

import type { Method, Params } from "../../cdp";
import { isProxied } from "../network/upstream";

const BROWSER = "needs the browser process";
const HEADERS = "request headers belong to the browser";
const NETWORK = "the network belongs to the browser";
const EDITS = "page script keeps no history of what commands change";
const STACKS = "the engine decides what stacks have";
const PERMISSIONS = "permissions belong to the embedding browser";

/** Methods, or whole domains as "Domain.*", and the reason. */
const reasons: Record<string, string> = {
  "Page.printToPDF": "page script cannot print to a file",
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
  "Runtime.globalLexicalScopeNames": "page script cannot list what let, const and class declare",
  "Runtime.setMaxCallStackSizeToCapture": STACKS,
  "DOM.undo": EDITS,
  "DOM.redo": EDITS,
  "DOM.markUndoableState": EDITS,
  "Tracing.*": BROWSER,
  "Profiler.*": BROWSER,
  "HeapProfiler.*": BROWSER,
  "IO.*": BROWSER,
};

/** Methods that only some parameters make impossible. */
const conditions: { [M in Method]?: (p: Params<M>) => string | undefined } = {
  "Network.emulateNetworkConditions": (p) =>
    (p.offline && !isProxied()) || p.latency > 0 || p.downloadThroughput > 0 || p.uploadThroughput > 0
      ? NETWORK
      : undefined,
  "Network.setBypassServiceWorker": (p) => (p.bypass ? "service workers belong to the browser" : undefined),
  "Security.setIgnoreCertificateErrors": (p) => (p.ignore ? "only the browser checks certificates" : undefined),
  "Input.setIgnoreInputEvents": (p) => (p.ignore ? "the browser's own input reaches the page first" : undefined),
  "Runtime.setAsyncCallStackDepth": (p) => (p.maxDepth > 0 ? STACKS : undefined),
  "Runtime.compileScript": (p) => (p.persistScript ? "page script cannot keep what is compiled" : undefined),
  "Runtime.setCustomObjectFormatterEnabled": (p) => (p.enabled ? BROWSER : undefined),
  "Performance.setTimeDomain": (p) => (p.timeDomain === "timeTicks" ? undefined : "page script has one clock"),
  "Network.setExtraHTTPHeaders": (p) => (Object.keys(p.headers ?? {}).length && !isProxied() ? HEADERS : undefined),
};

/** The error text for a command that cannot be carried out, or undefined. */
export function refusal(method: string, params: object): string | undefined {
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
