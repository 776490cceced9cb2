// Wraps WebSocket: reports each connection and its frames.

import type { EventParams, Protocol } from "../../cdp";
import { currentStack } from "../runtime/exceptions";
import { atProxy } from "../page/moved";
import { monotonic, originals } from "../base/originals";
import { NetworkReporter, type NetworkEvent, hasListeners } from "./reporter";
import { base64, payloadOf } from "./payload";

type Win = Window & typeof globalThis;

const connections = new WeakMap<WebSocket, Connection>();

/** Wraps WebSocket of a window. */
export function installWebSocket(win: Win): void {
  const Native = win.WebSocket;
  const { send } = Native.prototype;
  Native.prototype.send = function (data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    const open = this.readyState === 1;
    send.call(this, data as string);
    if (open) connections.get(this)?.passed("Sent", data);
  };
  win.WebSocket = new Proxy(Native, {
    construct(target, args, newTarget) {
      if (args.length > 0) args[0] = atProxy(String(args[0]), win.document.baseURI);
      const socket = Reflect.construct(target, args, newTarget) as WebSocket;
      if (hasListeners()) connections.set(socket, new Connection(win, socket, args[1]));
      return socket;
    },
  });
  Native.prototype.constructor = win.WebSocket;
}

class Connection extends NetworkReporter {
  /** Resolves when earlier frames have been reported. One of them may wait for the bytes of a Blob. */
  private before: Promise<void> | undefined;
  private opened = false;

  constructor(win: Win, socket: WebSocket, protocols: unknown) {
    super(win);
    const { url } = socket;
    const asked: Record<string, string> =
      protocols === undefined ? {} : { "Sec-WebSocket-Protocol": String(protocols) };
    const initiator: Protocol.Network.Initiator = { type: "script", stack: { callFrames: currentStack() } };
    const [timestamp, wallTime] = [monotonic(), originals.now() / 1000];
    this.tell("webSocketCreated", () => ({ url, initiator }));
    this.tell("webSocketWillSendHandshakeRequest", () => ({
      timestamp,
      wallTime,
      request: {
        headers: {
          Upgrade: "websocket",
          Connection: "Upgrade",
          Origin: win.location.origin,
          "User-Agent": navigator.userAgent,
          ...asked,
        },
      },
    }));
    socket.addEventListener("open", () => this.open(socket));
    socket.addEventListener("message", (e) => this.passed("Received", e.data));
    socket.addEventListener("error", () => this.error());
    socket.addEventListener("close", () => this.abandon());
  }

  private open(socket: WebSocket): void {
    this.opened = true;
    const headers = {
      Upgrade: "websocket",
      Connection: "Upgrade",
      ...(socket.protocol && { "Sec-WebSocket-Protocol": socket.protocol }),
      ...(socket.extensions && { "Sec-WebSocket-Extensions": socket.extensions }),
    };
    this.event("webSocketHandshakeResponseReceived", {
      response: { status: 101, statusText: "Switching Protocols", headers },
    });
  }

  private error(): void {
    this.event("webSocketFrameError", {
      errorMessage: this.opened ? "Connection failed" : "Error in connection establishment: net::ERR_FAILED",
    });
  }

  /** Reports a frame: text, or bytes in base64. */
  passed(way: "Sent" | "Received", data: unknown): void {
    if (!this.heard) return;
    const name = `webSocketFrame${way}` as const;
    const response = (opcode: number, payloadData: string): { response: Protocol.Network.WebSocketFrame } => ({
      response: { opcode, mask: way === "Sent", payloadData },
    });
    const isBinary =
      ArrayBuffer.isView(data) || /^\[object (ArrayBuffer|Blob|File)\]$/.test(originals.objectTag.call(data));
    if (!isBinary) return this.event(name, response(1, String(data)));
    const { bytes, blob } = payloadOf(data) ?? {};
    if (!blob) return this.event(name, response(2, base64(bytes!)));
    const at = monotonic();
    const tell = async (): Promise<void> => {
      const read = new Uint8Array(await blob.arrayBuffer());
      this.tell(name, () => ({ timestamp: at, ...response(2, base64(read)) }));
    };
    this.before = (this.before ?? Promise.resolve()).then(tell).catch(() => {});
  }

  abandon(): void {
    if (this.end()) this.event("webSocketClosed", {});
  }

  private event<E extends NetworkEvent>(
    name: E,
    params: Omit<EventParams<`Network.${E}`>, "requestId" | "timestamp">,
  ): void {
    const timestamp = monotonic();
    const tell = (): void =>
      this.tell(name, () => ({ timestamp, ...params }) as Omit<EventParams<`Network.${E}`>, "requestId">);
    if (this.before) this.before = this.before.then(tell);
    else tell();
  }
}
