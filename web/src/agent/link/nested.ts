// Agents in child frames of other origins. This agent is their Host: it answers
// their hello with a welcome, and adds them to its own sessions.

import type { Protocol } from "../../cdp";
import type { Answer, CdpEvent, Json, Response } from "../../wire/cdp";
import {
  type Attached,
  type Detached,
  type FromAgent,
  type Hello,
  type SessionState,
  type Subtree,
  VERSION,
  type Welcome,
  succeedsUnanswered,
} from "../../wire/frame";
import { CHILD_HANGS } from "../../wire/messages";
import { isOf } from "../../host/addresses";
import { emptyState, record } from "../../host/state";
import { contextIds } from "../runtime/contexts";
import { type Agent, type Frame, allFrames, frameOf, mainFrame } from "../page/frames";
import { documentMayHaveChanged } from "../page/framewatch";
import { hubAccess } from "./hub";
import { uplink } from "./uplink";
import { isLoaded } from "../page/lifecycle";
import { type Added, added } from "../base/added";
import { channel } from "../base/channels";
import { base, originals } from "../base/originals";
import { emit } from "../base/session";

/**
 * An agent with commands in flight is asked for a sign of life, as the hub asks this one (relay/pulse.go). Together
 * they are below the 10 s within which a command ends.
 */
const SIGN_MS = 2_000;
const SILENT_MS = 7_000;
const SILENT = { error: { code: -32000, message: CHILD_HANGS } };

const GONE = { error: { code: -32000, message: "Cannot find context with specified id" } };

/** The functions of files that import this one. */
interface Own {
  tree(): Protocol.Page.FrameTree;
  /** An element in the frame of this agent got the focus. */
  focus(n: Nested): void;
}

let own: Own;
/** The welcome of this agent's own Host. */
let welcome: Welcome | undefined;
const states = new Map<string, SessionState>();
/** Commands that are repeated in each later document, by session and method. */
const settings = new Map<string, Map<string, Json>>();

let due = false;

/** Starts the adoption of agents in child frames. */
export function watchNested(functions: Own): void {
  own = functions;
}

function framesChanged(): void {
  releaseLoads();
  if (due || !mainFrame().parentId) return;
  due = true;
  originals.queueMicrotask(tellSubtree);
}

Object.assign(added, { afterChildren: whenLoaded, framesChanged } satisfies Partial<Added>);

/** Reports changed frames and contexts to the parent agent. This message must precede the events about them. */
export function tellSubtree(): void {
  if (!due) return;
  due = false;
  uplink.control({
    icdp: "subtree",
    tree: own.tree(),
    bases: subtreeBases(),
    contexts: subtreeContexts(),
    loaded: isLoaded(mainFrame()),
  });
}

/** Tells the parent agent that an element in this frame got the focus. */
export function focusTaken(): void {
  if (mainFrame().parentId) uplink.control({ icdp: "focus" });
}

/** Called at the welcome: agents in child frames join the sessions of this agent. */
export function beginNesting(w: Welcome): void {
  welcome = w;
  framesChanged();
  states.clear();
  for (const s of w.state?.sessions ?? []) states.set(s.sessionId, s);
  for (const n of agents()) n.welcome(true);
}

/** Whether this agent can be the Host of child frames: its own Host must report frames. */
export function mayNest(): boolean {
  return welcome?.frameId !== undefined;
}

/** Id bases in use. A new document must not have one of them. */
export function takenBases(): number[] {
  return [...subtreeBases(), ...(welcome?.bases ?? [])];
}

/** A session has begun or ended. */
export function sessionChanged(message: Attached | Detached): void {
  const { sessionId } = message;
  if (message.icdp === "attached") states.set(sessionId, emptyState(sessionId));
  else {
    states.delete(sessionId);
    settings.delete(sessionId);
  }
  for (const n of agents()) n.post(message);
}

/** The agents directly below this one. */
export function agents(): Nested[] {
  return allFrames().flatMap((f) => (f.agent instanceof Nested ? [f.agent] : []));
}

function subtreeBases(): number[] {
  return [base, ...agents().flatMap((n) => n.bases)];
}

function subtreeContexts(): Protocol.Runtime.ExecutionContextDestroyedEvent[] {
  return [...contextIds(), ...agents().flatMap((n) => n.contexts)];
}

