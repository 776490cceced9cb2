// The connection to the hub: version 1 of the bridge protocol, and the extensions
// that the hub has accepted (docs/bridge.md). "Relay" is the hub's older name.

import type { Protocol } from "../cdp";
import type { Answer, Json } from "../wire/cdp";
import { VERSION } from "../wire/frame";
import {
  CLOSE_NORMAL,
  CLOSE_POLICY,
  CLOSE_REPLACED,
  type HostCommand,
  type HubMessage,
  type TargetEvent,
} from "../wire/bridge";
import type { RelayState } from "../wire/core";
import { methods } from "./browser";
import { DESTROYED, type Socket, serverError } from "./channel";
import { Downloads } from "./downloads";
import { FEATURES } from "./features";
import { NONE } from "./outbox";
import { placeOf, Sender } from "./sender";
import { type Consumer, Session } from "./session";
import type { Target } from "./target";
import type { Owner } from "./targetview";
import { type Carried, open, type Reply, read } from "./text";

/** Exponential backoff between attempts, with up to 50 % random jitter. */
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 15_000;
/** After a connection that lasted this long the backoff starts again from the first wait. */
const GOOD_MS = 5_000;

/** How long sessions are kept after the connection is lost. The hub's grace time is a little shorter. */
const KEEP_MS = 35_000;

/** How long the hub may take to accept a script. */
const PUT_MS = 3_000;

/** The parts of the Core that the bridge uses. */
export interface Switchboard extends Pick<Owner, "env" | "identity" | "ask"> {
  readonly targets: Map<string, Target>;
  command(session: Session, method: string, params: Carried, reply: (r: Reply) => void): void;
  browserRequest(method: string, params: Json): Promise<Json>;
}

