// Requests that the proxy before the app tells of: those of documents,
// elements, stylesheets and workers.

import type { Protocol } from "../../cdp";
import type { ControlNews, FailedNews, GoOrder, RequestNews, ResponseNews } from "../../wire/proxy";
import { type Frame, type Win, allFrames, mainFrame, splitFragment, urlOf } from "../page/frames";
import { type Verdict, interested, pauseRemote, wants } from "./intercept";
import { navigationUnderWay, navigationVoid } from "../page/navigation";
import { monotonic, originals } from "../base/originals";
import { type Session, emit } from "../base/session";
import { joined } from "./documentresponse";
import { keepDocument } from "./bodies";
import { Exchange, type Sent, response } from "./exchange";
import { bytesOf } from "./payload";
import { order, setUpstream } from "./upstream";

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
interface Going {
  networkId: string;
  frame: Frame;
  type: Protocol.Network.ResourceType;
  request: Protocol.Network.Request;
  /** Absent for documents, whose story is told elsewhere. */
  exchange?: Exchange;
  /** The id of the pause before a redirect. */
  paused?: string;
  /** Sessions that want to see the response, the last one first. */
  wanting: Session[];
  /** Takes the body of the response. */
  body?: (base64: string) => void;
  main: boolean;
}

const going = new Map<string, Going>();
/** Requests that were answered with a redirect, by where it leads. */
const redirected = new Map<string, { g: Going; by: Protocol.Network.Response }>();

// ------------------------------------------------- what entries tell of too

const MAX_SEEN = 5000;
const seen = new Map<string, number>();

/** Whether a timing entry is of a request that has been told of; asked once for each. */
export function takeSeen(url: string): boolean {
  const n = seen.get(url) ?? 0;
  if (n > 0) seen.set(url, n - 1);
  return n > 0;
}

/** Whether requests for an address have been told of. */
export function isSeen(url: string): boolean {
  return seen.has(url);
}

// ------------------------------------------------------------------ news

function hear(m: ControlNews): void {
  if (m.what === "request") return requested(m);
  const g = going.get(m.id);
  if (!g) return;
  if (m.what === "body") g.body?.(m.body ?? "");
  else if (m.what === "response" && m.held) void decideResponse(m, g);
  else if (m.what === "response") responded(m as AnswerNews, g);
  else if (m.what !== "state") {
    going.delete(m.id);
    if (m.what === "end") g.exchange?.finished(undefined, m.length ?? 0);
    else failed(m, g);
  }
}

function requested(m: RequestNews): void {
  const before = redirected.get(m.url);
  redirected.delete(m.url);
  const g = before ? follow(before.g, m, before.by) : found(m);
  if (!g) return void order({ do: "go", id: m.id });
  going.set(m.id, g);
  if (m.held) void decideRequest(m, g);
}

/** What a request is part of; nothing for the documents that are told of elsewhere and may go. */
function found(m: RequestNews): Going | undefined {
  const type = types[m.dest ?? ""] ?? "Other";
  const request = requestOf(m);
  const common = { type, request, wanting: [], main: m.main === true };
  if (m.main) {
    const loaderId = navigationUnderWay()?.loaderId;
    return loaderId ? { ...common, networkId: loaderId, frame: mainFrame() } : undefined;
  }
  if (m.mode === "navigate") {
    const frame = m.held ? allFrames().find((f) => f.pending && splitFragment(f.pending.url)[0] === m.url) : undefined;
    return frame && { ...common, networkId: frame.pending!.loaderId, frame };
  }
  const win = (allFrames().find((f) => f.win && splitFragment(urlOf(f))[0] === m.referrer)?.win ?? window) as Win;
  if (seen.size > MAX_SEEN) seen.clear();
  seen.set(m.url, (seen.get(m.url) ?? 0) + 1);
  const payload = m.body ? { bytes: bytesOf(m.body) } : undefined;
  const sent: Sent = {
    url: m.url,
    method: m.method,
    headers: m.headers,
    payload,
    pausable: true,
    initiator: { type: "other" },
  };
  const exchange = new Exchange(win, type === "XHR" ? "Fetch" : type, sent);
  return { ...common, networkId: exchange.id, frame: exchange.frame, request: exchange.request, exchange };
}

function requestOf(m: RequestNews): Protocol.Network.Request {
  return {
    url: m.url,
    method: m.method,
    headers: m.headers,
    mixedContentType: "none",
    initialPriority: "VeryHigh",
    referrerPolicy: "strict-origin-when-cross-origin",
    isSameSite: true,
    ...(m.body && { hasPostData: true, postData: atob(m.body), postDataEntries: [{ bytes: m.body }] }),
  };
}

/** The request that a redirect has made of another. */
function follow(g: Going, m: RequestNews, by: Protocol.Network.Response): Going {
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

/** News of a response that there is. */
type AnswerNews = Required<Pick<ResponseNews, "status" | "statusText" | "headers">> & ResponseNews;

function responded(m: AnswerNews, g: Going): void {
  const headers = joined(m.headers);
  const type = headers["content-type"] ?? "";
  if (m.status > 300 && m.status < 400 && headers.location) {
    const to = new URL(headers.location, g.request.url).href.split("#")[0];
    redirected.set(to, { g, by: response(g.request.url, m.status, m.statusText, headers, type.split(";")[0]) });
    going.delete(m.id);
    if (redirected.size > 100) redirected.delete(redirected.keys().next().value!);
    return;
  }
  const { exchange } = g;
  exchange?.responded({ url: g.request.url, status: m.status, statusText: m.statusText, headers, contentType: type });
  if (exchange && m.key) keepDocument(exchange.id, m.key);
}

function failed(m: FailedNews, g: Going): void {
  g.exchange?.failed(m.error, m.error === "net::ERR_ABORTED");
  if (g.main && m.error === "net::ERR_ABORTED") navigationVoid(g.networkId, m.error);
}

// ------------------------------------------------------------- decisions

async function decideRequest(m: RequestNews, g: Going): Promise<void> {
  const { url } = g.request;
  let changes: Partial<GoOrder> = {};
  for (const s of interested(url, g.type)) {
    let see = wants(s, url, true, g.type);
    if (wants(s, url, false, g.type)) {
      const v = await pause(s, g, {});
      if (v.do !== "go") return void order({ ...v, id: m.id });
      see = v.see ?? see;
      changes = { ...changes, ...v };
    }
    if (see) g.wanting.unshift(s);
  }
  order({ ...changes, do: "go", id: m.id, see: g.wanting.length > 0 });
}

async function decideResponse(m: ResponseNews, g: Going): Promise<void> {
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
      order({ do: "body", id: m.id });
    });
  for (const s of g.wanting) {
    const v = await pause(s, g, stage, body);
    if (v.do !== "go") return void order({ ...v, id: m.id });
  }
  order({ do: "go", id: m.id });
}

function pause(
  session: Session,
  g: Going,
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

setUpstream(() => interested().length > 0, hear);