// ------------------------------------------------------------- loading

/** How long a document's load event waits for those of its child frames' agents. */
const LAG_MS = 1_000;
const waitingLoads: (() => void)[] = [];

/**
 * Runs f when every child frame's agent has reported its load event. In a browser, children load
 * before their parent.
 */
function whenLoaded(f: () => void): void {
  waitingLoads.push(f);
  originals.setTimeout(() => releaseLoads(true), LAG_MS);
  releaseLoads();
}

const waitingAnswers: (() => void)[] = [];

/**
 * Runs f, which sends an answer, once Clients know the document of each child frame that has fired load here. In a
 * browser, a Client knows a document before its load event runs script, and that script may cause the answer.
 */
export function whenReported(f: () => void): void {
  if (!allFrames().some(hasUnreportedDocument)) return f();
  waitingAnswers.push(f);
  originals.setTimeout(() => {
    for (const n of agents()) if (hasUnreportedDocument(n.frame)) n.loads = 0; // its agent does not respond
    releaseAnswers();
  }, LAG_MS);
}

/** Whether a frame has fired load here, but its agent has not reported the document yet. */
function hasUnreportedDocument(frame: Frame): boolean {
  const { agent, expected, url = frame.owner?.src } = frame;
  if (agent instanceof Nested) return !agent.loaded && agent.loads > 0;
  return expected === true && isProven(String(url));
}

/** Whether this document gives its proof to the origin of a URL. Documents of such an origin have an agent. */
function isProven(url: string): boolean {
  return welcome?.proof?.origins.some((o) => url.startsWith(`${o}/`)) === true;
}

function releaseAnswers(): void {
  if (!allFrames().some(hasUnreportedDocument)) for (const f of waitingAnswers.splice(0)) f();
}

/** Runs what waits for child frames, unless one of them is still loading. */
function releaseLoads(enough = false): void {
  releaseAnswers();
  if (waitingLoads.length === 0) return;
  if (!enough && allFrames().some((f) => f.expected || (f.agent && !(f.agent as Nested).loaded))) return;
  for (const f of waitingLoads.splice(0)) f();
}

// ------------------------------------------------------------- the agent

/** The params by which an event names its frame or context. */
interface AboutFrame {
  frameId?: string;
  frame?: { id: string; url: string };
  url?: string;
  executionContextId?: number;
  context?: { id: number };
  exceptionDetails?: { executionContextId?: number };
}

/** An agent in a child frame of another origin. */
export class Nested implements Agent {
  readonly docId?: string;
  /** Id bases of its document and of the agents below it. */
  bases: number[];
  contexts: Protocol.Runtime.ExecutionContextDestroyedEvent[] = [];
  tree: Protocol.Page.FrameTree;
  loaded = false;
  loads = 0;
  /** The sessions with workers of its document and of those below. */
  readonly workers = new Set<string>();
  private port?: MessagePort;
  private serial = 0;
  private watching?: number;
  /** Whether nothing has come since it was asked for a sign of life, and whether that was too long ago. */
  private asked = false;
  private silent = false;
  /** Whether it shows a dialog, which blocks it until a Client or the hub answers. */
  private asks = false;
  private readonly calls = new Map<number, { method: string; done: (answer: Answer) => void }>();

  constructor(
    readonly frame: Frame,
    hello: Hello,
    readonly origin: string,
    private readonly reply?: MessagePort,
  ) {
    this.docId = hello.docId;
    this.bases = [hello.base as number];
    this.tree = { frame: { id: frame.id, loaderId: frame.loaderId, url: hello.url } as Protocol.Page.Frame };
    frame.agent = this;
  }

  /**
   * Sends a channel and the state of all sessions. `navigated`: the agent reports its document to Clients as a new
   * one.
   */
  welcome(navigated: boolean): void {
    const { near, far } = channel((e) => this.receive(e.data));
    this.port?.close();
    this.port = near;
    const message: Welcome = {
      icdp: "welcome",
      v: VERSION,
      frameId: this.frame.id,
      parentId: this.frame.parent?.id,
      loaderId: this.frame.loaderId,
      navigated,
      name: this.frame.name,
      ...hubAccess(),
      popups: welcome?.popups,
      bases: takenBases(),
      sessionIds: welcome?.sessionIds,
      state: { sessions: [...states.values()] },
    };
    if (this.reply) this.reply.postMessage(message, [far]);
    else this.frame.proxy?.postMessage(message, this.origin, [far]);
    for (const [sessionId, list] of settings)
      for (const [method, params] of list) void this.call(method, params, sessionId);
  }

