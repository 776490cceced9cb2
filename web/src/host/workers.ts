// The workers of a Target's page. Each is a target of its own, with sessions inside those of the page.

import type { Protocol } from "../cdp";
import type { WorkerAttached } from "../wire/frame";
import { Session } from "./session";
import type { TargetView } from "./targetview";

/** A session with a worker. */
interface WorkerSession {
  session: Session;
  /** The session of the page that it is in. */
  parent: Session;
  targetId: string;
}

const ID = /^[0-9A-F]{32}$/;

export class Workers {
  private readonly sessions = new Map<string, WorkerSession>();

  constructor(private readonly target: TargetView) {}

  /** The session with this alias. */
  session(alias: string): Session | undefined {
    return this.sessions.get(alias)?.session;
  }

  /** The agent has begun a session. */
  attached(m: WorkerAttached, parent: Session | undefined): void {
    const { sessionId, targetId, url, frameId } = m;
    const good = ID.test(sessionId) && ID.test(targetId) && typeof url === "string" && !this.sessions.has(sessionId);
    const targetInfo: Protocol.Target.TargetInfo = {
      targetId,
      type: "worker",
      title: url,
      url,
      attached: true,
      canAccessOpener: false,
      ...(typeof frameId === "string" && { parentFrameId: frameId }),
    };
    if (good && parent) {
      const session = new Session(sessionId, this.target.id, parent.consumer, sessionId, true);
      this.sessions.set(sessionId, { session, parent, targetId });
      if (parent.consumer.opens?.(session, parent, targetInfo)) return;
      this.sessions.delete(sessionId);
    }
    this.target.control({ icdp: "detached", sessionId });
  }

  /** The agent has ended a session. */
  ended(alias: string): void {
    const w = this.sessions.get(alias);
    if (!w) return;
    this.sessions.delete(alias);
    w.session.over = true;
    w.parent.consumer.closes?.(w.session, w.parent, w.targetId);
  }

  /** The Client has ended one of these sessions, or the page's session that contains it. */
  detach(session: Session): void {
    for (const [alias, w] of this.sessions) {
      if (w.session !== session && w.parent !== session) continue;
      this.sessions.delete(alias);
      w.session.over = true;
      this.target.control({ icdp: "detached", sessionId: alias });
    }
  }

  /** The document has gone, and its workers with it. */
  gone(): void {
    for (const alias of [...this.sessions.keys()]) this.ended(alias);
  }
}
