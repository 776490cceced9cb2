// A Target: the document of one Pairing, the channel to its agent, and its
// sessions.

import type { EventName, EventParams } from "../cdp";
import type { CdpError, CdpEvent, Json } from "../wire/cdp";
import {
  type Downloaded,
  type FromAgent,
  type Hello,
  type HubAccess,
  type SessionState,
  type ToAgent,
  VERSION,
  type Welcome,
} from "../wire/frame";
import type { TargetInfo } from "../wire/bridge";
import { AgentAbsence, absent } from "./absence";
import type { Moved, Opened } from "../wire/core";
import { isOf } from "./addresses";
import { Calls } from "./calls";
import { type Port, serverError } from "./channel";
import { isMade } from "./data";
import { EmulationStack } from "./emulation";
import { LostDocument } from "./lost";
import { Navigation } from "./navigation";
import { Popups } from "./popups";
import type { Call, Consumer, Session } from "./session";
import { merge } from "./state";
import { Workers } from "./workers";
import { type Link, type Owner, SUCCESSOR_MS, type TargetView } from "./targetview";
import { type Carried, open, type Reply, read } from "./text";

/** How long an agent may take to say hello after its document's load event. */
const SETTLE_MS = 1_500;
/**
 * How long an agent may take after the end of the document before, or a load event, where the browser has said that
 * the next document is of an origin that is not allowed. The load event may come before that end.
 */
const LEFT_MS = 500;

const NO_AGENT = "net::ERR_FAILED (no Frame Agent answered in the new document)";

/** Events with a document's URL, which must be of the document's own origin. */
const ABOUT_ADDRESS = /^Page\.(frameN|n)avigated/;

/** Whether an envelope names the answered command, or the sessions of an event. */
const isEnough = ({ id, method, sessionId, sessionIds }: Json): boolean =>
  (id ?? method) !== undefined && (sessionId ?? sessionIds) !== undefined;

/** Whether a message has a file: all others are text. */
const isDownloaded = (data: unknown): data is Downloaded => (data as Downloaded | null)?.icdp === "downloaded";

export class Target implements TargetView {
  readonly sessions = new Map<string, Session>();
  /** The sessions by alias. */
  private readonly aliases = new Map<string, Session[]>();
  readonly emulation: EmulationStack = new EmulationStack(this);
  readonly navigation: Navigation = new Navigation(this);
  readonly popups: Popups;
  readonly workers: Workers = new Workers(this);
  link?: Link;
  /** Whether an agent has ever answered. */
  known = false;
  loaderId = "";
  /** The key of this Target for POST /dialog of the hub. */
  dialogKey?: string;

  private readonly absence = new AgentAbsence();
  /** What stands for the current document, while no agent answers or is expected. */
  lost?: LostDocument;
  /** A Client has asked for the end. */
  closing = false;
  private readonly calls: Calls = new Calls(this);
  /** Runs while a document is expected. */
  private expecting?: ReturnType<typeof setTimeout>;
  private readonly whenConnected: ((now: boolean) => void)[] = [];

  constructor(
    readonly info: TargetInfo,
    public origins: string[],
    readonly owner: Owner,
    opened?: Opened,
    readonly moved: Moved = {},
  ) {
    this.popups = new Popups(this, opened);
    this.expect(SUCCESSOR_MS);
  }

  get id(): string {
    return this.info.targetId;
  }

  /** Whether the Host has made the current document, by its URL. */
  isMade(): boolean {
    return isMade(this.info.url) && this.owner.identity.agent && (!this.link || this.link.origin === "null");
  }

  /** Resolves to true at the first hello; to false if no document with an agent is expected any more. */
  connected(): Promise<boolean> {
    if (this.link) return Promise.resolve(true);
    return new Promise((resolve) => this.whenConnected.push(resolve));
  }

  // ---------------------------------------------------------- documents

