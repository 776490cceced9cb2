// How a document came, where a proxy that stands before the app has put it on
// the agent's script element: page script alone learns none of it.

import type { Protocol } from "../../cdp";
import type { Arrival, Hop } from "../../wire/proxy";
import type { Frame } from "../page/frames";
import { monotonic, originals } from "../base/originals";
import { emit } from "../base/session";
import { keepDocument } from "./bodies";
import { documentUnderWay, headText, response } from "./exchange";

type Win = Window & typeof globalThis;

const arrivals = new WeakMap<Document, Arrival>();

/** Notes how the document of a window came; `text` is JSON. */
export function keepArrival(win: Win, text: string): void {
  arrivals.set(win.document, originals.parse(text) as Arrival);
}

export function arrivalOf(win: Window | null): Arrival | undefined {
  return win ? arrivals.get(win.document) : undefined;
}

/** The answers to a document's request: `came` is the last one as far as script knows it. */
export function tellArrival(loaderId: string, frame: Frame, came: Protocol.Network.Response): void {
  const a = arrivalOf(frame.win);
  const { redirects = [] } = a ?? {};
  const documentURL = came.url;
  redirects.forEach((hop, i) => {
    const to = redirects[i + 1] ?? a!;
    if (!hop.told) documentUnderWay(loaderId, frame, hop.url);
    if (to.told) return;
    tellExtra(loaderId, hop);
    const request: Protocol.Network.Request = {
      url: to.url,
      method: to.method,
      headers: to.sent,
      mixedContentType: "none",
      initialPriority: "VeryHigh",
      referrerPolicy: "strict-origin-when-cross-origin",
      isSameSite: true,
    };
    emit("Network", "Network.requestWillBeSent", {
      requestId: loaderId,
      loaderId,
      documentURL,
      request,
      timestamp: monotonic(),
      wallTime: originals.now() / 1000,
      initiator: { type: "other" },
      redirectHasExtraInfo: true,
      redirectResponse: responseOf(hop),
      type: "Document",
      frameId: frame.id,
      hasUserGesture: false,
    });
  });
  if (!a?.told) documentUnderWay(loaderId, frame, a?.url ?? documentURL);
  if (a?.error) {
    const { error: errorText } = a;
    emit("Network", "Network.loadingFailed", {
      requestId: loaderId,
      timestamp: monotonic(),
      type: "Document",
      errorText,
      canceled: false,
    });
    return;
  }
  if (a) tellExtra(loaderId, a);
  if (a?.body) keepDocument(loaderId, a.body);
  emit("Network", "Network.responseReceived", {
    requestId: loaderId,
    loaderId,
    timestamp: monotonic(),
    type: "Document",
    frameId: frame.id,
    hasExtraInfo: !!a,
    response: a ? { ...came, ...responseOf(a), ...(came.timing && { timing: came.timing }) } : came,
  });
}

/** Headers whose lines of one name are one, as Network.Response has them; the events with more have the lines. */
export function joined(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, v]) => [name, v.replaceAll("\n", ", ")]));
}

/** Network.Response of a hop. */
function responseOf(h: Hop): Protocol.Network.Response {
  const type = h.headers["content-type"] ?? "";
  return {
    ...response(h.url, h.status, h.statusText, joined(h.headers), type.split(";")[0].trim() || "text/html"),
    charset: /charset="?([^";]+)/i.exec(type)?.[1] ?? "",
  };
}

/** How many bytes came for a document, as far as its server has said. */
export function bytesOfDocument(frame: Frame, transferred = 0): number {
  const a = arrivalOf(frame.win);
  return a
    ? headText(a.status, a.statusText, a.headers).length + Number(a.headers["content-length"] ?? transferred)
    : transferred;
}

/** The events that have the headers as they went over the network. */
function tellExtra(requestId: string, h: Hop): void {
  emit("Network", "Network.requestWillBeSentExtraInfo", {
    requestId,
    associatedCookies: [],
    headers: h.sent,
    connectTiming: { requestTime: monotonic() },
  });
  emit("Network", "Network.responseReceivedExtraInfo", {
    requestId,
    blockedCookies: [],
    headers: h.headers,
    resourceIPAddressSpace: "Local",
    statusCode: h.status,
    headersText: headText(h.status, h.statusText, h.headers),
  });
}
