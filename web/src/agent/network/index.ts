// The Network domain: the document's own request, what the page's script asks
// for, and what its elements load. Each request is told whole or not at all.

import { address, mainFrame } from "../page/frames";
import { monotonic } from "../base/originals";
import { hubOfProxy } from "../link/hub";
import { register } from "../base/registry";
import { emit } from "../base/session";
import { watchPolicy } from "./neterror";
import { installEventSource } from "./eventsource";
import { documentResponseOf, bytesOfDocument, reportDocumentResponse } from "./documentresponse";
import { abandonUnfinished } from "./reporter";
import { response } from "./responsefields";
import { installFetch } from "./fetch";
import { installOnline, tellOnline } from "./offline";
import { installBeacon, timingOf, watchResources } from "./resources";
import { installWebSocket } from "./sockets";
import { refreshUpstream, setOverrides } from "./upstream";
import { installXhr } from "./xhr";

export { documentResponseOf, keepDocumentResponse, reportDocumentResponse } from "./documentresponse";
export { beginNetwork } from "./reporter";
export { response } from "./responsefields";
export { watchResources } from "./resources";

/** The answer to the main frame's document, whose request the last document or the Host has told of. */
export function respondDocument(loaderId: string): void {
  const t = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  const status = (t as unknown as { responseStatus?: number })?.responseStatus || 200;
  const came = {
    ...response(address(), status, "", {}, document.contentType),
    ...(t && { timing: timingOf(window, t) }),
    // What has come from the server has a response that the proxy has written down.
    fromServiceWorker: !!t && t.workerStart > 0 && hubOfProxy() !== undefined && !documentResponseOf(window),
  };
  reportDocumentResponse(loaderId, mainFrame(), came);
  if (documentResponseOf(window)?.error) return;
  const encodedDataLength = bytesOfDocument(mainFrame(), t?.transferSize);
  emit("Network", "Network.loadingFinished", { requestId: loaderId, timestamp: monotonic(), encodedDataLength });
}

/** Realms that are wrapped: the first document of a frame shares its own with the blank one before it. */
const wrapped = new WeakSet<ObjectConstructor>();

/** Wraps what a window asks the network with, and watches its document. */
export function installNetwork(win: Window & typeof globalThis): void {
  watchPolicy(win);
  win.addEventListener("pagehide", () => abandonUnfinished(win), true);
  if (win !== window) watchResources(win);
  if (wrapped.has(win.Object)) return;
  wrapped.add(win.Object);
  installFetch(win);
  installXhr(win);
  installWebSocket(win);
  installEventSource(win);
  installBeacon(win);
  installOnline(win);
}

register("Network", {
  enable: (_p, s) => {
    s.enabled.add("Network");
    return refreshUpstream();
  },
  disable: () => {},
  setCacheDisabled: (p, s) => setOverrides(s, { noCache: p.cacheDisabled === true }),
  setBypassServiceWorker: () => {},
  emulateNetworkConditions: async (p, s) => {
    await setOverrides(s, { offline: p.offline === true });
    tellOnline();
  },
  setAttachDebugStack: () => {},
  setExtraHTTPHeaders: (p, s) => setOverrides(s, { extra: p.headers ?? {} }),
});