  /** A frame said hello: adopt its document, unless it is the one we have. */
  hello(hello: Hello, origin: string): void {
    if (this.link && hello.docId !== undefined && hello.docId === this.link.docId) return;
    if (this.link) this.gone();
    if (this.navigation.overtakes(origin, hello.docId)) return;
    this.stopExpecting();
    this.absence.clear();

    const navigated = this.known || this.lost !== undefined;
    if (this.lost) this.emit("Runtime", "Runtime.executionContextsCleared", {});
    this.lost = undefined;
    const { near, far } = this.owner.env.channel();
    this.link = { port: near, origin, docId: hello.docId, extended: hello.features?.includes("sessions") ?? false };
    this.known = true;
    this.info.title = hello.title;
    this.info.url = hello.url;
    near.onmessage = (e) => this.fromAgent(near, e.data);

    if (hello.features?.includes("proxied")) this.owner.proxied.set(origin, hello.proxyKey ?? "");
    this.loaderId = this.navigation.arrived(hello.url, navigated && this.link.extended);
    this.owner.env.post({ do: "welcome", targetId: this.id, origin, welcome: this.welcome(navigated), port: far });
    if (hello.error) this.navigation.refuse(hello.error);
    else this.navigation.succeed();
    this.popups.tellOpener({ url: hello.url });
    this.owner.changed(this);
    for (const f of this.whenConnected.splice(0)) f(true);
    this.calls.connected();
  }

  /** A document said hello whose origin is not allowed. */
  stranger(origin: string): void {
    if (!this.link && this.absence.stranger(origin)) this.owner.changed(this);
  }

  /** The browser has navigated a frame of the page, maybe this one, to an origin that is not allowed. */
  leftFor(origin: string): void {
    this.absence.left = origin;
    if (!this.link) this.owner.changed(this);
  }

  /** Where the frame is instead of the app, as far as that is known. */
  get left(): string {
    return this.lost ? this.absence.left : "";
  }

  /** Why no agent answers, as far as that is known. */
  reason(): string {
    return this.link ? "" : this.absence.reason(this.origins, this.moved, this.owner.identity.origin);
  }

  /** Where the app is, to which a frame without an agent is led back. */
  get back(): string {
    const url = this.lost?.before ?? this.info.url;
    return isMade(url) ? this.origins[0] : url;
  }

  get expects(): boolean {
    return this.expecting !== undefined;
  }

  absent(late = this.known): CdpError {
    return absent(late, this.reason(), this.back);
  }

  /** The answer to a command while there is no agent, and none is expected. */
  unanswered(call: Call): Reply {
    return this.lost?.answer(call) ?? { error: this.absent() };
  }

  /** The state of the sessions that the next document starts with. */
  state(): SessionState[] {
    const byAlias = new Map<string, SessionState[]>();
    for (const s of this.sessions.values()) {
      byAlias.set(s.alias, [...(byAlias.get(s.alias) ?? []), s.state]);
    }
    return [...byAlias].map(([alias, states]) => merge(alias, states));
  }

  private welcome(navigated: boolean): Welcome {
    const plain: Welcome = { icdp: "welcome", v: VERSION };
    if (!this.link?.extended) return plain;
    const opener = this.popups.opened?.noopener === false;
    const windows = {
      popups: this.owner.identity.hooks.includes("Target.createTarget"),
      opened: this.popups.opened !== undefined,
      opener,
      ...(opener && { openId: this.popups.opened?.openId, openerId: this.info.openerId }),
    };
    return {
      ...plain,
      frameId: this.id,
      loaderId: this.loaderId,
      navigated,
      state: { sessions: this.state() },
      sessionIds: true,
      downloads: true,
      ...windows,
      ...this.hub(),
    };
  }

  private hub(): HubAccess {
    const base = this.owner.base();
    const proxied = [this.link?.origin ?? "", ...this.origins].find((o) => this.owner.proxied.has(o));
    const proxyKey = proxied && this.owner.proxied.get(proxied);
    return {
      ...(base && { base }),
      ...(this.dialogKey && { key: this.dialogKey }),
      ...(proxied && { proxy: `${proxied}/__hub` }),
      ...(proxyKey && { proxyKey }),
    };
  }

  /** The iframe's load event. A blank document that the Host makes fires it before it requests its agent. */
  loaded(made = false): void {
    // document.close() fires load as well, so while the old document is there the
    // event means nothing. Only a version 1 agent does not announce its unload.
    if (this.link && (this.link.extended || !this.navigation.pending)) return;
    if (!this.lost || this.expects) {
      this.expect(made ? SUCCESSOR_MS : this.absence.left ? LEFT_MS : SETTLE_MS, NO_AGENT);
      this.absence.renew();
    }
    if (!this.link) this.owner.env.post({ do: "probe", targetId: this.id });
  }

