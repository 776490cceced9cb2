// Sessions of this document: who is attached, what each has enabled.

import type { EventName, EventParams } from "../../cdp";
import { originals } from "./originals";

/** One client session on this Target, as this document knows it. */
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
    this.send(originals.stringify(this.id ? { method, params, sessionId: this.id } : { method, params }));
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

/** Sends an event to every session that enabled the domain; params may be minted per session. */
export function emit<M extends EventName>(
  domain: string,
  method: M,
  params: EventParams<M> | ((s: Session) => EventParams<M>),
): void {
  for (const s of sessions.values()) {
    if (s.enabled.has(domain))
      s.emit(method, typeof params === "function" ? (params as (s: Session) => EventParams<M>)(s) : params);
  }
}
