// Dedicated workers as targets. A Client that has Target.setAutoAttach on in a
// session of the page gets a session for each worker, inside that session.

import type { Protocol } from "../../cdp";
import type { Answer, CdpEvent, Json, Response } from "../../wire/cdp";
import type { FromWorker, ToWorker, WantsLetter } from "../../wire/worker";
import { IN_WORKERS } from "../../methods";
import { added } from "../base/added";
import { hexId, originals } from "../base/originals";
import { ready } from "../base/parts";
import { ProtocolError, errorOf, handlerOf, register } from "../base/registry";
import { Session, onSessionEnd } from "../base/session";
import { methodsIn } from "../base/table";
import { refusal } from "../base/unsupported";
import { parseUrl } from "../../host/addresses";
import { hubOfProxy } from "../link/hub";
import { uplink } from "../link/uplink";
import { type Frame, type Win, frameOfDocument, mainFrame } from "../page/frames";
import { endOverrides, isOffline } from "../network/upstream";
import { atProxy } from "../page/moved";
import { agentText, agentUrl } from "./agenttext";
import { WorkerRequests, wantsNow } from "./requests";
import { awaitAgent, optionsFor, watchBlobs, withAgent } from "./script";

/** A worker whose agent has said hello. */
class AgentOfWorker {
  readonly id = hexId(32);
  /** Its sessions, each with the session of the page that it is in. */
  readonly sessions = new Map<string, { parent: Session; own: Session }>();
  private serial = 0;
  private offline = false;
  private readonly calls = new Map<number, (a: Answer) => void>();
  private readonly requests: WorkerRequests;
  private readonly frame: Frame;

  constructor(
    readonly url: string,
    private readonly port: MessagePort,
    private wants: WantsLetter,
    /** The window whose document has started it. */
    readonly win: Win,
    /** The worker that has started it, unless the page has. */
    readonly starter?: AgentOfWorker,
    private readonly key?: number,
  ) {
    this.frame = frameOfDocument(win.document) ?? mainFrame();
    this.requests = new WorkerRequests(
      url,
      win,
      (m) => this.post(m),
      () => [...this.sessions.values()].map((s) => s.own),
      () => this.refresh(),
    );
    port.onmessage = (e) => this.receive(e.data, e.ports[0]);
    this.refresh();
    workers.add(this);
    for (const s of attaching) if (workerOf(s) === starter) this.attach(s);
  }

  /** Tells the worker if Clients want something else of its requests. */
  refresh(): void {
    const wants = wantsNow([...this.sessions.values()].map((s) => s.own));
    const offline = isOffline();
    if (wants === this.wants && offline === this.offline) return;
    this.post({ worker: "wants", wants: (this.wants = wants), offline: (this.offline = offline) });
  }

  /** Begins a session inside one of the page, unless there is one. */
  attach(parent: Session): void {
    if ([...this.sessions.values()].some((s) => s.parent === parent)) return;
    const sessionId = hexId(32);
    this.sessions.set(sessionId, { parent, own: new Session(sessionId, uplink.send) });
    this.post({ worker: "attached", sessionId });
    uplink.control({
      icdp: "workerattached",
      parent: parent.id,
      sessionId,
      targetId: this.id,
      url: this.url,
      frameId: this.frame.id,
    });
  }

  /** Ends a session. With `tell`, the Host does not know of it yet. */
  detach(sessionId: string, tell: boolean): void {
    const s = this.sessions.get(sessionId);
    if (!s) return;
    this.sessions.delete(sessionId);
    release(s.own, tell);
    endOverrides(s.own);
    this.post({ worker: "detached", sessionId });
    this.refresh();
    if (tell) uplink.control({ icdp: "workerdetached", sessionId });
  }

  /** Carries a command out: what concerns requests here, all else in the worker. */
  call(method: string, params: Json, sessionId: string): Promise<Answer> {
    const { own } = this.sessions.get(sessionId)!;
    if (/^Network\.|^Target\.setAutoAttach$/.test(method)) return this.ofPage(method, params, own);
    return this.ask(method, params, sessionId);
  }

  private ask(method: string, params: Json, sessionId: string): Promise<Answer> {
    const id = ++this.serial;
    return new Promise((done) => {
      this.calls.set(id, done);
      this.post({ id, method, params, sessionId });
    });
  }

  private async ofPage(method: string, params: Json, s: Session): Promise<Answer> {
    try {
      if (method === "Network.enable") {
        this.requests.enable(s);
        // When the worker answers, it has handled the "wants" message before.
        await this.ask("Runtime.getIsolateId", {}, s.id);
      } else if (method === "Network.disable") this.requests.disable(s);
      else {
        const isThere = inWorkers.has(method);
        if (isThere) await ready(method);
        const handler = isThere && handlerOf(method);
        if (!handler) throw new ProtocolError(`'${method}' wasn't found in a worker of an embedded frame`, -32601);
        const no = refusal(method, params);
        if (no) throw new ProtocolError(no);
        return { result: (await handler(params, s)) ?? {} };
      }
      return { result: {} };
    } catch (e) {
      return { error: errorOf(e) };
    }
  }

  /** The worker has ended. */
  end(): void {
    if (!workers.delete(this)) return;
    for (const w of workers) if (w.starter === this) w.end();
    this.requests.end();
    for (const done of this.calls.values()) done({ error: { code: -32000, message: "Target closed" } });
    for (const id of [...this.sessions.keys()]) this.detach(id, true);
    this.port.close();
  }

