// Requests that the proxy in front of the app reports: those of documents,
// elements, stylesheets and workers. Page script cannot see them itself.

import type { Protocol } from "../../cdp";
import type { ControlEvent, FailedEvent, GoCommand, RequestEvent, ResponseEvent } from "../../wire/proxy";
import { type Frame, type Win, allFrames, mainFrame, splitFragment, urlOf } from "../page/frames";
import { tellDownload } from "../page/downloads";
import { interceptors, matchesPattern } from "./intercept";
import { beginNavigation } from "../page/childnavigation";
import { failMainNavigation, navigationUnderWay } from "../page/navigation";
import { monotonic, originals } from "../base/originals";
import { type Session, emit } from "../base/session";
import { hubOfProxy } from "../link/hub";
import { bytesAt, keepBody, keepDocument } from "./bodies";
import { tellDocumentFailed } from "./documentresponse";
import { withCookies } from "./extrainfo";
import { Exchange, type OutgoingRequest } from "./exchange";
import { type Verdict, pauseRemote } from "./pausing";
import { bytesOf } from "./payload";
import { receiveExtra } from "./proxyreports";
import { noteReported } from "./resources";
import { plainHeaders, response } from "./responsefields";
import { added } from "../base/added";
import { sendToProxy } from "./upstream";

const types: Record<string, Protocol.Network.ResourceType> = {
  document: "Document",
  iframe: "Document",
  frame: "Document",
  object: "Document",
  embed: "Document",
  script: "Script",
  worker: "Script",
  sharedworker: "Script",
  serviceworker: "Script",
  style: "Stylesheet",
  image: "Image",
  font: "Font",
  audio: "Media",
  video: "Media",
  track: "TextTrack",
  manifest: "Manifest",
  empty: "XHR",
};

/** A request under way. */
interface ProxyRequest {
  networkId: string;
  frame: Frame;
  type: Protocol.Network.ResourceType;
  request: Protocol.Network.Request;
  /** Absent for documents: page/navigation.ts and childnavigation.ts report those. */
  exchange?: Exchange;
  /** The id of the pause before a redirect. */
  paused?: string;
  /** Sessions that want to see the response, the last one first. */
  wanting: Session[];
  /** Takes the body of the response. */
  body?: (base64: string) => void;
  main: boolean;
}

const requests = new Map<string, ProxyRequest>();
/** Requests that were answered with a redirect, by where it leads. */
const redirected = new Map<string, { g: ProxyRequest; by: Protocol.Network.Response }>();

// ---------------------------------------------------- events of the proxy

function received(m: ControlEvent): void {
  if (m.what === "request") return requested(m);
  if (m.what === "extra") return receiveExtra(m);
  if (m.what === "failed" && m.download) tellOfDownload(m, m.download);
  const g = requests.get(m.id);
  if (!g) return;
  if (m.what === "body") g.body?.(m.body ?? "");
  else if (m.what === "response" && m.held) void decideResponse(m, g);
  else if (m.what === "response") responded(m as AnswerEvent, g);
  else if (m.what !== "state") {
    requests.delete(m.id);
    if (m.what === "end") g.exchange?.finished(undefined, m.length ?? 0);
    else failed(m, g);
  }
}

function requested(m: RequestEvent): void {
  const before = redirected.get(m.url);
  redirected.delete(m.url);
  const g = before ? followRedirect(before.g, m, before.by) : beginRequest(m);
  if (!g) return void sendToProxy({ do: "go", id: m.id });
  requests.set(m.id, g);
  if (m.held) void decideRequest(m, g);
}

/**
 * Finds the frame of a request, and reports the request unless it is a document's. Undefined for documents that are
 * reported elsewhere and need not wait.
 */
