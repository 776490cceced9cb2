// The commands of the Fetch domain.

import type { Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";
import { impossible } from "../base/unsupported";
import { isUrl } from "../base/urls";
import { proxyBase } from "../link/hub";
import { FailedByClient } from "./draft";
import { patterns } from "./intercept";
import { base64, bytesOf } from "./payload";
import {
  type Decision,
  type Local,
  type Paused,
  type Remote,
  type Verdict,
  inFlight,
  isRemote,
  paused,
} from "./pausing";
import { checkChanges, madeUpResponse, netErrorOfReason, pairs } from "./requestchanges";
import { refreshUpstream } from "./upstream";

/** The params of the commands that end a pause. */
type ReleasingParams = Pick<
  Protocol.Fetch.ContinueRequestRequest,
  "requestId" | "url" | "method" | "headers" | "postData"
>;

/** Continues a request that is already on its way. Returns false when the id is that of a paused one. */
function releaseInFlight(p: ReleasingParams, s: Session, method: string): boolean {
  const entry = inFlight.get(p.requestId);
  if (entry?.session !== s) return false;
  inFlight.delete(p.requestId);
  const same = pairs(p.headers)?.every(([name, value]) => entry.headers[name] === value) ?? true;
  if (method === "continueRequest" && same && p.url === undefined && p.method === undefined && p.postData === undefined)
    return true;
  const why = "only requests of fetch and of asynchronous XMLHttpRequest can be held back";
  throw new ProtocolError(impossible(`Fetch.${method}`, why));
}

function pausedRequest(p: { requestId: string }, s: Session): Local | Remote {
  const entry = paused.get(p.requestId);
  if (!patterns.has(s)) throw new ProtocolError("Fetch domain is not enabled");
  if (!entry || entry.session !== s) throw new ProtocolError("Invalid InterceptionId.", -32602);
  return entry;
}

/** Applies a decision. The id is invalid from then on, as in Chromium. */
function decide(p: { requestId: string }, entry: Paused, d: Decision | Error): void {
  paused.delete(p.requestId);
  if (d instanceof Error) entry.fail(d);
  else entry.decide(d);
}

function release(s: Session): void {
  patterns.delete(s);
  void refreshUpstream();
  for (const [requestId, entry] of inFlight) if (entry.session === s) inFlight.delete(requestId);
  for (const [requestId, entry] of paused) if (entry.session === s) decide({ requestId }, entry, { seen: false });
}

/** A url pattern: "*" any text, "?" one character, a backslash takes the next as it is. */
function pattern(glob: string): RegExp {
  const text = glob.replace(/\\(.)|([*?])|([.+^${}()|[\]\\])/g, (_all, taken, wild, special) =>
    taken ? taken.replace(/\W/, "\\$&") : wild === "*" ? ".*" : wild ? "." : `\\${special}`,
  );
  return new RegExp(`^${text}$`, "s");
}

/** Fetch.continueRequest for a request that the proxy holds. */
function continueVerdict(p: Protocol.Fetch.ContinueRequestRequest): Verdict {
  const { url, method, headers, postData, interceptResponse } = p;
  if (url !== undefined && (!isUrl(url) || new URL(url).origin !== new URL(proxyBase() ?? location.href).origin)) {
    throw new ProtocolError(
      isUrl(url) ? impossible("Fetch.continueRequest", "the proxy has one app only") : "Invalid URL",
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

/** The params of a made-up response. Without a responseCode they are refused. */
type MadeUp = Pick<Protocol.Fetch.FulfillRequestRequest, "responseCode" | "responsePhrase" | "responseHeaders">;

/** Fetch.fulfillRequest for a request that the proxy holds. */
function fulfillVerdict(p: MadeUp, more: { body?: string }): Verdict {
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
  if (releaseInFlight(p, s, "continueRequest")) return;
  const entry = pausedRequest(p, s);
  if (entry.atResponse) return decide(p, entry, {});
  if (isRemote(entry)) return decide(p, entry, { verdict: continueVerdict(p) });
  const changes = {
    url: p.url,
    method: p.method,
    headers: pairs(p.headers),
    body: p.postData === undefined ? undefined : bytesOf(p.postData),
  };
  const changed = Object.values(changes).some((c) => c !== undefined);
  if (changed) checkChanges(entry.draft, changes, entry.job.exchange.request.headers);
  decide(p, entry, {
    ...(changed && { draft: entry.draft.with(changes) }),
    ...(p.interceptResponse !== undefined && { seen: p.interceptResponse }),
  });
}

function continueResponse(p: Protocol.Fetch.ContinueResponseRequest, s: Session): void {
  const entry = pausedRequest(p, s);
  if (!entry.atResponse) throw new ProtocolError("Invalid state for continueInterceptedRequest");
  if (isRemote(entry))
    return decide(p, entry, p.responseCode === undefined ? {} : { verdict: fulfillVerdict(p as MadeUp, {}) });
  const { response } = entry;
  if (p.responseCode === undefined || !response) return decide(p, entry, {});
  decide(p, entry, { fulfil: madeUpResponse(entry.job.win, entry.draft.shown, p as MadeUp, response.body, response) });
}

function fulfillRequest(p: Protocol.Fetch.FulfillRequestRequest, s: Session): void {
  releaseInFlight(p, s, "fulfillRequest");
  const entry = pausedRequest(p, s);
  if (isRemote(entry))
    return decide(p, entry, { verdict: fulfillVerdict(p, p.body === undefined ? {} : { body: p.body }) });
  const body = p.body === undefined ? undefined : bytesOf(p.body);
  decide(p, entry, {
    fulfil: madeUpResponse(entry.job.win, entry.draft.shown, p, body ?? entry.response?.body ?? null, entry.response),
  });
}

function failRequest(p: Protocol.Fetch.FailRequestRequest, s: Session): void {
  const text = netErrorOfReason(p.errorReason);
  if (!text) throw new ProtocolError("Unknown errorReason", -32602);
  releaseInFlight(p, s, "failRequest");
  decide(p, pausedRequest(p, s), new FailedByClient(text));
}

async function getResponseBody(
  p: Protocol.Fetch.GetResponseBodyRequest,
  s: Session,
): Promise<Protocol.Fetch.GetResponseBodyResponse> {
  const entry = pausedRequest(p, s);
  if (isRemote(entry) && entry.body) return { body: await entry.body(), base64Encoded: true };
  const { response, atResponse } = entry as Local;
  if (!atResponse || !response) {
    throw new ProtocolError("Can only get response body on HeadersReceived pattern matched requests.");
  }
  return { body: base64(new Uint8Array(await response.clone().arrayBuffer())), base64Encoded: true };
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
    return refreshUpstream();
  },
  disable: (_p, s) => release(s),
  continueRequest,
  continueResponse,
  fulfillRequest,
  failRequest,
  getResponseBody,
});

onSessionEnd(release);
