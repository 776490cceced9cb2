// Requests of fetch and of asynchronous XMLHttpRequest pause until the Clients
// that asked for it have decided. With several sessions, the one that enabled
// Fetch first sees a request first and its response last.

import type { Protocol } from "../../cdp";
import type { FailCommand, FulfillCommand, GoCommand } from "../../wire/proxy";
import type { Session } from "../base/session";
import { mint } from "../base/originals";
import { FailedByClient } from "./draft";
import { added } from "../base/added";
import { type Job, addInterception, interceptors, matchesPattern, patterns } from "./intercept";
import { EditedRequest, headersSeen, judge, seenByScript } from "./requestchanges";
import { response } from "./responsefields";
import { withOverrides } from "./responses";
import { DeliveredAnswer } from "./xhrdelivery";

/** A request that Clients may change. */
type EditedJob = Omit<Job, "draft"> & { draft: EditedRequest };

/** Limit of redirects that Clients make up. The browser follows those of servers. */
const MAX_HOPS = 20;

addInterception({
  proceed,
  judge,
  headersSeen,
  seenByScript,
  answerFor: (xhr, call) => new DeliveredAnswer(xhr, call),
});

/** Sends a request after all Clients have let it go on. */
async function proceed(asked: Job): Promise<Response | undefined> {
  const job = { ...asked, draft: EditedRequest.of(asked.draft) };
  let draft: EditedRequest = job.draft;
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    job.signal.throwIfAborted();
    const r = await throughSessions(job, interceptors(draft.url), draft, false);
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

/** Lets each of the sessions decide about a request in order, then about its response in reverse order. */
async function throughSessions(
  job: EditedJob,
  sessions: Session[],
  draft: EditedRequest,
  toBeSeen: boolean,
): Promise<Response | undefined> {
  const [s, ...others] = sessions;
  if (!s) return job.send(draft === job.draft ? undefined : draft, toBeSeen);
  let seen = matchesPattern(s, draft.url, true);
  if (matchesPattern(s, draft.url, false)) {
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

/** The fields of requestPaused for a response or a failure. */
function responseStage(came: Response | Error | undefined): Partial<Protocol.Fetch.RequestPausedEvent> {
  if (came instanceof Error) return { responseErrorReason: "Failed" };
  return {
    responseStatusCode: came?.status,
    responseStatusText: came?.statusText,
    responseHeaders: [...(came?.headers ?? [])].map(([name, value]) => ({ name, value })),
  };
}

/** What a Client has decided. An empty object lets the request go on. */
export interface Decision {
  fulfil?: Response;
  draft?: EditedRequest;
  /** Whether the Client wants to see the response. */
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
  job: EditedJob;
  draft: EditedRequest;
  response?: Response;
}

/** A request that the proxy holds. */
export interface Remote extends Paused {
  /** Asks for the response's body, as base64. */
  body?: () => Promise<string>;
}

/** The decision about such a request; `do` is "go", "fulfill" or "fail". */
export type Verdict = Omit<GoCommand, "id"> | Omit<FulfillCommand, "id"> | Omit<FailCommand, "id">;

export const paused = new Map<string, Local | Remote>();

export const isRemote = (entry: Local | Remote): entry is Remote => !("job" in entry);

/** Pauses a request that the proxy holds for one session. With `body` it has a response. */
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
  job: EditedJob,
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

const MAX_IN_FLIGHT = 1000;
/** Requests that Clients were told are paused, and that are already on their way. */
export const inFlight = new Map<string, { session: Session; headers: Protocol.Network.Headers }>();

/**
 * Reports a request that is already on its way as paused. Playwright and
 * Puppeteer ignore every request without Fetch.requestPaused once they
 * intercept, even that of the document. A Client may only continue it;
 * everything else is refused.
 */
added.tellInFlight = (networkId, frame, request, type) => {
  const resourceType = type === "Fetch" ? "XHR" : type;
  for (const session of patterns.keys()) {
    if (!matchesPattern(session, request.url, false, resourceType)) continue;
    const requestId = `interception-job-${mint()}`;
    inFlight.set(requestId, { session, headers: request.headers });
    if (inFlight.size > MAX_IN_FLIGHT) inFlight.delete(inFlight.keys().next().value!);
    session.emit("Fetch.requestPaused", {
      requestId,
      request: request as Protocol.Network.Request,
      frameId: frame.id,
      resourceType,
      networkId,
    });
  }
};
