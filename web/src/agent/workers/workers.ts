// Dedicated workers as targets. A client that has Target.setAutoAttach on in a
// session of the page gets a session for each worker, inside that session.

import type { Protocol } from "../../cdp";
import type { Answer, CdpEvent, Json, Response } from "../../wire/cdp";
import type { FromAgent } from "../../wire/frame";
import { type FromWorker, type ToWorker, WORKER_NAME, type WorkerHello } from "../../wire/worker";
import { hexId, originals } from "../base/originals";
import { register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";
import { hubOfProxy } from "../link/hub";
import { watchBlobs, withAgent } from "./script";

type Win = Window & typeof globalThis;

/** What carries messages to the Host. */
interface Uplink {
  send(message: string): void;
  control(message: FromAgent): boolean;
}

let uplink: Uplink;

/** A worker whose agent has said hello. */
class AgentOfWorker {
  readonly id = hexId(32);
  /** The session of the page that each of its sessions is in. */
  readonly sessions = new Map<string, Session>();
  private serial = 0;
  private readonly calls = new Map<number, (a: Answer) => void>();

  constructor(
    readonly url: string,
    private readonly port: MessagePort,
  ) {
    port.onmessage = (e) => this.receive(e.data);
  }

  /** Begins a session inside one of the page, unless there is one. */
  attach(parent: Session): void {
    if ([...this.sessions.values()].includes(parent)) return;
    const sessionId = hexId(32);
    this.sessions.set(sessionId, parent);
    this.post({ worker: "attached", sessionId });
    uplink.control({ icdp: "workerattached", parent: parent.id, sessionId, targetId: this.id, url: this.url });
  }

  /** Ends a session. The Host knows of it unless `tell` is set. */
  detach(sessionId: string, tell: boolean): void {
    if (!this.sessions.delete(sessionId)) return;
    this.post({ worker: "detached", sessionId });
    if (tell) uplink.control({ icdp: "workerdetached", sessionId });
  }

  call(method: string, params: Json, sessionId: string): Promise<Answer> {
    const id = ++this.serial;
    return new Promise((done) => {
      this.calls.set(id, done);
      this.post({ id, method, params, sessionId });
    });
  }

  /** The worker has ended. */
  end(): void {
    if (!workers.delete(this)) return;
    for (const done of this.calls.values()) done({ error: { code: -32000, message: "Target closed" } });
    for (const id of [...this.sessions.keys()]) this.detach(id, true);
    this.port.close();
  }

  private post(message: ToWorker): void {
    this.port.postMessage(originals.stringify(message));
  }

  private receive(data: string): void {
    const m: FromWorker = originals.parse(data);
    if (m.worker === "closes") return this.end();
    if (m.id === undefined) return this.tell(m, data);
    const { id, result, error } = m as Response;
    const done = this.calls.get(id);
    this.calls.delete(id);
    done?.(error ? { error } : { result: result ?? {} });
  }

  /** Passes an event on, for one of its own sessions. */
  private tell(e: CdpEvent, data: string): void {
    if (this.sessions.has(e.sessionId ?? "")) uplink.send(data);
  }
}

const workers = new Set<AgentOfWorker>();
/** The sessions of the page that are attached to workers as they come. */
const attaching = new Set<Session>();

/** Begins: `up` carries messages to the Host. */
export function startWorkers(up: Uplink): void {
  uplink = up;
}

/** Passes a command to the worker whose session it is in. Undefined where that is none. */
export function inWorker(sessionId: string, method: string, params: Json): Promise<Answer> | undefined {
  for (const w of workers) if (w.sessions.has(sessionId)) return w.call(method, params, sessionId);
  return undefined;
}

/** The Host says that a session is over. */
export function workerDetached(sessionId: string): void {
  for (const w of workers) w.detach(sessionId, false);
}

/** Wraps what makes workers in a window. */
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
      const url = resolve(args[0], win);
      const changed = url ? withAgent(url) : undefined;
      // A worker of the app's own origin gets the agent from the proxy.
      const expected = changed !== undefined || (hubOfProxy() && url && new URL(url).origin === location.origin);
      const options = { ...args[1], name: WORKER_NAME + (args[1]?.name ?? "") };
      const worker: Worker = Reflect.construct(target, expected ? [changed ?? args[0], options] : args, newTarget);
      let agent: AgentOfWorker | undefined;
      const hear = (e: MessageEvent): void => {
        const m = e.data as WorkerHello | null;
        if (m?.icdp !== "worker" || !e.ports[0]) return;
        e.stopImmediatePropagation();
        worker.removeEventListener("message", hear);
        if (changed?.startsWith("blob:")) URL.revokeObjectURL(changed);
        agent = new AgentOfWorker(url, e.ports[0]);
        workers.add(agent);
        for (const s of attaching) agent.attach(s);
      };
      worker.addEventListener("message", hear);
      const end = (): void => {
        worker.removeEventListener("message", hear);
        agent?.end();
      };
      ends.set(worker, end);
      win.addEventListener("pagehide", end, { once: true });
      return worker;
    },
  });
}

/** The absolute address; "" for what is none, and what the browser is to say so of. */
function resolve(url: string | URL, win: Win): string {
  try {
    return new URL(String(url), win.document.baseURI).href;
  } catch {
    return "";
  }
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
      for (const w of workers) w.attach(s);
      return;
    }
    release(s, true);
  },
});

/** Ends what a session of the page has of workers. */
function release(s: Session, tell: boolean): void {
  attaching.delete(s);
  for (const w of workers) for (const [id, parent] of w.sessions) if (parent === s) w.detach(id, tell);
}

onSessionEnd((s) => release(s, false));
