// Navigations of child frames: their events in the order of Chromium 156, and
// Page.navigate with a child's id.

import type { Protocol } from "../../cdp";
import { documentFailed } from "../../documentevents";
import { parseUrl } from "../../host/addresses";
import { type Frame, type Pending, splitFragment, urlOf } from "./frames";
import { type NavigationType, onNavigate, requestOf, reasonOf, typeOf } from "./navigation";
import { response, reportDocumentResponse } from "../network";
import { hexId, monotonic, originals } from "../base/originals";
import { ProtocolError } from "../base/registry";
import { emit } from "../base/session";

/** How long a Client's Page.navigate may take to bring a document. */
const ARRIVAL_MS = 20_000;
/** After this time a HEAD request finds out whether the response is a document at all. */
const PATIENCE_MS = 1_000;

/** What is known of a navigation as it begins. */
interface Start {
  /** Why the page asked for it; absent when a Client did. */
  reason?: Protocol.Page.ClientNavigationReason;
  type?: NavigationType;
  method?: string;
  done?: Pending["done"];
}

/** Begins a navigation. A pending one fails. */
export function beginNavigation(frame: Frame, url: string, start: Start): Pending {
  failNavigation(frame, "net::ERR_ABORTED");
  const p: Pending = { loaderId: hexId(32), url, done: start.done };
  frame.pending = p;
  if (start.reason) reportRequest(frame, start.reason, url);
  reportStart(frame, p.loaderId, url, start.type, start.method);
  return p;
}

/** Reports that a page asks for a navigation. */
export function reportRequest(frame: Frame, reason: Protocol.Page.ClientNavigationReason, url: string): void {
  emit("Page", "Page.frameRequestedNavigation", { frameId: frame.id, reason, url, disposition: "currentTab" });
}

/** Reports the start of a navigation, with the request of its document. */
export function reportStart(
  frame: Frame,
  loaderId: string,
  url: string,
  navigationType: NavigationType = "differentDocument",
  method = "GET",
): void {
  const frameId = frame.id;
  emit("Page", "Page.frameStartedNavigating", { frameId, url, loaderId, navigationType });
  emit("Page", "Page.frameStartedLoading", { frameId });
  if (isFetched(url)) emit("Network", "Network.requestWillBeSent", requestOf(frame, loaderId, url, method));
}

/** Whether a document is loaded by a request that the Network domain reports. */
function isFetched(url: string): boolean {
  return !/^(about|javascript):/.test(url);
}

/** Reports the response of a new document, then answers the Client's Page.navigate. */
export function reportResponse(frame: Frame, p: Pending): void {
  const { loaderId } = p;
  if (isFetched(p.url)) {
    const url = splitFragment(frame.win ? urlOf(frame) : p.url)[0];
    reportDocumentResponse(
      loaderId,
      frame,
      response(url, statusOf(frame, p.url), "", {}, frame.win?.document.contentType ?? "text/html"),
    );
  }
  p.done?.({ frameId: frame.id, loaderId, isDownload: false });
}

/** Reports the end of the document's response. */
export function reportFinished(loaderId: string, url: string): void {
  if (!isFetched(url)) return;
  emit("Network", "Network.loadingFinished", { requestId: loaderId, timestamp: monotonic(), encodedDataLength: 0 });
}

/**
 * The status of a frame's document. Of a document of another origin it is known only if its server allows that;
 * otherwise it counts as 200.
 */
function statusOf(frame: Frame, url: string): number {
  const own = frame.win?.performance.getEntriesByType("navigation")[0];
  const seen =
    own ?? frame.owner?.ownerDocument.defaultView?.performance.getEntriesByName(splitFragment(url)[0]).at(-1);
  return (seen as { responseStatus?: number } | undefined)?.responseStatus || 200;
}

/** Ends the pending navigation without a document. */
export function failNavigation(frame: Frame, errorText: string): void {
  const p = frame.pending;
  if (!p) return;
  frame.pending = undefined;
  reportFailure(frame, p, errorText);
  emit("Page", "Page.frameStoppedLoading", { frameId: frame.id });
}