  post(message: object): void {
    this.port?.postMessage(originals.stringify(message));
  }

  /** Resolves to an answer with either result or error; never rejects. */
  call(method: string, params: object, sessionId: string): Promise<Answer> {
    const id = ++this.serial;
    return new Promise((done) => {
      // What was set holds once it answers again.
      if (!this.silent || SHARED.test(method)) this.post({ id, method, params, sessionId });
      if (this.silent) return done(SILENT);
      this.calls.set(id, { method, done });
      this.watch(SIGN_MS);
    });
  }

  /** Looks for signs of life until no command is in flight. */
  private watch(ms: number): void {
    this.watching ??= originals.setTimeout(() => {
      this.watching = undefined;
      if (this.calls.size === 0) return;
      this.silent = this.asked;
      if (this.silent) return this.fail(() => SILENT);
      this.asked = !this.asks;
      if (this.asked) this.post({ id: 0, method: "Runtime.getIsolateId" });
      this.watch(this.asked ? SILENT_MS : SIGN_MS);
    }, ms);
  }

  private fail(answer: (method: string) => Answer): void {
    for (const { method, done } of this.calls.values()) done(answer(method));
    this.calls.clear();
  }

  /** Its document is gone. */
  gone(): void {
    if (this.frame.agent !== this) return;
    this.frame.agent = undefined;
    this.frame.left = true;
    releaseLoads();
    this.port?.close();
    this.fail((method) => (succeedsUnanswered(method) ? { result: {} } : GONE));
    for (const id of framesIn(this.tree).slice(1).reverse()) {
      emit("Page", "Page.frameSubtreeWillBeDetached", { frameId: id });
      emit("Page", "Page.frameDetached", { frameId: id, reason: "remove" });
    }
    for (const ids of this.contexts) emit("Runtime", "Runtime.executionContextDestroyed", ids);
    for (const sessionId of this.workers) uplink.control({ icdp: "workerdetached", sessionId });
  }

  private receive(data: string): void {
    // A control message, an event or a response.
    const m = originals.parse(data) as (FromAgent | { icdp?: undefined }) & CdpEvent & Response;
    this.asked = this.silent = false;
    this.asks = m.icdp === "asks";
    if (m.icdp) return this.controlled(m);
    if (m.method) return this.speaksForItself(String(m.method), m.params ?? {}) ? uplink.send(data) : undefined;
    const call = this.calls.get(m.id);
    this.calls.delete(m.id);
    call?.done(m.error ? { error: m.error } : { result: m.result ?? {} });
  }

  /** Whether its document may have this URL, by its origin. */
  private isIts(url: unknown): boolean {
    return isOf(String(url), this.origin === "*" ? "null" : this.origin, ["null"]);
  }

  /** Whether the agent may send this event: it must not name frames, contexts or URLs of other documents. */
  private speaksForItself(method: string, p: AboutFrame): boolean {
    if (/^(Target|Browser)\./.test(method)) return false;
    if (method === "Page.frameNavigated" && p.frame?.id === this.frame.id && !this.isIts(p.frame.url)) return false;
    if (method === "Page.navigatedWithinDocument" && p.frameId === this.frame.id && !this.isIts(p.url)) return false;
    const about = frameOf((p.frameId ?? p.frame?.id) as string);
    if (about && about !== this.frame) return false;
    const context = p.executionContextId ?? p.context?.id ?? p.exceptionDetails?.executionContextId;
    return context === undefined || this.bases.includes(Math.floor(context / 1000));
  }

