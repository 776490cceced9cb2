// The Network domain: the document's own request, what the page's script asks for, and what its elements load. A
// session gets all events of a request or none.

import { address, mainFrame } from "../page/frames";
import { monotonic } from "../base/originals";
import { hubOfProxy } from "../link/hub";
import { register } from "../base/registry";
import { emit } from "../base/session";
import { watchPolicy } from "./neterror";
import { installEventSource } from "./eventsource";
import { documentResponseOf, bytesOfDocument, reportDocumentResponse } from "./documentresponse";
import { abandonUnfinished } from "./unfinished";
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
export { watchElements, watchResources } from "./resources";

/** Reports the response to the main frame's document. The previous document or the Host has reported the request. */
export function respondDocument(loaderId: string): void {
  const t = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  const status = (t as unknown as { responseStatus?: number })?.responseStatus || 200;
  const came = {
    ...response(address(), status, "", {}, document.contentType),
    ...(t && { timing: timingOf(window, t) }),
    // A response of the server has been written down by the proxy. Without that, the service worker has made the
    // response.
    fromServiceWorker: !!t && t.workerStart > 0 && hubOfProxy() !== undefined && !documentResponseOf(window),
  };
  reportDocumentResponse(loaderId, mainFrame(), came);
  if (documentResponseOf(window)?.error) return;
  const encodedDataLength = bytesOfDocument(mainFrame(), t?.transferSize);
  emit("Network", "Network.loadingFinished", { requestId: loaderId, timestamp: monotonic(), encodedDataLength });
}

/**
 * The `Object` of each window that is wrapped. The first document of a frame has the same window as the blank one
 * before it.
 */
const wrapped = new WeakSet<ObjectConstructor>();

/** Wraps the network functions of a window, and listens to its document. */
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
  emulateNetworkConditions: async (p, s) => {
    await setOverrides(s, { offline: p.offline === true });
    tellOnline();
  },
  setExtraHTTPHeaders: (p, s) => setOverrides(s, { extra: p.headers ?? {} }),
});