function beginRequest(m: RequestEvent): ProxyRequest | undefined {
  const preflight = m.dest === "empty" && m.method === "OPTIONS";
  const type = preflight ? "Preflight" : (types[m.dest ?? ""] ?? "Other");
  const request = requestOf(m);
  const common = { type, request, wanting: [] };
  if (m.main || m.mode === "navigate") {
    const asked = (to?: { url: string }): boolean => !!to && splitFragment(to.url)[0] === m.url;
    const child = m.main ? undefined : allFrames().find((f) => asked(f.pending));
    if (child) return m.held ? { ...common, networkId: child.pending!.loaderId, frame: child, main: false } : undefined;
    // The request may reach the proxy before the announcement of its navigation. Then the proxy cannot say main.
    const to = navigationUnderWay();
    if (to && (m.main || asked(to))) return { ...common, networkId: to.loaderId, frame: mainFrame(), main: true };
    const unseen = m.main ? undefined : navigatesUnseen(m.url, m.method);
    return m.held && unseen ? { ...common, ...unseen, main: false } : undefined;
  }
  const win = (allFrames().find((f) => f.win && splitFragment(urlOf(f))[0] === m.referrer)?.win ?? window) as Win;
  if (!preflight) noteReported(m.url);
  const payload = m.body ? { bytes: bytesOf(m.body) } : undefined;
  const sent: OutgoingRequest = {
    url: m.url,
    method: m.method,
    headers: withCookies(win, m.headers, {}),
    payload,
    pausable: true,
    initiator: { type: preflight ? "preflight" : "other" },
  };
  const exchange = new Exchange(win, type === "XHR" ? "Fetch" : type, sent);
  return { ...common, networkId: exchange.id, frame: exchange.frame, request: exchange.request, exchange, main: false };
}

/**
 * Begins the navigation of a child frame that only the request for its document shows: a blank first document gets no
 * navigate events. It is the frame whose element names the address or else, since script may navigate the window, one
 * that is blank.
 */
function navigatesUnseen(url: string, method: string): { frame: Frame; networkId: string } | undefined {
  const idle = allFrames().filter((f) => f.owner && !f.pending && !f.agent);
  const frame =
    idle.find((f) => splitFragment(f.owner!.src)[0] === url && (!f.win || splitFragment(urlOf(f))[0] !== url)) ??
    idle.find((f) => f.win?.document.URL === "about:blank");
  return frame && { frame, networkId: beginNavigation(frame, url, { reason: "scriptInitiated", method }).loaderId };
}

function requestOf(m: RequestEvent, win: Window = window): Protocol.Network.Request {
  return {
    url: m.url,
    method: m.method,
    headers: withCookies(win, m.headers, {}),
    mixedContentType: "none",
    initialPriority: "VeryHigh",
    referrerPolicy: "strict-origin-when-cross-origin",
    isSameSite: true,
    ...(m.body && { hasPostData: true, postData: atob(m.body), postDataEntries: [{ bytes: m.body }] }),
  };
}

/** The request that follows a redirect. It keeps the id of the one before, as in Chromium. */
function followRedirect(g: ProxyRequest, m: RequestEvent, by: Protocol.Network.Response): ProxyRequest {
  const { networkId, frame, exchange } = g;
  if (exchange) {
    exchange.redirect(m.url, m.method, by);
    return { ...g, request: exchange.request, wanting: [] };
  }
  const request = requestOf(m);
  if (m.held) {
    emit("Network", "Network.requestWillBeSent", {
      requestId: networkId,
      loaderId: networkId,
      documentURL: m.url,
      request,
      timestamp: monotonic(),
      wallTime: originals.now() / 1000,
      initiator: { type: "other" },
      redirectHasExtraInfo: false,
      redirectResponse: by,
      type: "Document",
      frameId: frame.id,
      hasUserGesture: false,
    });
  }
  return { ...g, request, wanting: [] };
}

/** A response that is not an error. */
type AnswerEvent = Required<Pick<ResponseEvent, "status" | "statusText" | "headers">> & ResponseEvent;

function responded(m: AnswerEvent, g: ProxyRequest): void {
  const headers = plainHeaders(m.headers);
  const { status, statusText, sent } = m;
  const type = headers["content-type"] ?? "";
  if (m.status > 300 && m.status < 400 && headers.location) {
    const to = new URL(headers.location, g.request.url).href.split("#")[0];
    redirected.set(to, { g, by: response(g.request.url, m.status, m.statusText, headers, type.split(";")[0]) });
    requests.delete(m.id);
    if (redirected.size > 100) redirected.delete(redirected.keys().next().value!);
    return;
  }
  const { exchange } = g;
  const extra = sent && { sent, status, statusText, headers: m.headers };
  exchange?.responded({ url: g.request.url, status, statusText, headers, contentType: type, made: !sent, extra });
  if (exchange && m.key) keepDocument(exchange.id, m.key, g.request.url);
}