  private controlled(m: FromAgent): void {
    if (m.icdp === "subtree") {
      this.subtreeChanged(m);
    } else if (m.icdp === "nav" || m.icdp === "navabort") {
      // A newer Page.navigate of a Client (pending.done) wins over a navigation of the page.
      const other = m.icdp === "navabort" && m.loaderId && this.frame.pending?.loaderId !== m.loaderId;
      if (!this.frame.pending?.done && !other)
        this.frame.pending = m.icdp === "nav" ? { loaderId: m.loaderId, url: m.url } : undefined;
    } else if (m.icdp === "bye") {
      this.gone();
      documentMayHaveChanged(this.frame, this.loads > 1);
    } else if (m.icdp === "focus") {
      own.focus(this);
      focusTaken();
    } else this.requested(m);
  }

  /**
   * Stores the frames and contexts that the agent reports, without ids that belong to other agents: commands are
   * routed by these ids.
   */
  private subtreeChanged({ tree, bases, contexts, loaded }: Subtree): void {
    if (!Array.isArray(bases) || !Array.isArray(contexts) || !this.isIts(tree?.frame?.url)) return;
    const others = agents().filter((n) => n !== this);
    const taken = [base, ...others.flatMap((n) => n.bases)];
    const known = [...allFrames().map((f) => f.id), ...others.flatMap((n) => framesIn(n.tree))];
    const unknown = (t: Protocol.Page.FrameTree): Protocol.Page.FrameTree => ({
      ...t,
      ...(t.childFrames && { childFrames: t.childFrames.filter((c) => !known.includes(c.frame.id)).map(unknown) }),
    });
    this.bases = bases.filter((b) => !taken.includes(b));
    this.contexts = contexts.filter((c) => this.bases.includes(Math.floor(c.executionContextId / 1000)));
    this.tree = { ...unknown(tree), frame: { ...tree.frame, id: this.frame.id } };
    this.loaded = loaded;
    releaseLoads();
    this.frame.url = this.tree.frame.url;
    framesChanged();
  }

  /**
   * Passes a request on to the Host. An agent may control only windows that it opened: their ids begin with one of
   * its bases. The origin is "null", because the Host believes only this value from an agent.
   */
  private requested(m: FromAgent): void {
    if (m.icdp === "evalput") return void uplink.control(m);
    if (m.icdp === "workerattached") {
      if (!states.has(m.parent) && !this.workers.has(m.parent)) return; // of another agent's session
      this.workers.add(m.sessionId);
      return void uplink.control(m);
    }
    if (m.icdp === "workerdetached") return this.workers.delete(m.sessionId) ? void uplink.control(m) : undefined;
    if (m.icdp !== "open" && m.icdp !== "popup") return;
    if (!this.bases.includes(parseInt(String(m.openId), 10))) return;
    uplink.control({ ...m, ...("message" in m && m.message && { message: { ...m.message, origin: "null" } }) });
  }
}

/** The ids of a Page.FrameTree, parents before children. */
export function framesIn(tree: Protocol.Page.FrameTree): string[] {
  return [tree.frame.id, ...(tree.childFrames ?? []).flatMap(framesIn)];
}

// ------------------------------------------------------------- commands

/** Commands that concern a whole session: the agents of all its documents get them. */
const SHARED =
  /\.(enable|disable)$|^Target\.setAutoAttach$|^(Emulation|Network)\.(set|clear|emulate)|^Page\.(setLifecycle|addScript|removeScript|setIntercept)|^Runtime\.(add|remove)Binding|^Runtime\.(releaseObjectGroup|discard)|^Log\.clear|^Input\.set/;
/** The shared commands that SessionState has no field for. */
const KEPT = /^(Emulation|Network|Input)\.(set|clear|emulate)/;

/** Passes a command to the agent whose document has the worker of a session. Undefined if there is none. */
export function inNestedWorker(sessionId: string, method: string, params: Json): Promise<Answer> | undefined {
  return agents()
    .find((n) => n.workers.has(sessionId))
    ?.call(method, params, sessionId);
}

/** Passes a session-wide command on to the agents below, and keeps it for agents that connect later. */
export function share(method: string, params: Json, sessionId: string): void {
  if (!SHARED.test(method) || params.executionContextId !== undefined) return;
  const state = states.get(sessionId);
  if (state) record(state, method, params);
  if (KEPT.test(method)) {
    const list = settings.get(sessionId) ?? new Map<string, Json>();
    settings.set(sessionId, list.set(method, params));
  }
  for (const n of agents()) void n.call(method, params, sessionId);
}