  /** The current document is going or gone. */
  gone(): void {
    const { link } = this;
    if (!link) return;
    link.port.onmessage = null;
    link.port.close();
    this.link = undefined;
    this.workers.gone();
    this.owner.downloads()?.left(this.id);
    this.expect(this.absence.left ? LEFT_MS : SUCCESSOR_MS, this.absence.left ? NO_AGENT : undefined);
    this.emit("Runtime", "Runtime.executionContextsCleared", {});
    this.calls.disconnected(link);
    this.owner.changed(this);
  }

  /** The Pairing has another iframe element now. */
  remount(origins: string[]): void {
    this.origins = origins;
    this.gone();
    this.expect(SUCCESSOR_MS);
    this.owner.env.post({ do: "probe", targetId: this.id });
  }

  /** A document with an agent should come within ms; commands wait for it. */
  expect(ms: number, errorText = "net::ERR_TIMED_OUT"): void {
    clearTimeout(this.expecting);
    this.expecting = setTimeout(() => this.lose(errorText), ms);
  }

  /** No document with an agent has come. */
  private lose(errorText: string): void {
    this.gone();
    this.stopExpecting();
    this.navigation.lost(errorText);
    this.absence.silent();
    this.lost = new LostDocument(this, this.lost?.before ?? this.info.url, () => this.absent().message);
    if (this.known) this.lost.rename(this.absence.left);
    for (const f of this.whenConnected.splice(0)) f(false);
    this.calls.unexpected();
    this.lost.announce();
    this.owner.changed(this);
  }

  private stopExpecting(): void {
    clearTimeout(this.expecting);
    this.expecting = undefined;
  }

  // ----------------------------------------------------------- commands

  /** Sends a command to the agent now, or once there is one. */
  submit(call: Call): void {
    this.calls.submit(call);
  }

  // ----------------------------------------------------------- sessions

  /** A session begins. The agent gets `attached` before the session's first command. */
  attach(session: Session): void {
    const same = this.aliases.get(session.alias) ?? [];
    this.sessions.set(session.id, session);
    this.aliases.set(session.alias, [...same, session]);
    if (same.length === 0) this.control({ icdp: "attached", sessionId: session.alias, ...this.hub() });
  }

  /** A session ends: what it set is undone. */
  detach(session: Session): void {
    this.workers.detach(session);
    if (session.ofWorker) return;
    this.sessions.delete(session.id);
    const others = (this.aliases.get(session.alias) ?? []).filter((s) => s !== session);
    if (others.length) this.aliases.set(session.alias, others);
    else this.aliases.delete(session.alias);
    session.over = true;
    this.calls.forget(session);
    this.emulation.release(session);
    if (this.link?.extended && others.length === 0) {
      this.control({ icdp: "detached", sessionId: session.alias });
      return;
    }
    if (!this.link) return;
    for (const domain of [...session.state.domains, ...(session.state.fetch ? ["Fetch"] : [])]) {
      this.submit({ session, method: `${domain}.disable`, params: {}, reply: () => {} });
    }
  }

  /** Whether a consumer has a session on this Target. */
  serves(consumer: Consumer): boolean {
    for (const s of this.sessions.values()) if (s.consumer === consumer) return true;
    return false;
  }

  /** Sends a control message to an extended agent. */
  control(message: ToAgent): void {
    if (this.link?.extended) this.link.port.postMessage(JSON.stringify(message));
  }

  /** Sends an event of the Host itself to the sessions that enabled the domain. */
  emit<M extends EventName>(domain: string, method: M, params: EventParams<M>): void {
    const list = [...this.aliases.values()].flatMap((same) => same.find((s) => s.has(domain)) ?? []);
    this.tell(list, method, params as Json);
  }

  /** One session of each alias: the others share what it gets. */
  first(): Session[] {
    return [...this.aliases.values()].flatMap((same) => same.slice(0, 1));
  }