function failed(m: FailedEvent, g: ProxyRequest): void {
  g.exchange?.failed(m.error, m.error === "net::ERR_ABORTED");
  if (g.main && m.error === "net::ERR_ABORTED") failMainNavigation(g.networkId, m.error);
}

/** Reports a download. For a navigation of a child frame this may be all that the agent learns. */
function tellOfDownload({ id, url = "", key }: FailedEvent, name: string): void {
  const child = allFrames().find((f) => f.pending && splitFragment(f.pending.url)[0] === url);
  const frame = requests.get(id)?.frame ?? child ?? mainFrame();
  void tellDownload(
    frame,
    url,
    name,
    key === undefined ? undefined : bytesAt(`${hubOfProxy()}/body/${key}`, "no-store"),
  );
}

// ------------------------------------------------------------- decisions

async function decideRequest(m: RequestEvent, g: ProxyRequest): Promise<void> {
  const { url } = g.request;
  let changes: Partial<GoCommand> = {};
  for (const s of interceptors(url, g.type)) {
    let see = matchesPattern(s, url, true, g.type);
    if (matchesPattern(s, url, false, g.type)) {
      const v = await pause(s, g, {});
      if (v.do !== "go") return ended(m.id, g, v);
      see = v.see ?? see;
      changes = { ...changes, ...v };
    }
    if (see) g.wanting.unshift(s);
  }
  sendToProxy({ ...changes, do: "go", id: m.id, see: g.wanting.length > 0, cookies: cookiesOf(g.frame) });
}

/** The cookies that the script of a frame can read. */
function cookiesOf(frame: Frame): string {
  try {
    return frame.win?.document.cookie ?? "";
  } catch {
    return ""; // a sandboxed document has none
  }
}

async function decideResponse(m: ResponseEvent, g: ProxyRequest): Promise<void> {
  const stage: Partial<Protocol.Fetch.RequestPausedEvent> = m.error
    ? { responseErrorReason: "Failed" }
    : {
        responseStatusCode: m.status,
        responseStatusText: m.statusText,
        responseHeaders: Object.entries(m.headers as Record<string, string>).flatMap(([name, v]) =>
          v.split("\n").map((value) => ({ name, value })),
        ),
      };
  const body = (): Promise<string> =>
    new Promise((r) => {
      g.body = r;
      sendToProxy({ do: "body", id: m.id });
    });
  for (const s of g.wanting) {
    const v = await pause(s, g, stage, body);
    if (v.do !== "go") return ended(m.id, g, v);
  }
  sendToProxy({ do: "go", id: m.id });
}

/**
 * A Client has answered a request, or failed it. A failure is reported to Clients before the proxy passes it on to
 * the page: the load event or the navigation that follows may end what Clients wait for.
 */
function ended(id: string, g: ProxyRequest, v: Exclude<Verdict, { do: "go" }>): void {
  if (v.do === "fail") {
    requests.delete(id);
    const canceled = v.error === "net::ERR_ABORTED";
    if (g.exchange) g.exchange.failed(v.error, canceled);
    else tellDocumentFailed(g.networkId, v.error, canceled);
    if (g.main && canceled) failMainNavigation(g.networkId, v.error);
  } else if (g.exchange && v.body !== undefined) {
    keepBody(g.networkId, bytesOf(v.body)); // the app has another one, or none
  }
  sendToProxy({ ...v, id });
}

function pause(
  session: Session,
  g: ProxyRequest,
  more: Partial<Protocol.Fetch.RequestPausedEvent>,
  body?: () => Promise<string>,
): Promise<Verdict> {
  const { requestId, verdict } = pauseRemote(
    session,
    {
      request: g.request,
      frameId: g.frame.id,
      resourceType: g.type,
      networkId: g.networkId,
      ...(g.paused && !body && { redirectedRequestId: g.paused }),
      ...more,
    },
    body,
  );
  g.paused = requestId;
  return verdict;
}

added.isIntercepting = () => interceptors().length > 0;
added.receiveProxyEvent = received;