export class Bridge implements Consumer {
  private socket?: Socket;
  // Sends nothing before `open` is set: the message ready must be the first one, and lists every Target.
  private readonly sender = new Sender((text) => this.open && this.socket?.send(text));
  private readonly files = new Downloads((m, targetId) => this.sender.send(m, { targetId, sessions: [NONE] }));
  /** Sessions of the lost connection that the hub has not named again. */
  private unclaimed = new Set<string>();
  private forget?: ReturnType<typeof setTimeout>;
  /** Scripts that the hub has not accepted yet. */
  private readonly scripts = new Map<string, (taken: boolean) => void>();
  private readonly sessions = new Map<string, Session>();
  private attempts = 0;
  /** Why the last attempt failed, in the words of the hub. */
  private why = "";
  private open = false;
  private state: RelayState = "off";
  /** Whether the hub has the feature "standby": a replaced Host may wait until no other Host has the hub. */
  private offersStandby = false;
  private openedAt = 0;
  private retry?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly board: Switchboard,
    readonly url: string,
    private readonly token?: string,
    /** Whether this Host replaces no other, but waits until the hub says that it is free. */
    private standby = false,
  ) {
    this.connect();
  }

  /** BASE of the hub's HTTP endpoints: the bridge's URL without its path /icdp/host. */
  base(): string {
    const u = new URL(this.url);
    u.protocol = u.protocol.replace(/^ws/, "http");
    return u.origin + u.pathname.replace(/\/icdp\/host\/?$/, "").replace(/\/$/, "");
  }

  /** Closes the connection for good. */
  stop(): void {
    clearTimeout(this.retry);
    this.drop();
    this.tell("off");
  }

  /** Replaces the Host that has the hub. */
  takeOver(): void {
    if (this.open) return; // this Host has the hub
    clearTimeout(this.retry);
    this.drop();
    this.standby = false;
    this.attempts = 0;
    this.connect();
  }

  private tell(state: RelayState, reason = ""): void {
    this.state = state;
    this.board.env.post({ do: "relay", state, reason });
  }

  // --------------------------------------------------------- connection

  private connect(): void {
    if (!(this.standby && this.state === "replaced")) this.tell("connecting");
    const socket = this.board.env.socket(this.address(), this.token);
    this.socket = socket;
    socket.onopen = () => {
      if (!this.standby) this.announce();
    };
    socket.onmessage = (e) => {
      const m = open(e.data, () => this.accepted.has("payloadLast"));
      if (m && this.socket === socket) this.received(m as unknown as HubMessage);
    };
    socket.onclose = (e) => {
      if (this.socket === socket) this.lost(e.code, e.reason);
    };
  }

  private address(): string {
    if (!this.standby) return this.url;
    const u = new URL(this.url);
    u.searchParams.set("standby", "");
    return u.href;
  }

  /** Becomes the Host of the hub. If this connection is lost, the next one resumes it. */
  private announce(): void {
    this.standby = false;
    this.open = true;
    this.why = "";
    this.openedAt = Date.now();
    const { hostId, browser, hooks } = this.board.identity;
    const handles = [...hooks, ...Object.keys(methods)]; // a hub of version 1 ignores all but hooks
    const targets = [...this.board.targets.values()].map((t) => ({ ...t.info }));
    this.sender.send({ kind: "ready", v: VERSION, targets, handles, features: FEATURES, hostId, browser });
    this.tell("connected");
  }

  /** Drops the socket, and ends its sessions unless they may be resumed. */
  private drop(keep = false): void {
    const socket = this.socket;
    this.socket = undefined;
    this.open = false;
    this.sender.ended(keep);
    this.files.clear();
    clearTimeout(this.forget);
    for (const end of [...this.scripts.values()]) end(false);
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close(CLOSE_NORMAL); // a clean close: otherwise the hub would wait for this Host to come back
    }
    for (const s of [...this.sessions.values()]) if (s.ofWorker) this.detach(s.id);
    this.unclaimed = new Set(this.sessions.keys());
    if (keep) this.forget = setTimeout(() => this.detachUnclaimed(), KEEP_MS);
    else this.detachUnclaimed();
  }

  /** Attaches to workers again: sessions with workers are not resumed, and the hub has dropped them. */
  private attachAgain(): void {
    for (const s of this.sessions.values())
      if (s.state.autoAttach)
        this.board.command(s, "Target.setAutoAttach", s.state.autoAttach as unknown as Json, () => {});
  }

  private detachUnclaimed(): void {
    for (const id of this.unclaimed) this.detach(id);
  }

  private lost(code: number, reason: string): void {
    const refused = !this.open;
    const good = this.open && Date.now() - this.openedAt >= GOOD_MS;
    const replaced = code === CLOSE_REPLACED || (code === CLOSE_POLICY && (reason === "" || /replaced/i.test(reason)));
    this.drop(this.accepted.has("resume") && !replaced);
    if (replaced) {
      // Two Hosts that both reconnected would replace each other for ever.
      this.tell("replaced", reason);
      if (!this.offersStandby) return;
      this.standby = true;
    }
    if (good) this.attempts = 0;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.attempts++, LAST_WAIT_MS);
    this.retry = setTimeout(() => this.connect(), wait * (1 - Math.random() / 2));
    if (replaced) return;
    this.tell("waiting", reason || this.why || `connection lost (${code})`);
    if (refused) this.explain();
  }

  /**
   * Asks why the hub refuses this page. Asks at the first failure, and later only when the waits are long: the hub
   * counts wrong tokens.
   */
  private explain(): void {
    const { attempts, retry } = this;
    if (attempts !== 1 && FIRST_WAIT_MS * 2 ** attempts < LAST_WAIT_MS) return;
    void this.board.env.refusal(this.url, this.token).then((why = "") => {
      this.why = why;
      if (why && !this.open && this.retry === retry) this.tell("waiting", why);
    });
  }

  private get accepted(): ReadonlySet<string> {
    return this.sender.accepted;
  }

  /** The downloads of the frames; undefined while no hub takes them. */
  get downloads(): Downloads | undefined {
    return this.open && this.accepted.has("downloads") ? this.files : undefined;
  }

  // ------------------------------------------------------- from the relay

  private received(m: HubMessage): void {
    switch (m.kind) {
      case "standby":
        if (m.free) this.announce();
        else if (this.state !== "replaced") this.tell("replaced", "another Host has the hub");
        return;
      case "accepted":
        this.sender.accept(Array.isArray(m.features) && m.features.includes("sessions") ? m.features : []);
        this.offersStandby = this.accepted.has("standby");
        if (!this.accepted.has("resume")) this.detachUnclaimed();
        return;
      case "resumed":
        this.detachUnclaimed();
        return this.attachAgain();
      case "alive": {
        const socket = this.socket;
        void this.board
          .ask({ what: "alive" })
          .then(() => this.socket === socket && this.sender.send({ kind: "alive", n: m.n }));
        return;
      }
      case "attached":
        this.noteKey(m.targetId, m.dialogKey);
        this.session(m.sessionId, m.targetId);
        return;
      case "detached":
        return this.detach(m.sessionId);
      case "command":
        return this.command(m);
      case "chunkTaken":
        return this.sender.taken();
      case "downloadTaken":
        return this.files.taken(m.guid, m.more);
      case "evalok":
        return this.scripts.get(m.key)?.(true);
      case "browserRequest":
        return this.browserRequest(m.id, m.method, read(m.params ?? {}));
    }
  }

  private command(m: HostCommand): void {
    const { sessionId, id } = m;
    const session = this.session(sessionId, m.targetId);
    if (!session) return this.answer(sessionId, id, { error: serverError(DESTROYED) });
    const socket = this.socket;
    this.board.command(
      session,
      m.method,
      m.params ?? {},
      (r) => this.socket === socket && this.answer(sessionId, id, r),
    );
  }

  /** The session with this id. Begins it if it is new: a version 1 hub announces a session by its first command. */
  private session(id: string, targetId = ""): Session | undefined {
    this.unclaimed.delete(id);
    const known = this.sessions.get(id);
    if (known) return known;
    const target = this.board.targets.get(targetId);
    if (!target) return undefined;
    const session = new Session(id, targetId, this, this.accepted.size ? id : "relay");
    this.sessions.set(id, session);
    target.attach(session);
    return session;
  }

  private noteKey(targetId = "", key?: string): void {
    const target = this.board.targets.get(targetId);
    if (target && typeof key === "string") target.dialogKey = key;
  }

  private detach(id: string): void {
    const session = this.sessions.get(id);
    if (!session) return;
    this.sessions.delete(id);
    this.unclaimed.delete(id);
    this.board.targets.get(session.targetId)?.detach(session);
  }

  private browserRequest(id: number, method: string, params: Json): void {
    const socket = this.socket;
    const answer = (r: Answer): void => {
      if (this.socket === socket) this.sender.send({ kind: "browserResult", id, ...r });
    };
    this.board.browserRequest(method, params).then(
      (result) => answer({ result }),
      (e: Error) => answer({ error: serverError(e.message) }),
    );
  }

  // --------------------------------------------------------- to the relay

  /** Uploads a script to the hub, for a frame to fetch. False if the hub does not accept it. */
  putScript(key: string, source: string): Promise<boolean> {
    if (!this.accepted.has("eval")) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (taken: boolean): void => {
        clearTimeout(timer);
        this.scripts.delete(key);
        resolve(taken);
      };
      const timer = setTimeout(() => end(false), PUT_MS);
      this.scripts.set(key, end);
      this.sender.send({ kind: "evalput", key, source });
    });
  }

  private answer(sessionId: string, id: number, reply: Reply): void {
    this.sender.answer(sessionId, this.sessions.get(sessionId)?.targetId, id, reply);
  }

  event(session: Session, method: string, params: Carried): void {
    this.sender.event(session, method, params);
  }

  events(sessions: Session[], method: string, params: Carried): void {
    this.sender.events(sessions, method, params);
  }

  /** Sends an event to every session that the hub has on the Target. */
  broadcast(targetId: string, method: string, params: Carried): void {
    // A hub of version 1 does not say which sessions there are before they send commands.
    if (this.accepted.size && !this.board.targets.get(targetId)?.serves(this)) return;
    const own = (): Session[] => [...this.sessions.values()].filter((s) => s.targetId === targetId && !s.ofWorker);
    this.sender.broadcast(targetId, own, method, params);
  }

  ended(session: Session): void {
    this.sessions.delete(session.id); // the message targetDestroyed tells the hub
  }

  opens(session: Session, parent: Session, targetInfo: Protocol.Target.TargetInfo): boolean {
    if (!this.accepted.has("nested") || this.sessions.has(session.id)) return false;
    this.sessions.set(session.id, session);
    const { id: sessionId } = session;
    const { targetId, type } = targetInfo;
    const params = { sessionId, targetInfo, waitingForDebugger: false };
    this.sendInside(session, parent, {
      method: "Target.attachedToTarget",
      opens: { sessionId, targetId, type },
      params,
    });
    return true;
  }

  closes(session: Session, parent: Session, targetId: string): void {
    this.sessions.delete(session.id);
    const params = { sessionId: session.id, targetId };
    this.sendInside(session, parent, { method: "Target.detachedFromTarget", closes: session.id, params });
  }

  /** Sends an event about a session to the session that it is in. */
  private sendInside(session: Session, parent: Session, event: Omit<TargetEvent, "kind">): void {
    const { targetId, id: sessionId } = parent;
    this.sender.send({ kind: "event", targetId, sessionId, ...event }, placeOf(parent, session));
  }

  /** A Target may come with the id of one whose end still waits behind a large message. */
  created(target: Target): void {
    this.sender.send({ kind: "targetCreated", target: target.info }, { targetId: target.id });
  }

  changed(target: Target): void {
    const place = { targetId: target.id, sessions: [NONE] };
    this.sender.send({ kind: "targetInfoChanged", target: target.info }, place);
  }

  destroyed(targetId: string): void {
    this.files.ended(targetId);
    this.sender.send({ kind: "targetDestroyed", targetId }, { targetId });
  }
}
