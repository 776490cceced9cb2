// The commands of one Target: those that wait for an agent, and those that were sent and not answered yet.

import type { CdpError } from "../wire/cdp";
import { succeedsUnanswered } from "../wire/frame";
import { hexId, serverError } from "./channel";
import { type Call, type Session, repeatable } from "./session";
import { isRecorded, record } from "./state";
import type { Link } from "./targetview";
import { enclose, type Reply, read } from "./text";

/** How long a command waits for the next document's agent: the hub fails commands of a document that is silent so soon. */
const QUEUE_MS = 9_000;

const CONTEXT_GONE = serverError("Cannot find context with specified id");

/** What the commands need of their Target. */
interface CallsTarget {
  readonly link?: Link;
  readonly sessions: ReadonlyMap<string, Session>;
  /** Whether a document with an agent is expected. */
  readonly expects: boolean;
  /** The error for a command while there is no agent. `late`: an agent was expected, and did not come. */
  absent(late?: boolean): CdpError;
  /** The answer to a command while there is no agent, and none is expected. */
  unanswered(call: Call): Reply;
}

export class Calls {
  private nextId = 1;
  private readonly sent = new Map<number, Call>();
  private waiting: Call[] = [];

  constructor(private readonly target: CallsTarget) {}

  /** Sends a command to the agent now, or once there is one. */
  submit(call: Call): void {
    const { target } = this;
    if (target.link) return this.transmit(call, target.link);
    // The hub asks for a sign of life: no document is there that could be silent.
    if (!target.expects || call.method === "Runtime.getIsolateId") return call.reply(target.unanswered(call));
    this.waiting.push(call);
    setTimeout(() => {
      const i = this.waiting.indexOf(call);
      if (i < 0) return;
      this.waiting.splice(i, 1);
      call.reply({ error: target.absent(true) });
    }, QUEUE_MS);
  }

  /** An agent has been connected: sends the commands that wait. */
  connected(): void {
    for (const call of this.waiting.splice(0)) this.submit(call);
  }

  /** The document of the agent has gone: repeats commands that change nothing, and answers the others. */
  disconnected({ extended }: Link): void {
    const lost = [...this.sent.values()];
    this.sent.clear();
    for (const call of lost) {
      if (repeatable.has(call.method)) this.submit(call);
      else if (succeedsUnanswered(call.method)) call.reply({ result: {} });
      else call.reply(extended && call.kept ? { result: call.kept } : { error: CONTEXT_GONE });
    }
  }

  /** No agent is expected any more. */
  unexpected(): void {
    for (const call of this.waiting.splice(0)) call.reply(this.target.unanswered(call));
  }

  /** A session has ended: drops its waiting commands. */
  forget(session: Session): void {
    this.waiting = this.waiting.filter((c) => c.session !== session);
  }

  /** The Target has ended. */
  end(error: CdpError): void {
    const lost = [...this.sent.values(), ...this.waiting.splice(0)];
    this.sent.clear();
    for (const call of lost) call.reply({ error });
  }

  /** The agent has answered. */
  answered(m: Reply & { id: number }): void {
    const call = this.sent.get(m.id);
    if (!call) return;
    this.sent.delete(m.id);
    call.reply(m.error ? { error: m.error } : { result: m.result ?? {} });
  }

  private transmit(call: Call, link: Link): void {
    const { session, method } = call;
    let { params } = call;
    if (isRecorded(method)) params = read(params);
    if (method === "Page.addScriptToEvaluateOnNewDocument" && link.extended) {
      params = { ...params, identifier: hexId(16) };
    }
    if (!session.over && !session.ofWorker) call.kept = record(session.state, method, params) ?? call.kept;
    if (method.endsWith(".disable") && this.heldByOthers(session, method.slice(0, -".disable".length), link)) {
      return call.reply({ result: {} });
    }
    const id = this.nextId++;
    this.sent.set(id, call);
    link.port.postMessage(enclose({ id, method, sessionId: session.alias }, "params", params));
  }

  /**
   * Whether another session has the domain enabled, which for the agent is the same session: the domain must stay
   * enabled.
   */
  private heldByOthers(session: Session, domain: string, link: Link): boolean {
    for (const s of this.target.sessions.values()) {
      if (s !== session && s.has(domain) && (!link.extended || s.alias === session.alias)) return true;
    }
    return false;
  }
}
