// The request and response of a document, which a proxy in front of the app
// writes on the agent's script element as data-response. Page script has no other
// way to learn status, headers and redirects.

import type { Protocol } from "../../cdp";
import type { DocumentResponse, RedirectHop } from "../../wire/proxy";
import type { Frame } from "../page/frames";
import { monotonic, originals } from "../base/originals";
import { emit } from "../base/session";
import { keepDocument } from "./bodies";
import { withCookies } from "./extrainfo";
import { reportDocumentInFlight } from "./exchange";
import { logWarning } from "./log";
import { CREDENTIALS, say } from "../../wire/messages";
import { headText, plainHeaders, response } from "./responsefields";

type Win = Window & typeof globalThis;

const responses = new WeakMap<Document, DocumentResponse>();

/** Keeps the data-response of a window's document. */
export function keepDocumentResponse(win: Win, text: string): void {
  const came = originals.parse(text) as DocumentResponse;
  const all = [...(came.redirects ?? []), came];
  const set = { "set-cookie": all.map((h) => h.headers?.["set-cookie"] ?? "").join("\n") };
  for (const hop of all) if (hop.sent) hop.sent = withCookies(win, hop.sent, set);
  responses.set(win.document, came);
}

export function documentResponseOf(win: Window | null): DocumentResponse | undefined {
  return win ? responses.get(win.document) : undefined;
}

/** Reports the responses to a document's request, redirects first. `came` is what script knows of the last one. */
export function reportDocumentResponse(loaderId: string, frame: Frame, came: Protocol.Network.Response): void {
  const a = documentResponseOf(frame.win);
  const { redirects = [] } = a ?? {};
  const documentURL = came.url;
  redirects.forEach((hop, i) => {
    const to = redirects[i + 1] ?? a!;
    if (!hop.told) reportDocumentInFlight(loaderId, frame, hop.url);
    if (to.told) return;
    reportExtraInfo(loaderId, hop);
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
  if (!a?.told) reportDocumentInFlight(loaderId, frame, a?.url ?? documentURL);
  if (a?.error) {
    if (!a.errorTold) tellDocumentFailed(loaderId, a.error, false);
    return;
  }
  if (a) reportExtraInfo(loaderId, a);
  if (a?.status === 401 && a.headers["www-authenticate"]) logWarning(say(CREDENTIALS), a.url);
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

/** Reports that no response came for a document. */
export function tellDocumentFailed(requestId: string, errorText: string, canceled: boolean): void {
  emit("Network", "Network.loadingFailed", {
    requestId,
    timestamp: monotonic(),
    type: "Document",
    errorText,
    canceled,
  });
}

/** Network.Response of a hop. */
function responseOf(h: RedirectHop): Protocol.Network.Response {
  const type = h.headers["content-type"] ?? "";
  return {
    ...response(h.url, h.status, h.statusText, plainHeaders(h.headers), type.split(";")[0].trim() || "text/html"),
    charset: /charset="?([^";]+)/i.exec(type)?.[1] ?? "",
  };
}

/** How many bytes came for a document, as far as its server has said. */
export function bytesOfDocument(frame: Frame, transferred = 0): number {
  const a = documentResponseOf(frame.win);
  return a
    ? headText(a.status, a.statusText, a.headers).length + Number(a.headers["content-length"] ?? transferred)
    : transferred;
}

/** The events that have the headers as they went over the network. */
function reportExtraInfo(requestId: string, h: RedirectHop): void {
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
