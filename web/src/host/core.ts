// The Core of a Host: Targets, sessions, and the connection to the hub. It uses no DOM, so that it runs in a Worker
// as well as on the main thread.

import type { CdpEvent, Json, Response } from "../wire/cdp";
import type { Ask, Identity, ToCore } from "../wire/core";
import { hooked, methods } from "./browser";
import { Bridge, type Switchboard } from "./bridge";
import { DESTROYED, type Env, serverError } from "./channel";
import { carryOut } from "./commands";
import type { Downloads } from "./downloads";
import { type Consumer, Session } from "./session";
import { Target } from "./target";
import type { Owner } from "./targetview";
import { type Carried, plain, type Reply, read } from "./text";

export class Core implements Owner, Switchboard, Consumer {
  readonly targets = new Map<string, Target>();
  readonly proxied = new Map<string, string>();
  identity: Identity = { hostId: "", browser: { product: "", userAgent: "" }, hooks: [], origin: "", agent: false };

  private bridge?: Bridge;
  /** Sessions of the Host page itself. */
  private readonly locals = new Map<string, Session>();
  private nextCall = 1;
  private readonly asked = new Map<number, { resolve(r: Json): void; reject(e: Error): void }>();
  private listing = false;

  constructor(readonly env: Env) {}

  /** Handles a message of the Host page. */
  receive(m: ToCore): void {
    switch (m.do) {
      case "start":
        this.identity = m.identity;
        return;
      case "pair":
        return this.pair(m);
      case "unpair":
        return this.unpair(m.targetId);
      case "hello":
        return this.targets.get(m.targetId)?.hello(m.hello, m.origin);
      case "stranger":
        return this.targets.get(m.targetId)?.stranger(m.origin);
      case "left":
        for (const t of this.targets.values()) t.leftFor(m.origin);
        return;
      case "back":
        return this.targets.get(m.targetId)?.navigation.back();
      case "load":
        return this.targets.get(m.targetId)?.loaded(m.made);
      case "connect":
        this.bridge?.stop();
        this.bridge = new Bridge(this, m.url, m.token, m.standby);
        return;
      case "takeOver":
        return this.bridge?.takeOver();
      case "disconnect":
        this.bridge?.stop();
        this.bridge = undefined;
        return;
      case "attach":
        return this.attach(m.sessionId, m.targetId);
      case "detach":
        return this.detach(m.sessionId);
      case "command":
        return this.localCommand(m.sessionId, m.id, m.method, m.params ?? {});
      case "answer":
        return this.answered(m);
    }
  }

  // ------------------------------------------------------------ Targets

  private pair(m: Extract<ToCore, { do: "pair" }>): void {
    const known = this.targets.get(m.target.targetId);
    if (known) return known.remount(m.origins);
    const target = new Target({ ...m.target }, m.origins, this, m.opened, m.moved);
    this.targets.set(target.id, target);
    this.bridge?.created(target);
    this.env.post({ do: "probe", targetId: target.id });
    this.list();
  }

  private unpair(targetId: string): void {
    const target = this.targets.get(targetId);
    if (!target) return;
    this.targets.delete(targetId);
    target.end(DESTROYED);
    this.bridge?.destroyed(targetId);
    this.list();
  }

  changed(target: Target): void {
    if (target.link || (target.lost && target.known)) this.bridge?.changed(target);
    this.list();
  }

  /** Sends the list of Targets to the Host page, once for all changes of one task. */
  private list(): void {
    if (this.listing) return;
    this.listing = true;
    queueMicrotask(() => {
      this.listing = false;
      const targets = [...this.targets.values()].map((t) => ({
        ...t.info,
        connected: t.link !== undefined,
        reason: t.reason(),
        left: t.left,
      }));
      this.env.post({ do: "targets", targets });
    });
  }

  publish(target: Target, method: string, params: Carried): void {
    this.bridge?.broadcast(target.id, method, params);
    for (const s of target.sessions.values()) if (s.consumer === this) this.event(s, method, params);
  }

  // ------------------------------------------------------------ the page

  ask(ask: Ask): Promise<Json> {
    return new Promise((resolve, reject) => {
      const call = this.nextCall++;
      this.asked.set(call, { resolve, reject });
      this.env.post({ do: "ask", call, ask });
    });
  }

  private answered(m: Extract<ToCore, { do: "answer" }>): void {
    const waiting = this.asked.get(m.call);
    this.asked.delete(m.call);
    if (m.error) waiting?.reject(new Error(m.error.message));
    else waiting?.resolve(m.result ?? {});
  }

  // ------------------------------------------------------ local sessions

  private attach(sessionId: string, targetId: string): void {
    const target = this.targets.get(targetId);
    if (!target) return this.env.post({ do: "ended", sessionId, reason: "No target with given id found" });
    const session = new Session(sessionId, targetId, this);
    this.locals.set(sessionId, session);
    target.attach(session);
  }

  private detach(sessionId: string): void {
    const session = this.locals.get(sessionId);
    if (!session) return;
    this.locals.delete(sessionId);
    this.targets.get(session.targetId)?.detach(session);
  }

  private localCommand(sessionId: string, id: number, method: string, params: Json): void {
    const session = this.locals.get(sessionId);
    if (!session) {
      const error = { code: -32001, message: "Session with given id not found." };
      return this.answer(sessionId, id, { error });
    }
    this.command(session, method, params, (r) => this.answer(sessionId, id, r));
  }

  private answer(sessionId: string, id: number, reply: Reply): void {
    this.message(sessionId, { id, ...plain(reply) });
  }

  event(session: Session, method: string, params: Carried): void {
    this.message(session.id, { method, params: read(params) });
  }

  events(sessions: Session[], method: string, params: Carried): void {
    for (const s of sessions) this.event(s, method, params);
  }

  ended(session: Session, reason: string): void {
    this.locals.delete(session.id);
    this.env.post({ do: "ended", sessionId: session.id, reason });
  }

  private message(sessionId: string, message: Response | CdpEvent): void {
    this.env.post({ do: "message", sessionId, message });
  }

  // ----------------------------------------------------------- the relay

  downloads(): Downloads | undefined {
    return this.bridge?.downloads;
  }

  base(): string | undefined {
    return this.bridge?.base();
  }

  async putScript(key: string, source: string): Promise<boolean> {
    return this.bridge?.putScript(key, source) ?? false;
  }

  command(session: Session, method: string, params: Carried, reply: (r: Reply) => void): void {
    const target = this.targets.get(session.targetId);
    if (target) carryOut(target, session, method, params, reply);
    else reply({ error: serverError(DESTROYED) });
  }

  /** Answers a browser-level method that the message ready lists in `handles`. */
  async browserRequest(method: string, params: Json): Promise<Json> {
    const carryOut = [methods, hooked].find((list) => Object.hasOwn(list, method))?.[method];
    if (!carryOut) throw new Error(`Method not found: ${method}`);
    return carryOut(this, params as never);
  }
}