/** Tells of the failure of a document's request. */
export function reportFailure(frame: Frame, p: Pending, errorText: string): void {
  if (isFetched(p.url)) {
    emit("Network", "Network.loadingFailed", documentFailed(p.loaderId, monotonic(), errorText));
  }
  p.done?.({ frameId: frame.id, loaderId: p.loaderId, errorText, isDownload: false });
}

/**
 * The error of a frame that the agent cannot reach. The browser may show an error
 * page there, and a second request finds that out. It is made only when a Client
 * asked for the navigation, or when the document should have been of this origin.
 */
export async function failureOf(frame: Frame, p: Pending): Promise<string | undefined> {
  const here = new URL(p.url, location.href).origin === location.origin;
  if (!/^https?:/.test(p.url) || !(p.done || here)) return undefined;
  const r = await probe(p.url);
  const sandbox = frame.owner?.getAttribute("sandbox");
  if (sandbox !== null && sandbox !== undefined && !/allow-same-origin/i.test(sandbox))
    return r ? undefined : "net::ERR_FAILED";
  return r ? (r.type === "basic" ? "net::ERR_BLOCKED_BY_RESPONSE" : undefined) : "net::ERR_FAILED";
}

/**
 * Sends a HEAD request; undefined if it fails. If the Content Security Policy forbids the request, the result counts
 * as a response that script may not read.
 */
async function probe(url: string): Promise<Response | undefined> {
  let forbidden = false;
  const heard = (): void => void (forbidden = true);
  document.addEventListener("securitypolicyviolation", heard);
  try {
    return await originals.fetch(url, { method: "HEAD", mode: "no-cors", credentials: "include" });
  } catch {
    return forbidden ? Response.error() : undefined;
  } finally {
    document.removeEventListener("securitypolicyviolation", heard);
  }
}

/**
 * Fails a navigation to a 204, a 205 or a download with net::ERR_ABORTED, as Chromium does. Only a
 * HEAD request shows it.
 */
async function failIfEmpty(frame: Frame, p: Pending): Promise<void> {
  const r = frame.pending === p && /^http/.test(p.url) ? await probe(p.url) : undefined;
  const empty =
    r && (r.status === 204 || r.status === 205 || /^attachment/i.test(r.headers.get("content-disposition") ?? ""));
  if (empty && frame.pending === p) failNavigation(frame, "net::ERR_ABORTED");
}

/** Watches the navigations that start in a child's window. */
export function watchChild(frame: Frame): void {
  if (!frame.win) return;
  onNavigate(
    frame.win,
    (e) => {
      if (frame.pending?.expected) return void (frame.pending.expected = false);
      return () =>
        void beginNavigation(frame, e.destination.url, {
          reason: reasonOf(e),
          type: typeOf(e),
          method: e.formData ? "POST" : "GET",
        });
    },
    () => {
      const p = frame.pending;
      if (p && !p.expected) return () => frame.pending === p && failNavigation(frame, "net::ERR_ABORTED");
    },
  );
}

/** Page.navigate of a child frame: answers once the document has come, or has failed to. */
export function navigateChild(
  frame: Frame,
  p: Protocol.Page.NavigateRequest,
): Protocol.Page.NavigateResponse | Promise<Protocol.Page.NavigateResponse> {
  const url = parseUrl(String(p.url))?.href;
  if (url === undefined) throw new ProtocolError("Cannot navigate to invalid URL");
  const frameId = frame.id;
  if (url.startsWith("javascript:")) return { frameId, errorText: "net::ERR_ABORTED" };
  const go = (): void => {
    if (frame.proxy) frame.proxy.location.href = url;
  };
  if (frame.win && url.includes("#") && splitFragment(url)[0] === splitFragment(urlOf(frame))[0]) {
    emit("Page", "Page.frameStartedNavigating", { frameId, url, loaderId: hexId(32), navigationType: "sameDocument" });
    originals.setTimeout(go, 0);
    return { frameId, isDownload: false };
  }
  return new Promise<Protocol.Page.NavigateResponse>((done) => {
    const pending = beginNavigation(frame, url, { done });
    pending.expected = true;
    originals.setTimeout(() => {
      if (frame.pending === pending) failNavigation(frame, "net::ERR_TIMED_OUT");
    }, ARRIVAL_MS);
    originals.setTimeout(() => void failIfEmpty(frame, pending), PATIENCE_MS);
    go();
    pending.expected = false;
  });
}