  /** Passes an event on to sessions, of any consumers. */
  tell(list: Iterable<Session>, method: string, params: Carried): void {
    const byConsumer = new Map<Consumer, Session[]>();
    for (const s of list) {
      const same = byConsumer.get(s.consumer);
      if (same) same.push(s);
      else byConsumer.set(s.consumer, [s]);
    }
    for (const [consumer, sessions] of byConsumer) consumer.events(sessions, method, params);
  }

  /** The Target ends. All waiting commands are answered. */
  end(reason: string): void {
    this.stopExpecting();
    for (const f of this.whenConnected.splice(0)) f(false);
    this.popups.tellOpener({ closed: true });
    this.link?.port.close();
    this.link = undefined;
    this.workers.gone();
    this.navigation.fail("net::ERR_ABORTED");
    this.calls.end(serverError(reason));
    for (const s of [...this.sessions.values()]) {
      s.over = true;
      s.consumer.ended(s, reason);
    }
    this.sessions.clear();
    this.aliases.clear();
  }

  // --------------------------------------------------------- from the agent

  private fromAgent(port: Port, data: unknown): void {
    if (this.link?.port !== port) return;
    if (isDownloaded(data)) return this.owner.downloads()?.read(this.id, data);
    const m = open(data, isEnough);
    if (!m) return;
    if (m.icdp !== undefined) this.controlled(m as unknown as FromAgent);
    else if (typeof m.id === "number") this.calls.answered(m as unknown as Reply & { id: number });
    else if (typeof m.method === "string") this.event(m as unknown as CdpEvent);
  }

  private event(e: CdpEvent): void {
    let params: Carried = e.params && typeof e.params === "object" ? e.params : {};
    if (ABOUT_ADDRESS.test(e.method)) params = read(params);
    if (!this.mayTell(e.method, params)) return;
    const names = e.sessionId === undefined ? e.sessionIds : [e.sessionId];
    if (names === undefined) this.owner.publish(this, e.method, params);
    else if (Array.isArray(names)) this.tell(new Set(names.flatMap((n) => this.sessionOf(n) ?? [])), e.method, params);
  }

  /** The session with this alias. Sessions that share an alias: the first one. */
  private sessionOf(alias: string): Session | undefined {
    return this.aliases.get(alias)?.[0] ?? this.workers.session(alias);
  }

  /**
   * Whether a document may send an event. Of the domain Browser only download events are allowed, of the domain
   * Target none, and none may have a URL of another origin.
   */
  private mayTell(
    method: string,
    { frame, frameId: id, url }: Carried & { frame?: { id: string; url: string }; frameId?: string; url?: string },
  ): boolean {
    if (ABOUT_ADDRESS.test(method))
      return [frame, { id, url }].every(
        (f) => f?.id !== this.id || (this.link && isOf(String(f.url), this.link.origin, this.origins)),
      );
    return /^Browser\.download/.test(method) || !/^(Target|Browser)\./.test(method);
  }

  private controlled(m: FromAgent): void {
    for (const text of ["url", "title", "loaderId", "key", "source"]) {
      if (text in m && typeof m[text as keyof FromAgent] !== "string") return;
    }
    switch (m.icdp) {
      case "bye":
        return this.gone();
      case "nav":
        return this.navigation.announce(m.loaderId, m.url);
      case "navabort":
        return this.navigation.retract(m.errorText, m.loaderId);
      case "info":
        this.info.title = m.title;
        if (this.link && isOf(m.url, this.link.origin, this.origins)) this.info.url = m.url;
        return this.owner.changed(this);
      case "evalput":
        return void this.owner
          .putScript(m.key, m.source)
          .then((taken) => this.control({ icdp: "evalok", key: m.key, ...(!taken && { refused: true as const }) }));
      case "download":
        return this.owner.downloads()?.begins(this.id, m);
      case "open":
        return this.popups.open(m);
      case "popup":
        return void this.popups.call(m);
      case "opener":
        return this.popups.callOpener(m);
      case "workerattached":
        return this.workers.attached(m, this.sessionOf(m.parent));
      case "workerdetached":
        return this.workers.ended(m.sessionId);
      case "close":
        if (this.popups.opened || this.closing) this.owner.ask({ what: "close", targetId: this.id }).catch(() => {});
    }
  }
}