  private post(message: ToWorker): void {
    this.port.postMessage(originals.stringify(message));
  }

  private receive(data: string, nested: MessagePort | undefined): void {
    const m: FromWorker = originals.parse(data);
    if (m.worker === "closes") return this.end();
    if (m.worker === "nested") return void (nested && new AgentOfWorker(m.url, nested, m.wants, this.win, this, m.key));
    if (m.worker === "nestedends") return [...workers].find((w) => w.starter === this && w.key === m.key)?.end();
    if (m.worker !== undefined) return this.requests.receive(m);
    if (m.id === undefined) return this.tell(m, data);
    const { id, result, error } = m as Response;
    const done = this.calls.get(id);
    this.calls.delete(id);
    done?.(error ? { error } : { result: result ?? {} });
  }

  /** Passes an event on, if it is for one of the worker's own sessions. */
  private tell(e: CdpEvent, data: string): void {
    if (this.sessions.has(e.sessionId ?? "")) uplink.send(data);
  }
}

/** Methods of the page's agent that also answer in a worker's session. */
const inWorkers = new Set(methodsIn(IN_WORKERS));

const workers = new Set<AgentOfWorker>();
/** The worker that a session belongs to; undefined for a session of the page. */
function workerOf(s: Session): AgentOfWorker | undefined {
  return [...workers].find((w) => w.sessions.get(s.id)?.own === s);
}
added.refreshWorkers = () => {
  for (const w of workers) w.refresh();
};
/** Sessions with auto-attach: each gets a session for every worker that its page, or its worker, starts. */
const attaching = new Set<Session>();

/** Passes a command to the worker that its session belongs to. Undefined if there is none. */
export function inWorker(sessionId: string, method: string, params: Json): Promise<Answer> | undefined {
  for (const w of workers) if (w.sessions.has(sessionId)) return w.call(method, params, sessionId);
  return undefined;
}

/** The Host has ended a session. */
export function workerDetached(sessionId: string): void {
  for (const w of workers) w.detach(sessionId, false);
}

/** Wraps Worker of a window. */
export function installWorkers(win: Win): void {
  if (!win.Worker) return;
  watchBlobs(win);
  const ends = new WeakMap<Worker, () => void>();
  const Native = win.Worker;
  const { terminate } = Native.prototype;
  Native.prototype.terminate = function (this: Worker): void {
    ends.get(this)?.();
    terminate.call(this);
  };
  win.Worker = new Proxy(Native, {
    construct(target, args: [string | URL, WorkerOptions?], newTarget) {
      args[0] = atProxy(`${args[0]}`, win.document.baseURI);
      const url = parseUrl(args[0], win.document.baseURI)?.href ?? ""; // the browser reports an invalid one itself
      const changed = url ? withAgent(url, agentText) : undefined;
      // The proxy adds the agent to worker scripts of the app's own origin, but to none of a blob: address.
      const ofApp = /^http/.test(url) && new URL(url).origin === location.origin;
      const expected = changed !== undefined || (hubOfProxy() && ofApp);
      const wants = wantsNow();
      const options = optionsFor(args[1], wants, !!hubOfProxy(), agentUrl());
      const worker: Worker = Reflect.construct(target, expected ? [changed ?? args[0], options] : args, newTarget);
      let agent: AgentOfWorker | undefined;
      const stop = awaitAgent(worker, changed, (port) => (agent = new AgentOfWorker(url, port, wants, win)));
      const end = (): void => {
        stop();
        agent?.end();
      };
      ends.set(worker, end);
      win.addEventListener("pagehide", end, { once: true });
      return worker;
    },
  });
  if (win.SharedWorker)
    win.SharedWorker = new Proxy(win.SharedWorker, {
      construct: (target, args: [string], newTarget) => {
        args[0] = atProxy(`${args[0]}`, win.document.baseURI);
        return Reflect.construct(target, args, newTarget);
      },
    });
  const { prototype } = win.ServiceWorkerContainer ?? {}; // not on an insecure origin
  if (!prototype) return;
  const { register: native } = prototype;
  prototype.register = {
    register(this: ServiceWorkerContainer, url: string | URL, options?: RegistrationOptions) {
      const { scope } = options ?? {};
      const moved = scope === undefined ? options : { ...options, scope: atProxy(scope, win.document.baseURI) };
      return native.call(this, atProxy(`${url}`, win.document.baseURI), moved);
    },
  }.register;
}

/** Whether a filter (Target.TargetFilter) takes workers: its first entry that fits decides. */
function takesWorkers(filter: Protocol.Target.TargetFilter | undefined): boolean {
  if (!filter) return true;
  const fits = filter.find((f) => f.type === undefined || f.type === "worker");
  return fits !== undefined && fits.exclude !== true;
}

register("Target", {
  setAutoAttach: (p: Protocol.Target.SetAutoAttachRequest, s: Session) => {
    if (p.autoAttach === true && takesWorkers(p.filter)) {
      attaching.add(s);
      for (const w of workers) if (w.starter === workerOf(s)) w.attach(s);
      return;
    }
    release(s, true);
  },
});

/** Ends a session's auto-attach, and its sessions with workers. */
function release(s: Session, tell: boolean): void {
  attaching.delete(s);
  for (const w of workers) for (const [id, { parent }] of w.sessions) if (parent === s) w.detach(id, tell);
}

onSessionEnd((s) => release(s, false));
