// Requests of fetch and of asynchronous XMLHttpRequest pause until the clients
// that asked for it have decided. With several sessions, the one that enabled
// Fetch first sees a request first and its response last.

import type { Protocol } from "../../cdp";
import type { FailCommand, FulfillCommand, GoCommand } from "../../wire/proxy";
import type { Session } from "../base/session";
import { mint, originals } from "../base/originals";
import { type Exchange, setInFlightListener } from "./exchange";
import { PATIENCE_MS, isReady, welcomed } from "./reporter";
import { response } from "./responsefields";
import { type EditedRequest, FailedByClient } from "./requestchanges";
import { withOverrides } from "./responses";

/** A request that may pause. */
export interface Job {
  exchange: Exchange;
  /** The window that asks. */
  win: Window & typeof globalThis;
  draft: EditedRequest;
  /** Aborted when the page gives the request up. */
  signal: AbortSignal;
  /** Whether redirects are followed. */
  follows: boolean;
  /**
   * Sends the request, with the changes of clients. Resolves to undefined when
   * the browser gives the response to the page directly. With toBeSeen it must
   * not, because a client wants to see the response first.
   */
  send(changed: EditedRequest | undefined, toBeSeen: boolean): Promise<Response | undefined>;
}

interface Pattern {
  url: RegExp;
  type?: Protocol.Network.ResourceType;
  response: boolean;
}

export const patterns = new Map<Session, Pattern[]>();

// ---------------------------------------------------------------- pausing

/**
 * How long after its start a document's requests wait for its sessions to be
 * known, unless the last document of this origin had requests paused.
 */
const WAIT_MS = 300;
const boot = performance.now();
export const INTERCEPTED = "__hubAgent.fetch";
/** Redirects that clients make up; those of servers the browser follows. */
const MAX_HOPS = 20;

/** Whether a request may be of interest to a client. */
export function wanted(url: string): boolean {
  if (url.startsWith("data:")) return false; // Chromium pauses no such request
  return isReady() ? interested(url).length > 0 : millisecondsToWait() > 0;
}

/** Whether any request may be of interest. */
export function mayPause(): boolean {
  return isReady() ? patterns.size > 0 : millisecondsToWait() > 0;
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
 * Sends a request after all clients have let it go on. Rejects with
 * FailedByClient when a client fails it, and with the signal's reason when the
 * page aborts it.
 */
export async function intercepted(job: Job): Promise<Response | undefined> {
  if (!isReady()) await Promise.race([welcomed, new Promise((r) => originals.setTimeout(r, millisecondsToWait()))]);
  let draft: EditedRequest | undefined = job.draft;
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    job.signal.throwIfAborted();
    const r = await throughSessions(job, interested(draft.url), draft, false);
    const next: EditedRequest | undefined = r && job.follows ? draft.redirected(r) : undefined;
    if (!next) return r && hops ? withOverrides(r, { redirected: true }) : r;
    const headers = Object.fromEntries(r!.headers);
    job.exchange.redirect(
      next.url.split("#")[0],
      next.method,
      response(draft.url, r!.status, r!.statusText, headers, ""),
    );
    draft = next;
  }
  throw new FailedByClient("net::ERR_TOO_MANY_REDIRECTS");
}

/** Milliseconds for which a request of now would wait. */
function millisecondsToWait(): number {
  return Math.max(0, boot + (interceptedBefore() ? PATIENCE_MS : WAIT_MS) - performance.now());
}

function interceptedBefore(): boolean {
  try {
    return sessionStorage.getItem(INTERCEPTED) !== null;
  } catch {
    return false;
  }
}

/** Lets each of the sessions decide about a request in order, then about its response in reverse order. */
async function throughSessions(
  job: Job,
  sessions: Session[],
  draft: EditedRequest,
  toBeSeen: boolean,
): Promise<Response | undefined> {
  const [s, ...others] = sessions;
  if (!s) return job.send(draft === job.draft ? undefined : draft, toBeSeen);
  let seen = wants(s, draft.url, true);
  if (wants(s, draft.url, false)) {
    const d = await pause(job, s, draft, {});
    if (d.fulfil) return d.fulfil;
    if (d.draft) draft = d.draft;
    seen = d.seen ?? seen;
  }
  if (!seen) return throughSessions(job, others, draft, toBeSeen);
  const came = await throughSessions(job, others, draft, true).catch((e: Error) => e);
  job.signal.throwIfAborted();
  if (!patterns.has(s)) return came instanceof Error ? Promise.reject(came) : came; // the session has ended meanwhile
  const d = await pause(job, s, draft, responseStage(came), came instanceof Error ? undefined : came);
  if (d.fulfil) return d.fulfil;
  if (came instanceof Error) throw came;
  return came;
}

/** The fields of requestPaused that tell of a response or a failure. */
function responseStage(came: Response | Error | undefined): Partial<Protocol.Fetch.RequestPausedEvent> {
  if (came instanceof Error) return { responseErrorReason: "Failed" };
  return {
    responseStatusCode: came?.status,
    responseStatusText: came?.statusText,
    responseHeaders: [...(came?.headers ?? [])].map(([name, value]) => ({ name, value })),
  };
}

/** What a client has decided; nothing means to go on. */
export interface Decision {
  fulfil?: Response;
  draft?: EditedRequest;
  /** Whether the client wants to see the response. */
  seen?: boolean;
  /** For a request that the proxy holds. */
  verdict?: Verdict;
}

export interface Paused {
  session: Session;
  atResponse: boolean;
  decide(d: Decision): void;
  fail(e: Error): void;
}

export interface Local extends Paused {
  job: Job;
  draft: EditedRequest;
  response?: Response;
}

/** A request that the proxy holds. */
export interface Remote extends Paused {
  /** Asks for the response's body, as base64. */
  body?: () => Promise<string>;
}

/** What becomes of such a request; `do` is "go", "fulfill" or "fail". */
export type Verdict = Omit<GoCommand, "id"> | Omit<FulfillCommand, "id"> | Omit<FailCommand, "id">;

export const paused = new Map<string, Local | Remote>();

export const isRemote = (entry: Local | Remote): entry is Remote => !("job" in entry);

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
  draft: EditedRequest,
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
      request: { ...job.exchange.request, ...draft.requestFields() },
      frameId: job.exchange.frame.id,
      resourceType: "XHR",
      networkId: job.exchange.id,
      ...more,
    });
  }).finally(() => paused.delete(requestId));
}

// ------------------------------------- requests that cannot be held back

const MAX_GOING = 1000;
/** Requests that clients were told are paused, and that are already on their way. */
export const inFlight = new Map<string, { session: Session; headers: Protocol.Network.Headers }>();

/**
 * Reports a request that is already on its way as paused. Playwright and
 * Puppeteer ignore every request without Fetch.requestPaused once they
 * intercept, even that of the document. A client may only continue it;
 * everything else is refused.
 */
setInFlightListener((networkId, frame, request, type) => {
  const resourceType = type === "Fetch" ? "XHR" : type;
  for (const session of patterns.keys()) {
    if (!wants(session, request.url, false, resourceType)) continue;
    const requestId = `interception-job-${mint()}`;
    inFlight.set(requestId, { session, headers: request.headers });
    if (inFlight.size > MAX_GOING) inFlight.delete(inFlight.keys().next().value!);
    session.emit("Fetch.requestPaused", {
      requestId,
      request: request as Protocol.Network.Request,
      frameId: frame.id,
      resourceType,
      networkId,
    });
  }
});
