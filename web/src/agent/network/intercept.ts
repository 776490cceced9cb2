// The Fetch domain: requests of fetch and of asynchronous XMLHttpRequest pause
// until the clients that asked for it have decided. Of several sessions the
// one that enabled Fetch first sees a request first and its response last.

import type { Protocol } from "../../cdp";
import type { FailOrder, FulfillOrder, GoOrder } from "../../wire/proxy";
import { ProtocolError, register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";
import { type Exchange, PATIENCE_MS, isReady, onUnderWay, response, welcomed } from "./exchange";
import { type Draft, Refused, canChange, dress, errorTexts, fulfilled, pairs } from "./requestchanges";
import { base64, bytesOf } from "./payload";
import { refreshUpstream } from "./upstream";
import { proxyBase } from "../link/hub";
import { mint, originals } from "../base/originals";

/** A request that may pause. */
export interface Job {
  exchange: Exchange;
  /** The window that asks. */
  win: Window & typeof globalThis;
  draft: Draft;
  /** Aborted when the page gives the request up. */
  signal: AbortSignal;
  /** Whether redirects are followed. */
  follows: boolean;
  /**
   * Sends it, as it now stands if a client has changed it. Resolves to
   * undefined where the page gets the response by itself, which is not allowed
   * where a client wants to see it.
   */
  send(changed: Draft | undefined, toBeSeen: boolean): Promise<Response | undefined>;
}

interface Pattern {
  url: RegExp;
  type?: Protocol.Network.ResourceType;
  response: boolean;
}

const patterns = new Map<Session, Pattern[]>();

// ---------------------------------------------------------------- pausing

/**
 * How long after its start a document's requests wait for its sessions to be
 * known, unless the last document of this origin had requests paused.
 */
const WAIT_MS = 300;
const boot = performance.now();
const KEY = "__hubAgent.fetch";
/** Redirects that clients make up; those of servers the browser follows. */
const MAX_HOPS = 20;

/** Whether a request may be of interest to a client. */
export function wanted(url: string): boolean {
  return isReady() ? interested(url).length > 0 : wait() > 0;
}

/** The sessions that a request may pause for, in their order; without an address all that have patterns. */
export function interested(url?: string, type: Protocol.Network.ResourceType = "XHR"): Session[] {
  return [...patterns.keys()].filter(
    (s) => url === undefined || wants(s, url, false, type) || wants(s, url, true, type),
  );
}

/** A request of fetch is an XHR here, as in Chromium. */
export function wants(
  s: Session,
  url: string,
  response: boolean,
  type: Protocol.Network.ResourceType = "XHR",
): boolean {
  return !!patterns.get(s)?.some((p) => p.response === response && (!p.type || p.type === type) && p.url.test(url));
}

/**
 * Sends a request unless clients decide otherwise. Rejects with Refused where
 * one fails it, and with the signal's reason where the page gives it up.
 */
export async function intercepted(job: Job): Promise<Response | undefined> {
  if (!isReady()) await Promise.race([welcomed, new Promise((r) => originals.setTimeout(r, wait()))]);
  let draft: Draft | undefined = job.draft;
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    job.signal.throwIfAborted();
    const r = await pass(job, interested(draft.url), draft, false);
    const next: Draft | undefined = r && job.follows ? draft.redirected(r) : undefined;
    if (!next) return r && hops ? dress(r, { redirected: true }) : r;
    const headers = Object.fromEntries(r!.headers);
    job.exchange.redirect(
      next.url.split("#")[0],
      next.method,
      response(draft.url, r!.status, r!.statusText, headers, ""),
    );
    draft = next;
  }
  throw new Refused("net::ERR_TOO_MANY_REDIRECTS");
}

/** Milliseconds for which a request of now would wait. */
function wait(): number {
  return Math.max(0, boot + (stored() ? PATIENCE_MS : WAIT_MS) - performance.now());
}

