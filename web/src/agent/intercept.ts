// The Fetch domain: requests of window.fetch pause until a client decides.

import type { Json } from "../protocol";
import { mint } from "./originals";
import { ProtocolError, register } from "./registry";
import { type Session, onSessionEnd } from "./session";

/** What becomes of a paused request. */
export type Decision =
  | { kind: "continue"; url?: string; method?: string; headers?: [string, string][]; body?: Uint8Array }
  | { kind: "fulfil"; status: number; statusText: string; headers: [string, string][]; body: Uint8Array }
  | { kind: "fail"; reason: string };

const patterns = new Map<Session, RegExp[]>();
const paused = new Map<string, { session: Session; decide(d: Decision): void }>();

/** The session that wants this request paused, if any: the first that enabled Fetch. */
function interceptor(url: string): Session | undefined {
  for (const [s, list] of patterns) if (list.some((p) => p.test(url))) return s;
  return undefined;
}

/** Pauses a request until its session decides; undefined when nobody wants it. */
export function intercept(networkId: string, request: Json, resourceType: string, frameId: string): Promise<Decision> | undefined {
  const session = interceptor(request.url);
  if (!session) return undefined;
  const requestId = `interception-${mint()}`;
  return new Promise((decide) => {
    paused.set(requestId, { session, decide });
    session.emit("Fetch.requestPaused", { requestId, request, frameId, resourceType, networkId });
  });
}

function take(p: Json, s: Session): (d: Decision) => void {
  const entry = paused.get(p.requestId);
  if (!entry || entry.session !== s) throw new ProtocolError("Invalid InterceptionId.", -32602);
  paused.delete(p.requestId);
  return entry.decide;
}

function release(s: Session): void {
  patterns.delete(s);
  for (const [id, entry] of paused) {
    if (entry.session !== s) continue;
    paused.delete(id);
    entry.decide({ kind: "continue" });
  }
}

/** A url pattern: "*" any text, "?" one character, a backslash takes the next as it is. */
function pattern(glob: string): RegExp {
  const text = glob.replace(/\\(.)|([*?])|([.+^${}()|[\]\\])/g, (_all, taken, wild, special) =>
    taken ? taken.replace(/\W/, "\\$&") : wild === "*" ? ".*" : wild ? "." : `\\${special}`);
  return new RegExp(`^${text}$`, "s");
}

function bytes(base64: string | undefined): Uint8Array | undefined {
  return base64 === undefined ? undefined : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

const pairs = (list: Json[] | undefined): [string, string][] | undefined => list?.map((h) => [h.name, h.value]);

register("Fetch", {
  enable: (p, s) => {
    const wanted: Json[] = p.patterns ?? [{}];
    patterns.set(s, wanted.filter((x) => x.requestStage !== "Response").map((x) => pattern(x.urlPattern ?? "*")));
  },
  disable: (_p, s) => release(s),
  continueRequest: (p, s) =>
    take(p, s)({ kind: "continue", url: p.url, method: p.method, headers: pairs(p.headers), body: bytes(p.postData) }),
  fulfillRequest: (p, s) => take(p, s)({
    kind: "fulfil", status: p.responseCode, statusText: p.responsePhrase ?? "",
    headers: pairs(p.responseHeaders) ?? [], body: bytes(p.body) ?? new Uint8Array(),
  }),
  failRequest: (p, s) => take(p, s)({ kind: "fail", reason: p.errorReason }),
});

onSessionEnd(release);
