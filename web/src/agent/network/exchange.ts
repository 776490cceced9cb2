// Reports one request by the events of the Network domain.

import type { EventParams, Protocol } from "../../cdp";
import type { ExtraEvent } from "../../wire/proxy";
import { added } from "../base/added";
import { currentStack } from "../runtime/exceptions";
import { type Frame, splitFragment } from "../page/frames";
import { awaitQuiet } from "../page/lifecycle";
import { logFailure, logRefusal, logStatus } from "./log";
import { monotonic, originals } from "../base/originals";
import { keepBody, keepPayload } from "./bodies";
import type { Refusal } from "./cors";
import type { FailureFields } from "./neterror";
import { type Payload, postFields } from "./payload";
import { answeredByWorker, proxyReports, withCookies } from "./extrainfo";
import { refererOf } from "./referrer";
import { NetworkReporter, type NetworkEvent, whenReady } from "./reporter";
import { headText, plainHeaders, response, timing } from "./responsefields";

type Win = Window & typeof globalThis;

/** A request, as it is reported. */
export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  payload?: Payload;
  referrerPolicy?: ReferrerPolicy;
  /** A Client can still pause or fail it. All other requests have already been sent. */
  pausable?: boolean;
  /** Start of a request that is reported later: seconds since 1970. */
  at?: number;
  initiator?: Protocol.Network.Initiator;
  /** The worker whose script makes the request. The sessions of the worker get the events. */
  worker?: AskingWorker;
}

/** A worker that makes a request. */
interface AskingWorker {
  url: string;
  tell<E extends NetworkEvent>(method: `Network.${E}`, params: EventParams<`Network.${E}`>): void;
}

/** The heads of a request and its response as they went over the network. */
type NetworkHeads = Pick<ExtraEvent, "sent" | "status" | "statusText" | "headers">;

/** The response. `status` is 0 where script may not know it. */
interface IncomingResponse {
  url: string;
  status: number;
  statusText?: string;
  headers?: Record<string, string>;
  /** The Content-Type, as far as known. */
  contentType?: string;
  at?: number;
  /** A Client has made this response. The app's server does not know of it. */
  made?: boolean;
  /** The headers as the proxy has seen them. */
  extra?: NetworkHeads;
  /** Other fields of Network.Response. */
  more?: Partial<Protocol.Network.Response>;
}

/** What is known of a request at least. */
type BareRequest = Pick<Protocol.Network.Request, "url" | "method" | "headers">;

declare module "../base/added" {
  interface Added {
    /** Takes a request that Clients cannot pause, because it has been sent. */
    tellInFlight(networkId: string, frame: Frame, request: BareRequest, type: Protocol.Network.ResourceType): void;
  }
}

/**
 * Reports that a document's request has been sent. To be called after its requestWillBeSent and before its
 * responseReceived.
 */
export function reportDocumentInFlight(loaderId: string, frame: Frame, url: string): void {
  added.tellInFlight?.(
    loaderId,
    frame,
    { url: splitFragment(url)[0], method: "GET", headers: { "User-Agent": navigator.userAgent } },
    "Document",
  );
}

/** Reports one request from its start to its end. */
export class Exchange extends NetworkReporter {
  override readonly isRequest = true;
  private readonly start: number;
  private came = false;
  /** Bytes of the response's head, which count as data. */
  private head = 0;
  /** Bytes of the body as they came, where that is known. */
  private encoded?: number;
  /** Events from responseReceived on wait for this. */
  private extra?: Promise<unknown>;
  private extraLate: () => void = () => {};
  /** Network.Request. */
  request: Protocol.Network.Request;
  private readonly documentURL: string;

