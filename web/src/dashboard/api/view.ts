// The view socket of one target: pictures come, input goes. It connects again by itself until it is closed.

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
  /** There is nothing to see, for a reason; the hub closes the connection. */
  gone?(text: string): void;
  /** The connection is there, or lost. */
  connected?(is: boolean): void;
}

const OPEN = 1;
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

  constructor(
    private readonly connect: () => ViewSocket,
    private readonly listener: ViewListener,
  ) {
    this.open();
  }

  /** Says how much room there is for pictures, in px, and how many of them a second. */
  room(width: number, height: number, fps: number): void {
    this.size = { kind: "size", width: Math.round(width), height: Math.round(height), fps };
    this.send(this.size);
  }

  /** Sends a message, or drops it when there is no connection: input that is late is worse than none. */
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
      // Subprotocols are made of few characters (RFC 9110, 5.6.2), and one carries the token.
      this.listener.error?.("A browser cannot send this token on a WebSocket. Log in with one of letters and digits.");
      return;
    }
    this.socket = socket;
    socket.binaryType = "blob";
    socket.onopen = () => {
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
      this.timer = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_MS);
    };
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
        // As long as the hub lists the target, it may be there again.
        this.wait = LONGEST_MS;
        return this.listener.gone?.(message.message);
    }
  }

  /** A newer picture takes the place of one that waits for the screen. */
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
