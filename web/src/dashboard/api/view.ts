// The WebSocket of one target's live view. It receives pictures and sends input. Connects again by itself until it is
// closed.

import type { DialogMessage, FromView, HolderMessage, PictureMessage, ToView } from "./wire";

/** What the view uses of a WebSocket. */
export interface ViewSocket {
  binaryType: string;
  readyState: number;
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface ViewListener {
  /** Resolves when the picture is on the screen: only then does the hub send another one. */
  picture(message: PictureMessage, bytes: Blob): Promise<void>;
  holder?(message: HolderMessage): void;
  dialog?(message: DialogMessage): void;
  error?(text: string): void;
  /** There is no live view, for this reason. The hub closes the connection. */
  gone?(text: string): void;
  /** The connection has been opened or lost. */
  connected?(is: boolean): void;
  /** The hub does not open the connection, for this reason; "" once it does. `all`: it opens that of no target. */
  refused?(text: string, all: boolean): void;
}

const OPEN = 1;
/** The statuses that come from the hub itself, and not from a proxy in front of it. */
const REFUSALS = new Set([401, 403, 404, 429]);
/** Those that are about one target, or one viewer too many. */
const OF_ONE = new Set([404, 429]);
const NO_SOCKET =
  "The hub answers this page, but WebSockets do not reach it: a reverse proxy in front of it must pass on the header Upgrade.";
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

export class View {
  private socket: ViewSocket | undefined;
  private size: ToView | undefined;
  private announced: PictureMessage | undefined;
  private waiting: { message: PictureMessage; bytes: Blob } | undefined;
  private drawing = false;
  private ended = false;
  private wait = FIRST_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;

  /** `why` asks the hub why it does not open the connection: a browser does not say. */
  constructor(
    private readonly connect: () => ViewSocket,
    private readonly listener: ViewListener,
    private readonly why: () => Promise<Response>,
  ) {
    this.open();
  }

  /** Tells the hub the largest useful size of pictures, in px, and their maximum rate per second. */
  room(width: number, height: number, fps: number): void {
    this.size = { kind: "size", width: Math.round(width), height: Math.round(height), fps };
    this.send(this.size);
  }

  /** Sends a message, or drops it without a connection: late input is worse than none. */
  send(message: ToView): void {
    if (this.socket?.readyState === OPEN) this.socket.send(JSON.stringify(message));
  }

  close(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private open(): void {
    let socket: ViewSocket;
    try {
      socket = this.connect();
    } catch {
      // A subprotocol is a token of HTTP (RFC 9110, 5.6.2), which has few characters, and one subprotocol carries the
      // access token.
      this.listener.error?.("A browser cannot send this token on a WebSocket. Log in with one of letters and digits.");
      return;
    }
    this.socket = socket;
    socket.binaryType = "blob";
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.failures = 0;
      this.listener.refused?.("", true);
      if (this.size) this.send(this.size);
    };
    socket.onmessage = ({ data }) => {
      if (this.ended) return;
      if (typeof data === "string") this.receive(JSON.parse(data));
      else this.show(data as Blob);
    };
    socket.onclose = () => {
      this.announced = this.waiting = undefined;
      if (this.ended) return;
      this.listener.connected?.(false);
      if (!opened) void this.explain();
      this.timer = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_MS);
    };
  }

  /** Tells the listener why the connection did not open; nothing where the hub does not answer. */
  private async explain(): Promise<void> {
    this.failures++;
    const answer = await this.why().catch(() => undefined);
    const status = answer?.status ?? 0;
    let text = REFUSALS.has(status) ? (await answer!.text()).trim() : "";
    // Once may be an accident of the network.
    if (status === 204 && this.failures > 1) text = NO_SOCKET;
    if (this.failures && !this.ended && text) this.listener.refused?.(text, !OF_ONE.has(status));
  }

  private receive(message: FromView): void {
    switch (message.kind) {
      case "view":
        this.wait = FIRST_MS;
        return this.listener.connected?.(true);
      case "picture":
        this.announced = message;
        return;
      case "holder":
        return this.listener.holder?.(message);
      case "dialog":
        return this.listener.dialog?.(message);
      case "error":
        return this.listener.error?.(message.message);
      case "gone":
        // The target may come back as long as the hub lists it.
        this.wait = LONGEST_MS;
        return this.listener.gone?.(message.message);
    }
  }

  /** Shows a picture. A newer one replaces one that still waits. */
  private show(bytes: Blob): void {
    if (!this.announced) return;
    if (this.waiting) this.send({ kind: "ack", seq: this.waiting.message.seq });
    this.waiting = { message: this.announced, bytes };
    this.announced = undefined;
    if (!this.drawing) void this.draw();
  }

  private async draw(): Promise<void> {
    this.drawing = true;
    while (this.waiting && !this.ended) {
      const { message, bytes } = this.waiting;
      this.waiting = undefined;
      try {
        await this.listener.picture(message, bytes);
      } catch {
        // A picture that cannot be decoded is left out.
      }
      this.send({ kind: "ack", seq: message.seq });
    }
    this.drawing = false;
  }
}
