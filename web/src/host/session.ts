// One Client's attachment to one Target, over the hub or from the Host page itself.

import type { Protocol } from "../cdp";
import type { SessionState } from "../wire/frame";
import { serverError } from "./channel";
import { emptyState } from "./state";
import type { Carried, Reply } from "./text";

/** Where a session's events go. */
export interface Consumer {
  /** An event for this session. A consumer that cannot tell its sessions apart sends it to all. */
  event(session: Session, method: string, params: Carried): void;
  /** An event for several sessions on one Target. */
  events(sessions: Session[], method: string, params: Carried): void;
  /** The Target is gone, and the session with it. */
  ended(session: Session, reason: string): void;
  /** A session with a worker begins inside another session. Returns false if the consumer supports none. */
  opens?(session: Session, parent: Session, targetInfo: Protocol.Target.TargetInfo): boolean;
  /** A session with a worker has ended. */
  closes?(session: Session, parent: Session, targetId: string): void;
}

/** The answer to a command that the page has carried out: {} or the error's text. */
export function done(result: Promise<unknown>): Promise<Reply> {
  return result.then(
    (): Reply => ({ result: {} }),
    (e: Error): Reply => ({ error: serverError(e.message) }),
  );
}

export class Session {
  readonly state: SessionState;
  /** Whether the session has ended. Answers that come later are dropped. */
  over = false;

  /**
   * `alias` is the sessionId that the agent sees. A hub of version 1 cannot address its sessions one by one: they
   * share an alias, and are one session for the agent.
   */
  constructor(
    readonly id: string,
    readonly targetId: string,
    readonly consumer: Consumer,
    readonly alias = id,
    /** Whether it is a session with a worker. It has no part in the state of the Target's sessions. */
    readonly ofWorker = false,
  ) {
    this.state = emptyState(id);
  }

  has(domain: string): boolean {
    return this.state.domains.includes(domain) || (domain === "Fetch" && this.state.fetch !== undefined);
  }
}

/** A command. `kept` is its result if the document goes before it answers: see record in state.ts. */
export interface Call {
  session: Session;
  method: string;
  params: object;
  reply(reply: Reply): void;
  kept?: Carried;
}

/** Methods that change nothing. If the document goes before it answers, the next document carries them out. */
export const repeatable: ReadonlySet<string> = new Set(["Page.captureScreenshot", "Page.getLayoutMetrics"]);