  constructor(
    private readonly win: Win,
    readonly type: Protocol.Network.ResourceType,
    private readonly sent: OutgoingRequest,
  ) {
    super(win);
    this.start = sent.at ?? monotonic();
    const [url, urlFragment] = splitFragment(sent.url);
    const policy = sent.referrerPolicy || "strict-origin-when-cross-origin";
    const referer = sent.worker ? undefined : refererOf(win, url, policy);
    this.request = {
      url,
      ...(urlFragment && { urlFragment }),
      method: sent.method,
      headers: {
        ...(referer && { Referer: referer }),
        ...(sent.pausable && originOf(win, url, sent.method)),
        "User-Agent": navigator.userAgent,
        ...sent.headers,
      },
      ...postFields(sent.payload),
      mixedContentType: "none",
      initialPriority: type === "Image" ? "Low" : "High",
      referrerPolicy: policy,
    };
    const { request } = this;
    if (sent.payload) keepPayload(this.id, sent.payload);
    const initiator: Protocol.Network.Initiator = sent.initiator ?? {
      type: "script",
      stack: { callFrames: currentStack() },
    };
    const documentURL = (this.documentURL = splitFragment(sent.worker?.url ?? win.location.href)[0]);
    const wallTime = sent.at ?? originals.now() / 1000;
    this.tell("requestWillBeSent", () => ({
      loaderId: this.frame.loaderId,
      documentURL,
      request,
      timestamp: this.start,
      wallTime,
      initiator,
      redirectHasExtraInfo: false,
      type,
      frameId: this.frame.id,
      hasUserGesture: false,
    }));
    if (!sent.pausable) whenReady(() => added.tellInFlight?.(this.id, this.frame, request, type));
    awaitQuiet(this.frame);
  }

  protected override end(): boolean {
    const first = super.end();
    if (first) awaitQuiet(this.frame);
    return first;
  }

  abandon(): void {
    this.extraLate();
    this.failed("net::ERR_ABORTED", true);
  }

  protected override tell<E extends NetworkEvent>(
    method: E,
    params: () => Omit<EventParams<`Network.${E}`>, "requestId">,
  ): void {
    if (this.extra) void this.extra.then(() => this.tellNow(method, params));
    else this.tellNow(method, params);
  }

  private tellNow<E extends NetworkEvent>(
    method: E,
    params: () => Omit<EventParams<`Network.${E}`>, "requestId">,
  ): void {
    const { worker } = this.sent;
    if (!worker) return super.tell(method, params);
    worker.tell(`Network.${method}`, { requestId: this.id, ...params() } as EventParams<`Network.${E}`>);
  }

  override get heard(): boolean {
    return this.sent.worker !== undefined || super.heard;
  }

  /** Whether the response has been reported. */
  get answered(): boolean {
    return this.came;
  }

