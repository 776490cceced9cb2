// One client's attachment to one Target, whether it came over the relay or
// from the page itself.

import type { Protocol } from "../cdp";
import type { SessionState } from "../wire/frame";
import { serverError } from "./channel";
import { emptyState } from "./state";
import type { Carried, Reply } from "./text";

/** Where a session's events go. */
export interface Consumer {
  /** For this session alone, where the consumer can tell its sessions apart. */
  event(session: Session, method: string, params: Carried): void;
  /** The same for several of its sessions on one Target. */
  events(sessions: Session[], method: string, params: Carried): void;
  /** The Target is gone, and the session with it. */
  ended(session: Session, reason: string): void;
  /** A session of a worker begins inside another. False where the consumer can have none. */
  opens?(session: Session, parent: Session, targetInfo: Protocol.Target.TargetInfo): boolean;
  /** It has ended. */
  closes?(session: Session, parent: Session, targetId: string): void;
}

/** What the page did, as the answer to a command: {} or the error's text. */
export function done(result: Promise<unknown>): Promise<Reply> {
  return result.then(
    (): Reply => ({ result: {} }),
    (e: Error): Reply => ({ error: serverError(e.message) }),
  );
}

export class Session {
  readonly state: SessionState;
  /** Set when it is over: what is still under way is dropped. */
  over = false;

  /**
   * `alias` is its name towards the agent. Sessions of a relay that cannot
   * address one of them share theirs, and the agent sees them as one.
   */
  constructor(
    readonly id: string,
    readonly targetId: string,
    readonly consumer: Consumer,
    readonly alias = id,
    /** It is one of a worker: whatever the Target's sessions have in common does not concern it. */
    readonly ofWorker = false,
  ) {
    this.state = emptyState(id);
  }

  has(domain: string): boolean {
    return this.state.domains.includes(domain) || (domain === "Fetch" && this.state.fetch !== undefined);
  }
}

/** A command on its way, whose params may be a Text. `kept` is the result it gets if its document goes first; see record. */
export interface Call {
  session: Session;
  method: string;
  params: object;
  reply(reply: Reply): void;
  kept?: Carried;
}

/** Methods that change nothing: if a document goes before it answers, the next one carries them out. */
export const repeatable: ReadonlySet<string> = new Set(["Page.captureScreenshot", "Page.getLayoutMetrics"]);
