// The connection to the hub. bridge/extension/doc.go describes its messages.

import type { Params } from "./rules";

/** A tab as the hub knows it. */
export interface TabInfo {
  target: string;
  url: string;
  title: string;
  opener?: string;
}

/** What the hub sends. */
export type FromHub =
  | { kind: "welcome"; v: number; own?: string[] }
  | { kind: "attach"; id: number; target: string }
  | { kind: "close"; id: number; target: string }
  | { kind: "detach"; target: string }
  | { kind: "cdp"; id: number; target: string; session?: string; method: string; params: Params }
  | { kind: "drivers"; target: string; clients: string[] }
  | { kind: "stop"; target: string; reason: string }
  | { kind: "alive" };

/** The messages of some kinds. */
export type Only<Kind extends FromHub["kind"]> = Extract<FromHub, { kind: Kind }>;

/** What the extension sends. */
export type ToHub =
  | { kind: "hello"; v: 1; install: string; product: string; userAgent: string }
  | { kind: "tabs"; tabs: TabInfo[] }
  | { kind: "tab"; tab: TabInfo }
  | { kind: "gone" | "detached"; target: string; reason: string }
  | { kind: "answer"; id: number; result: object }
  | { kind: "answer"; id: number; error: { code: number; message: string } }
  | { kind: "event"; target: string; session?: string; method: string; params: object };

export interface Settings {
  address: string;
  token: string;
  install: string;
}

export const DEFAULT_ADDRESS = "ws://localhost:9223";

/** How long the hub may be gone before nothing is shared any more. */
export const MOST_GONE_MS = 120_000;

const WAITS_MS = [500, 1000, 2000, 5000];

/** Keeps a connection while it is wanted. */
export class Link {
  #socket?: WebSocket;
  #open = false;
  #wanted = false;
  #tries = 0;
  #timer?: ReturnType<typeof setTimeout>;

  /** refused gets why a connection must not be tried again. */
  constructor(
    private readonly settings: () => Promise<{ url: string; token: string; install: string }>,
    private readonly receive: (message: FromHub) => void,
    private readonly lost: () => void,
    private readonly refused: (why: string) => void,
  ) {}

  /** Whether the hub has answered. */
  get open(): boolean {
    return this.#open;
  }

  /** Connects, unless there is a connection or one is being made. */
  connect(): void {
    this.#wanted = true;
    if (!this.#socket) void this.#dial();
  }

  /** Says good-bye. */
  close(): void {
    this.#wanted = false;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    this.#open = false;
    this.#tries = 0;
    socket?.close(1000);
  }

  send(message: ToHub): void {
    if (this.#open) this.#socket?.send(JSON.stringify(message));
  }

  async #dial(): Promise<void> {
    clearTimeout(this.#timer);
    const { url, token, install } = await this.settings();
    if (!this.#wanted || this.#socket) return;
    const socket = new WebSocket(url, token ? ["bearer." + token] : []);
    this.#socket = socket;
    socket.onopen = () => {
      const product = /Chrome\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? "Chrome";
      socket.send(
        JSON.stringify({ kind: "hello", v: 1, install, product, userAgent: navigator.userAgent } satisfies ToHub),
      );
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      const message = JSON.parse(data) as FromHub;
      if (message.kind === "welcome") {
        this.#open = true;
        this.#tries = 0;
      }
      this.receive(message);
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#open = false;
      this.lost();
      if (code >= 4300 && code < 4600) return this.refused(reason);
      if (this.#wanted)
        this.#timer = setTimeout(() => this.#dial(), WAITS_MS[Math.min(this.#tries++, WAITS_MS.length - 1)]);
    };
  }
}
