// Stand-ins for a page, its frames' agents and a relay, for the tests of Core.

import type { Ask, FromCore, RelayState } from "../wire/core";
import { webcrypto } from "node:crypto";
import { install } from "@sinonjs/fake-timers";
import type { Port, Socket } from "./channel";
import { Core } from "./core";

/** A message that a test looks into. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what they expect
export type Loose = Record<string, any>;

/** A frame's end of a channel. What the Core sends is in `got`, oldest first. */
export class FakeAgent implements Port {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly got: Loose[] = [];
  closed = false;
  /** The Core's end: posting to it puts the message into `got`. */
  readonly near: Port;

  constructor() {
    this.near = {
      onmessage: null,
      postMessage: (m) => {
        const message = JSON.parse(m);
        this.got.push(message);
        if (message.method) this.onCommand?.(message);
      },
      close: () => void (this.closed = true),
    };
  }

  /** Called with each command that comes, to answer it. */
  onCommand?: (message: Loose) => void;

  postMessage(message: string): void {
    this.near.onmessage?.({ data: message });
  }

  close(): void {}

  say(message: Loose): void {
    this.postMessage(JSON.stringify(message));
  }

  /** Answers the oldest command of this method that has not been answered. */
  answer(method: string, reply: Loose = { result: {} }): void {
    const i = this.got.findIndex((m) => m.method === method);
    if (i < 0) throw new Error(`no ${method} among ${this.methods().join()}`);
    const [command] = this.got.splice(i, 1);
    this.say({ id: command.id, ...reply });
  }

  methods(): string[] {
    return this.got.map((m) => m.method ?? m.icdp);
  }
}

/** The relay's end of a bridge socket. */
export class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  got: Loose[] = [];
  closed = false;

  constructor(
    readonly url: string,
    readonly token?: string,
  ) {}

  send(data: string): void {
    this.got.push(JSON.parse(data));
  }

  close(): void {
    this.closed = true;
  }

  say(message: Loose): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** Takes what has come so far. */
  take(): Loose[] {
    return this.got.splice(0);
  }
}

/** A Core with a page and a relay made of lists. */
export class World {
  readonly posted: FromCore[] = [];
  readonly sockets: FakeSocket[] = [];
  readonly states: [state: RelayState, at: number][] = [];
  /** How the page answers an ask; it answers {} to all. */
  carryOut: (ask: Ask) => Loose | Promise<Loose> = () => ({});
  readonly core = new Core({
    post: (m) => this.post(m),
    channel: () => {
      const agent = new FakeAgent();
      return { near: agent.near, far: agent as unknown as MessagePort };
    },
    socket: (url, token) => {
      const socket = new FakeSocket(url, token);
      this.sockets.push(socket);
      return socket;
    },
    refusal: () => (this.asked++, Promise.resolve(this.refusal)),
  });
  /** What the relay says of why it refuses the page, and how often it was asked. */
  refusal?: string;
  asked = 0;

  constructor(hooks: string[] = []) {
    const browser = { product: "Chrome/1.0", userAgent: "Mozilla/5.0" };
    this.core.receive({ do: "start", identity: { hostId: "H", browser, hooks, origin: "http://host", agent: true } });
  }

  private post(m: FromCore): void {
    this.posted.push(m);
    if (m.do === "relay") this.states.push([m.state, Date.now()]);
    if (m.do !== "ask") return;
    const { call } = m;
    void Promise.resolve()
      .then(() => this.carryOut(m.ask))
      .then(
        (result) => this.core.receive({ do: "answer", call, result }),
        (e: Error) => this.core.receive({ do: "answer", call, error: { code: -32000, message: e.message } }),
      );
  }

  /** A World whose frame is paired, with these local sessions. */
  static paired(...sessions: string[]): World {
    const w = new World();
    w.pair();
    for (const s of sessions) w.attach(s);
    return w;
  }

  pair(targetId = "T", origins = ["http://app"], moved?: Record<string, string>): void {
    this.core.receive({ do: "pair", target: { targetId, title: "", url: "http://app/" }, origins, moved });
  }

  /** A document says hello; without docId it is one of version 1. Returns its end of the channel, if it was adopted. */
  hello(docId?: string, url = "http://app/", targetId = "T", origin = "http://app"): FakeAgent | undefined {
    const before = this.posted.length;
    const extended = docId ? { docId, features: ["sessions", "state"], base: 7 } : {};
    const hello = { icdp: "hello" as const, v: 1, title: "App", url, ...extended };
    this.core.receive({ do: "hello", targetId, hello, origin });
    return this.welcomes(before).pop()?.port as unknown as FakeAgent | undefined;
  }

  welcomes(from = 0): Extract<FromCore, { do: "welcome" }>[] {
    return this.posted.slice(from).flatMap((m) => (m.do === "welcome" ? [m] : []));
  }

  navigations(): Extract<FromCore, { do: "navigate" }>[] {
    return this.posted.flatMap((m) => (m.do === "navigate" ? [m] : []));
  }

  load(made?: true): void {
    this.core.receive({ do: "load", targetId: "T", made });
  }

  /** Connects to a relay; `features` is what it accepts, or undefined for one of version 1. */
  relay(features?: string[]): FakeSocket {
    this.core.receive({ do: "connect", url: "ws://hub:9223/icdp/host" });
    const socket = this.sockets[this.sockets.length - 1];
    socket.onopen?.();
    if (features) socket.say({ kind: "accepted", features });
    return socket;
  }

  attach(sessionId: string, targetId = "T"): void {
    this.core.receive({ do: "attach", sessionId, targetId });
  }

  send(sessionId: string, id: number, method: string, params: Loose = {}): void {
    this.core.receive({ do: "command", sessionId, id, method, params });
  }

  /** The messages to a local session so far: methods of events, and answers as "id:result". */
  told(sessionId: string): string[] {
    return this.messages(sessionId).map(
      (m) => m.method ?? `${m.id}:${m.error ? m.error.message : JSON.stringify(m.result)}`,
    );
  }

  /** The answer to a command of a local session. */
  answer(sessionId: string, id: number): Loose | undefined {
    return this.messages(sessionId).find((m) => m.id === id);
  }

  messages(sessionId: string): Loose[] {
    return this.posted.flatMap((m) => (m.do === "message" && m.sessionId === sessionId ? [m.message as Loose] : []));
  }
}

/** Lets promises settle that need no timer. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

// Node 18 keeps what browsers have as a global in a module.
globalThis.crypto ??= webcrypto as Crypto;

let clock: ReturnType<typeof install> | undefined;

/** Puts setTimeout and Date under the test's control, from zero. */
export function freshClock(): void {
  clock?.uninstall();
  clock = install({ now: 0, toFake: ["setTimeout", "clearTimeout", "Date"] });
}

/** Lets that many milliseconds pass. */
export function tick(ms: number): void {
  clock?.tick(ms);
}
