// Sessions of this document: who is attached, what each has enabled.

import type { EventName, EventParams } from "../../cdp";
import { originals } from "./originals";

/** One Client session on this Target, as this document knows it. */
export class Session {
  /** Domains switched on by X.enable. */
  readonly enabled = new Set<string>();
  /** Page.setLifecycleEventsEnabled. */
  lifecycle = false;

  /** `id` is empty for the one session of a version 1 Host, which names none. */
  constructor(
    readonly id: string,
    private readonly send: (message: string) => void,
  ) {}

  /** Sends an event to this session alone. */
  emit<M extends EventName>(method: M, params: EventParams<M>): void {
    this.send(originals.stringify({ method, sessionId: this.id || undefined, params }));
  }

  /** Sends an event to sessions of the page, of which this is the first; params is JSON text. */
  emitText(method: string, params: string, list: Session[]): void {
    const to =
      list.length > 1
        ? `"sessionIds":${originals.stringify(list.map((s) => s.id))}`
        : `"sessionId":${originals.stringify(this.id)}`;
    this.send(`{"method":${originals.stringify(method)},${to},"params":${params}}`);
  }
}

const sessions = new Map<string, Session>();

/** Every session, in order of attachment. */
export function allSessions(): Iterable<Session> {
  return sessions.values();
}

export function sessionOf(id: string): Session | undefined {
  return sessions.get(id);
}

export function addSession(s: Session): void {
  sessions.set(s.id, s);
}

/** Whether there is a session. */
export const hasSessions = (): boolean => sessions.size > 0;

/** Whether a session has enabled one of these domains. */
export function isEnabled(...domains: string[]): boolean {
  if (!sessions.size) return false;
  return [...sessions.values()].some((s) => domains.some((d) => s.enabled.has(d)));
}

const ended: ((s: Session) => void)[] = [];

/** Calls f for each session that ends, so that a domain can release what it kept for it. */
export function onSessionEnd(f: (s: Session) => void): void {
  ended.push(f);
}

export function endSession(id: string): void {
  const s = sessions.get(id);
  if (!s) return;
  sessions.delete(id);
  for (const f of ended) f(s);
}

let together = false;

/** Notes whether the Host takes an event for several sessions. */
export function sendTogether(is: boolean): void {
  together = is;
}

/** Params of an event: the same for all sessions, or a function that makes them for each. */
type ParamsFor<M extends EventName> = EventParams<M> | ((s: Session) => EventParams<M>);

/**
 * Sends an event to some sessions. Sessions with the same params get one message together, if the Host accepts that.
 */
export function emitTo<M extends EventName>(list: Session[], method: M, params: ParamsFor<M>): void {
  const of = (s: Session): EventParams<M> =>
    typeof params === "function" ? (params as (s: Session) => EventParams<M>)(s) : params;
  if (!together || list.length < 2) {
    for (const s of list) s.emit(method, of(s));
    return;
  }
  const texts = new Map<string, Session[]>();
  const same = typeof params === "function" ? undefined : originals.stringify(params);
  for (const s of list) {
    const text = same ?? originals.stringify(of(s)) ?? "{}";
    const those = texts.get(text);
    if (those) those.push(s);
    else texts.set(text, [s]);
  }
  for (const [text, those] of texts) those[0].emitText(method, text, those);
}

/** Sends an event to every session that enabled the domain; params may be minted per session. */
export function emit<M extends EventName>(domain: string, method: M, params: ParamsFor<M>): void {
  if (!sessions.size) return;
  const list: Session[] = [];
  sessions.forEach((s) => {
    if (s.enabled.has(domain)) list.push(s);
  });
  if (list.length) emitTo(list, method, params);
}