  responded(came: IncomingResponse): void {
    if (this.over) return;
    this.came = true;
    const timestamp = came.at ?? monotonic();
    this.ledTo(splitFragment(came.url)[0]);
    if (came.headers) this.head = headText(came.status, came.statusText ?? "", came.headers).length;
    const contentType = came.contentType ?? came.headers?.["content-type"] ?? "";
    const waited = Math.max(0, (timestamp - this.start) * 1000);
    const r = {
      ...response(came.url, came.status, came.statusText ?? "", came.headers ?? {}, contentType.split(";")[0].trim()),
      charset: /charset="?([^";]+)/i.exec(contentType)?.[1] ?? "",
      timing: timing(this.start, { sendStart: 0, sendEnd: 0, receiveHeadersStart: waited, receiveHeadersEnd: waited }),
      ...came.more,
    };
    let extra = came.extra;
    if (extra) this.tellExtra(extra);
    const { url, method } = this.request;
    const open = this.sent.pausable && !came.made && !extra;
    const coming = open ? proxyReports()?.extraOf(method, url) : undefined;
    const byWorker = open && !this.sent.worker ? answeredByWorker(this.win, url, this.start) : undefined;
    if (coming || byWorker) {
      const late = new Promise<[]>((resolve) => (this.extraLate = () => resolve([])));
      this.extra = Promise.race([Promise.all([coming, byWorker]), late]).then(([e, fromServiceWorker]) => {
        if (fromServiceWorker) r.fromServiceWorker = true;
        if (e) this.tellExtra((extra = e));
      });
    }
    this.tell("responseReceived", () => ({
      loaderId: this.frame.loaderId,
      timestamp,
      type: this.type,
      response: extra ? { ...r, headers: plainHeaders(extra.headers) } : r,
      hasExtraInfo: extra !== undefined,
      frameId: this.frame.id,
    }));
    if (came.status >= 400) {
      logStatus(came.status, came.statusText ?? "", this.sent.url, this.id);
    }
  }

  /** Reports headers as they went over the network. */
  private tellExtra({ sent, status, statusText, headers }: NetworkHeads): void {
    const headersText = headText(status, statusText, headers);
    this.head = headersText.length;
    if (headers["content-length"] !== undefined) this.encoded = Number(headers["content-length"]);
    this.tellNow("requestWillBeSentExtraInfo", () => ({
      associatedCookies: [],
      headers: withCookies(this.frame.win, sent, headers),
      connectTiming: { requestTime: this.start },
    }));
    this.tellNow("responseReceivedExtraInfo", () => ({
      blockedCookies: [],
      headers,
      resourceIPAddressSpace: "Local" as const,
      statusCode: status,
      headersText,
    }));
  }

  /** Reports a redirect; `by` is the Network.Response that asked for it. */
  redirect(url: string, method: string, by: Protocol.Network.Response): void {
    const { hasPostData, postData, postDataEntries, urlFragment, ...same } = this.request;
    const kept = method === same.method && hasPostData ? { hasPostData, postData, postDataEntries } : {};
    const request = (this.request = { ...same, ...kept, url, method });
    const [timestamp, wallTime] = [monotonic(), originals.now() / 1000];
    this.tell("requestWillBeSent", () => ({
      loaderId: this.frame.loaderId,
      documentURL: this.documentURL,
      request,
      timestamp,
      wallTime,
      initiator: { type: "other" } as const,
      redirectHasExtraInfo: false,
      redirectResponse: by,
      type: this.type,
      frameId: this.frame.id,
      hasUserGesture: false,
    }));
  }

  /**
   * Reports that the browser has followed redirects. Script learns the final URL, but neither the status nor the URLs
   * between.
   */
  private ledTo(url: string): void {
    const { url: from, method } = this.request;
    if (!url || url === from) return;
    this.redirect(url, /^(GET|HEAD)$/.test(method) ? method : "GET", response(from, 0, "", {}, ""));
    const { request } = this;
    whenReady(() => added.tellInFlight?.(this.id, this.frame, request, this.type));
  }

  /**
   * Reports the end. `body` is kept for getResponseBody; null is one that is too long. `length` is what came over the
   * network, if the body does not say.
   */
  finished(body?: Uint8Array | null, length = body?.length ?? 0, at = monotonic()): void {
    if (!this.end()) return;
    if (body !== undefined && this.heard) keepBody(this.id, body);
    this.tell("loadingFinished", () => ({ timestamp: at, encodedDataLength: (this.encoded ?? length) + this.head }));
  }

  /** Another event of this request. */
  note<E extends NetworkEvent>(method: E, params: Omit<EventParams<`Network.${E}`>, "requestId">): void {
    if (!this.over) this.tell(method, () => params);
  }

  /** Reports that script does not get the response, because of CORS. */
  refused(why: Refusal): void {
    if (!this.over) logRefusal(why.text, this.request.url, this.id);
    this.failed("net::ERR_FAILED", false, { corsErrorStatus: { corsError: why.error, failedParameter: "" } });
  }

  failed(errorText: string, canceled = false, more: FailureFields = {}): void {
    if (!this.end()) return;
    const timestamp = monotonic();
    this.tell("loadingFailed", () => ({ timestamp, type: this.type, errorText, canceled, ...more }));
    if (!canceled) logFailure(errorText, this.sent.url, this.id);
  }
}

/**
 * The Origin of what script asks for: of requests to another origin, and of all but GET and HEAD
 * (Fetch Standard, "append a request `Origin` header").
 */
function originOf({ origin }: Win, url: string, method: string): Record<string, string> {
  return new URL(url).origin === origin && /^(GET|HEAD)$/.test(method) ? {} : { Origin: origin };
}
