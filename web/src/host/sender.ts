// Writes the messages of a Bridge in the form that the hub has accepted.

import type { CommandResponse, HostMessage, TargetEvent } from "../wire/bridge";
import { Outbox, type Place } from "./outbox";
import type { Session } from "./session";
import { type Carried, enclose, type Reply, read } from "./text";

/** The envelope of a message with params, result or error. */
type Passed = Omit<CommandResponse, "result" | "error"> | Omit<TargetEvent, "params">;

export const placeOf = (...sessions: Session[]): Place => ({
  targetId: sessions[0].targetId,
  sessions: sessions.map((s) => s.id),
});

/** Bytes of the longest message: a response body of 100 MiB in base64 fits. The hub would close the connection of one above 256 MiB. */
export const LONGEST = 160 << 20;

/** The bytes of a text in UTF-8, counted only where it can have too many. */
const bytesOf = (text: string): number => (3 * text.length > LONGEST ? new Blob([text]).size : text.length);

/** Extensions that each hub must accept anew. */
const ANEW = ["payloadLast", "chunks", "downloads"];

export class Sender {
  /** The extensions that the hub has accepted. Empty if "sessions" is not among them. */
  accepted: ReadonlySet<string> = new Set();
  private readonly outbox: Outbox;

  /** `emit` sends a text, or drops it if there is no connection. */
  constructor(emit: (text: string) => void) {
    this.outbox = new Outbox(emit);
  }

  accept(features: string[]): void {
    this.accepted = new Set(features);
    this.outbox.chunked = this.accepted.has("chunks");
  }

  /**
   * The connection has ended. If sessions may be resumed, the accepted extensions stay. But the next hub may be an
   * older one: until it has accepted "payloadLast", "chunks" and "downloads", it gets none of them.
   */
  ended(keep: boolean): void {
    this.outbox.clear();
    this.accept(keep ? [...this.accepted].filter((f) => !ANEW.includes(f)) : []);
  }

  /** The hub has taken a chunk. */
  taken(): void {
    this.outbox.taken();
  }

  /** Sends a message that the Host itself has made. It stays behind those that it must not overtake. */
  send(message: HostMessage, place: Place = {}): void {
    this.outbox.send(JSON.stringify(message), place);
  }

  answer(sessionId: string, targetId: string | undefined, id: number, reply: Reply): void {
    const { error, result = {} } = reply;
    const place = { targetId, sessions: [sessionId] };
    this.pass({ kind: "response", sessionId, id }, error ? "error" : "result", error ?? result, place);
  }

  event(session: Session, method: string, params: Carried): void {
    const to = this.accepted.size ? { sessionId: session.id } : {};
    this.pass({ kind: "event", targetId: session.targetId, ...to, method }, "params", params, placeOf(session));
  }

  /** Sends an event to several sessions of one Target. Sessions without waiting messages get it at once. */
  events(sessions: Session[], method: string, params: Carried): void {
    const [{ targetId }] = sessions;
    if (sessions.length === 1 || !this.accepted.has("sessionIds")) {
      for (const s of sessions) this.event(s, method, params);
      return;
    }
    const waits = this.outbox.holds({ targetId }) ? (s: Session) => this.outbox.holds(placeOf(s)) : () => false;
    const waiting = sessions.filter(waits);
    const free = waiting.length ? sessions.filter((s) => !waiting.includes(s)) : sessions;
    for (const list of [free, waiting]) {
      if (!list.length) continue;
      const place = placeOf(...list);
      this.pass({ kind: "event", targetId, sessionIds: place.sessions, method }, "params", params, place);
    }
  }

  /** Sends an event to every session that the hub has on the Target. `sessions` lists them. */
  broadcast(targetId: string, sessions: () => Session[], method: string, params: Carried): void {
    const own = this.outbox.holds({ targetId }) ? sessions() : [];
    if (own.length) this.events(own, method, params);
    else this.pass({ kind: "event", targetId, method }, "params", params, { targetId });
  }

  /**
   * Sends a message. Unread text goes only to a hub with "payloadLast": such a hub sees where it ends, and any text
   * may be in it. An app decides how long its messages are, and all frames share the connection: in place of one that
   * is too long, an answer is an error, and an event is an entry of the log.
   */
  private pass(envelope: Passed, name: "params" | "result" | "error", carried: object, place: Place): void {
    let text = enclose(envelope, name, this.accepted.has("payloadLast") ? carried : read(carried));
    const bytes = bytesOf(text);
    if (bytes > LONGEST) {
      const what = `has ${bytes >> 20} MiB, and at most ${LONGEST >> 20} MiB are sent: ask for a part of it`;
      if (envelope.kind === "response") {
        text = enclose(envelope, "error", { code: -32000, message: `The answer ${what}` });
      } else {
        const entry = {
          source: "other",
          level: "error",
          text: `An event ${envelope.method} is left out, as it ${what}`,
          timestamp: Date.now(),
        };
        text = enclose({ ...envelope, method: "Log.entryAdded" }, "params", { entry });
      }
    }
    this.outbox.send(text, place);
  }
}