function stored(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** Takes a request past the first of these sessions, then the others, and its response back. */
async function pass(job: Job, sessions: Session[], draft: Draft, toBeSeen: boolean): Promise<Response | undefined> {
  const [s, ...others] = sessions;
  if (!s) return job.send(draft === job.draft ? undefined : draft, toBeSeen);
  let seen = wants(s, draft.url, true);
  if (wants(s, draft.url, false)) {
    const d = await pause(job, s, draft, {});
    if (d.fulfil) return d.fulfil;
    if (d.draft) draft = d.draft;
    seen = d.seen ?? seen;
  }
  if (!seen) return pass(job, others, draft, toBeSeen);
  const came = await pass(job, others, draft, true).catch((e: Error) => e);
  job.signal.throwIfAborted();
  if (!patterns.has(s)) return came instanceof Error ? Promise.reject(came) : came; // it has gone meanwhile
  const d = await pause(job, s, draft, stage(came), came instanceof Error ? undefined : came);
  if (d.fulfil) return d.fulfil;
  if (came instanceof Error) throw came;
  return came;
}

/** The fields of requestPaused that tell of a response or a failure. */
function stage(came: Response | Error | undefined): Partial<Protocol.Fetch.RequestPausedEvent> {
  if (came instanceof Error) return { responseErrorReason: "Failed" };
  return {
    responseStatusCode: came?.status,
    responseStatusText: came?.statusText,
    responseHeaders: [...(came?.headers ?? [])].map(([name, value]) => ({ name, value })),
  };
}

/** What a client has decided; nothing means to go on. */
interface Decision {
  fulfil?: Response;
  draft?: Draft;
  /** Whether the client wants to see the response. */
  seen?: boolean;
  /** For a request that the proxy holds. */
  verdict?: Verdict;
}

interface Paused {
  session: Session;
  atResponse: boolean;
  decide(d: Decision): void;
  fail(e: Error): void;
}

interface Local extends Paused {
  job: Job;
  draft: Draft;
  response?: Response;
}

/** A request that the proxy holds. */
interface Remote extends Paused {
  /** Asks for the response's body, as base64. */
  body?: () => Promise<string>;
}

/** What becomes of such a request; `do` is "go", "fulfill" or "fail". */
export type Verdict = Omit<GoOrder, "id"> | Omit<FulfillOrder, "id"> | Omit<FailOrder, "id">;

const paused = new Map<string, Local | Remote>();

const isRemote = (entry: Local | Remote): entry is Remote => !("job" in entry);

/** Tells one session of a request that the proxy holds, with a body where it has a response, and takes its decision. */
export function pauseRemote(
  session: Session,
  event: Omit<Protocol.Fetch.RequestPausedEvent, "requestId">,
  body?: () => Promise<string>,
): { requestId: string; verdict: Promise<Verdict> } {
  const requestId = `interception-job-${mint()}`;
  const verdict = new Promise<Decision>((decide, fail) => {
    paused.set(requestId, { session, atResponse: body !== undefined, body, decide, fail });
    session.emit("Fetch.requestPaused", { requestId, ...event });
  }).then(
    (d): Verdict => d.verdict ?? { do: "go" },
    (e: Error): Verdict => ({ do: "fail", error: e.message }),
  );
  return { requestId, verdict: verdict.finally(() => paused.delete(requestId)) };
}

function pause(
  job: Job,
  session: Session,
  draft: Draft,
  more: Partial<Protocol.Fetch.RequestPausedEvent>,
  response?: Response,
): Promise<Decision> {
  const requestId = `interception-job-${mint()}`;
  return new Promise<Decision>((decide, fail) => {
    const gone = (): void => fail(job.signal.reason);
    job.signal.addEventListener("abort", gone, { once: true });
    const atResponse = Object.keys(more).length > 0;
    paused.set(requestId, { session, job, draft, response, atResponse, decide, fail });
    session.emit("Fetch.requestPaused", {
      requestId,
      request: { ...job.exchange.request, ...draft.told() },
      frameId: job.exchange.frame.id,
      resourceType: "XHR",
      networkId: job.exchange.id,
      ...more,
    });
  }).finally(() => paused.delete(requestId));
}

// ------------------------------------------------ what nobody can hold back

const MAX_GOING = 1000;
/** Requests that have been told of as paused and are not. */
const going = new Map<string, { session: Session; headers: Protocol.Network.Headers }>();

/**
 * Tells of a request that is on its way: Playwright and Puppeteer, once they
 * intercept, take note of none that is not paused, be it the document's.
 * They may let it go; all else is refused.
 */
onUnderWay((networkId, frame, request, type) => {
  const resourceType = type === "Fetch" ? "XHR" : type;
  for (const session of patterns.keys()) {
    if (!wants(session, request.url, false, resourceType)) continue;
    const requestId = `interception-job-${mint()}`;
    going.set(requestId, { session, headers: request.headers });
    if (going.size > MAX_GOING) going.delete(going.keys().next().value!);
    session.emit("Fetch.requestPaused", {
      requestId,
      request: request as Protocol.Network.Request,
      frameId: frame.id,
      resourceType,
      networkId,
    });
  }
});

/** Params that let a request go on, of whichever command. */
type ReleasingParams = Pick<
  Protocol.Fetch.ContinueRequestRequest,
  "requestId" | "url" | "method" | "headers" | "postData"
>;

/** Lets go of such a request; false where the id is of another. */
function letGo(p: ReleasingParams, s: Session, method: string): boolean {
  const entry = going.get(p.requestId);
  if (entry?.session !== s) return false;
  going.delete(p.requestId);
  const same = pairs(p.headers)?.every(([name, value]) => entry.headers[name] === value) ?? true;
  if (method === "continueRequest" && same && p.url === undefined && p.method === undefined && p.postData === undefined)
    return true;
  return impossible(method, "only requests of fetch and of asynchronous XMLHttpRequest can be held back");
}

// --------------------------------------------------------------- commands

function find(p: { requestId: string }, s: Session): Local | Remote {
  const entry = paused.get(p.requestId);
  if (!patterns.has(s)) throw new ProtocolError("Fetch domain is not enabled");
  if (!entry || entry.session !== s) throw new ProtocolError("Invalid InterceptionId.", -32602);
  return entry;
}

/** Decides, once: the same id again is an invalid one. */
function decide(p: { requestId: string }, entry: Paused, d: Decision | Error): void {
  paused.delete(p.requestId);
  if (d instanceof Error) entry.fail(d);
  else entry.decide(d);
}

function release(s: Session): void {
  patterns.delete(s);
  remember();
  void refreshUpstream();
  for (const [requestId, entry] of going) if (entry.session === s) going.delete(requestId);
  for (const [requestId, entry] of paused) if (entry.session === s) decide({ requestId }, entry, { seen: false });
}

/** Lets the next document of this origin know that its requests are to wait for the welcome. */
function remember(): void {
  try {
    if (patterns.size) sessionStorage.setItem(KEY, "1");
    else sessionStorage.removeItem(KEY);
  } catch {
    // Storage is blocked: they wait for the shorter time.
  }
}

/** A url pattern: "*" any text, "?" one character, a backslash takes the next as it is. */
function pattern(glob: string): RegExp {
  const text = glob.replace(/\\(.)|([*?])|([.+^${}()|[\]\\])/g, (_all, taken, wild, special) =>
    taken ? taken.replace(/\W/, "\\$&") : wild === "*" ? ".*" : wild ? "." : `\\${special}`,
  );
  return new RegExp(`^${text}$`, "s");
}

/** Lets a request that the proxy holds go on, with changes. */
function goOn(p: Protocol.Fetch.ContinueRequestRequest): Verdict {
  const { url, method, headers, postData, interceptResponse } = p;
  if (
    url !== undefined &&
    (!URL.canParse(url) || new URL(url).origin !== new URL(proxyBase() ?? location.href).origin)
  ) {
    throw new ProtocolError(
      URL.canParse(url)
        ? "Fetch.continueRequest is not possible in an embedded frame: the proxy has one app only"
        : "Invalid URL",
      -32602,
    );
  }
  return {
    do: "go",
    ...(url !== undefined && { url }),
    ...(method && { method }),
    ...(headers && { headers: pairs(headers) }),
    ...(postData !== undefined && { body: postData }),
    ...(interceptResponse !== undefined && { see: interceptResponse }),
  };
}

/** Params that make a response up; without a responseCode they are refused. */
export type MadeUp = Pick<Protocol.Fetch.FulfillRequestRequest, "responseCode" | "responsePhrase" | "responseHeaders">;

/** The answer that a client gives in the place of the proxy's app. */
function answer(p: MadeUp, more: { body?: string }): Verdict {
  if (!(p.responseCode >= 100 && p.responseCode <= 999))
    throw new ProtocolError("Invalid http status code or phrase", -32602);
  return {
    do: "fulfill",
    status: p.responseCode,
    phrase: p.responsePhrase ?? "",
    ...(p.responseHeaders && { headers: pairs(p.responseHeaders) }),
    ...more,
  };
}

function continueRequest(p: Protocol.Fetch.ContinueRequestRequest, s: Session): void {
  if (letGo(p, s, "continueRequest")) return;
  const entry = find(p, s);
  if (entry.atResponse) return decide(p, entry, {});
  if (isRemote(entry)) return decide(p, entry, { verdict: goOn(p) });
  const changes = {
    url: p.url,
    method: p.method,
    headers: pairs(p.headers),
    body: p.postData === undefined ? undefined : bytesOf(p.postData),
  };
  const changed = Object.values(changes).some((c) => c !== undefined);
  if (changed) canChange(entry.draft, changes, entry.job.exchange.request.headers);
  decide(p, entry, {
    ...(changed && { draft: entry.draft.with(changes) }),
    ...(p.interceptResponse !== undefined && { seen: p.interceptResponse }),
  });
}

function continueResponse(p: Protocol.Fetch.ContinueResponseRequest, s: Session): void {
  const entry = find(p, s);
  if (!entry.atResponse) throw new ProtocolError("Invalid state for continueInterceptedRequest");
  if (isRemote(entry))
    return decide(p, entry, p.responseCode === undefined ? {} : { verdict: answer(p as MadeUp, {}) });
  const { response } = entry;
  if (p.responseCode === undefined || !response) return decide(p, entry, {});
  decide(p, entry, { fulfil: fulfilled(entry.job.win, entry.draft.shown, p as MadeUp, response.body, response) });
}

function fulfillRequest(p: Protocol.Fetch.FulfillRequestRequest, s: Session): void {
  letGo(p, s, "fulfillRequest");
  const entry = find(p, s);
  if (isRemote(entry)) return decide(p, entry, { verdict: answer(p, p.body === undefined ? {} : { body: p.body }) });
  const body = p.body === undefined ? undefined : bytesOf(p.body);
  decide(p, entry, {
    fulfil: fulfilled(entry.job.win, entry.draft.shown, p, body ?? entry.response?.body ?? null, entry.response),
  });
}

function failRequest(p: Protocol.Fetch.FailRequestRequest, s: Session): void {
  const text = errorTexts(p.errorReason);
  if (!text) throw new ProtocolError("Unknown errorReason", -32602);
  letGo(p, s, "failRequest");
  decide(p, find(p, s), new Refused(text));
}

async function getResponseBody(
  p: Protocol.Fetch.GetResponseBodyRequest,
  s: Session,
): Promise<Protocol.Fetch.GetResponseBodyResponse> {
  const entry = find(p, s);
  if (isRemote(entry) && entry.body) return { body: await entry.body(), base64Encoded: true };
  const { response, atResponse } = entry as Local;
  if (!atResponse || !response) {
    throw new ProtocolError("Can only get response body on HeadersReceived pattern matched requests.");
  }
  return { body: base64(new Uint8Array(await response.clone().arrayBuffer())), base64Encoded: true };
}

function impossible(method: string, why: string): never {
  throw new ProtocolError(`Fetch.${method} is not possible in an embedded frame: ${why}`);
}

register("Fetch", {
  enable: (p, s) => {
    const list: Protocol.Fetch.RequestPattern[] = p.patterns ?? [{}];
    patterns.set(
      s,
      list.map((x) => ({
        url: pattern(x.urlPattern ?? "*"),
        type: x.resourceType,
        response: x.requestStage === "Response",
      })),
    );
    remember();
    return refreshUpstream();
  },
  disable: (_p, s) => release(s),
  continueRequest,
  continueResponse,
  fulfillRequest,
  failRequest,
  getResponseBody,
  continueWithAuth: () => impossible("continueWithAuth", "authentication belongs to the browser"),
  takeResponseBodyAsStream: () => impossible("takeResponseBodyAsStream", "the IO domain needs the browser process"),
});

onSessionEnd(release);
