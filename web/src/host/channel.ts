// What the Core needs of its environment, and what its files share.

import type { CdpError, Json } from "../wire/cdp";
import type { FromCore } from "../wire/core";

/** What the Core needs of its environment: the page or the Worker, and fakes in tests. */
export interface Env {
  /** Sends to the page; a port inside is transferred. */
  post(message: FromCore): void;
  /** A new MessageChannel: the Core's end, and the frame's. */
  channel(): { near: Port; far: MessagePort };
  /** The token goes as the subprotocol bearer.TOKEN: a page can set no header. */
  socket(url: string, token?: string): Socket;
  /** Why the hub at the url of a socket refuses this page; undefined where it does not. */
  refusal(url: string, token?: string): Promise<string | undefined>;
}

/** The Core's end of a channel to a frame. */
export interface Port {
  postMessage(message: string): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  close(): void;
}

/** The part of a WebSocket that is used. */
export interface Socket {
  send(data: string): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

/** -32000 with this text. */
export function serverError(message: string): CdpError {
  return { code: -32000, message };
}

/** The Target of a command has ended. */
export const DESTROYED = "Target destroyed: the page has been closed; attach to another target";

/** Random hexadecimal digits, upper case as Chromium writes its ids. */
export function hexId(digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(digits / 2));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
}

/** The JSON object in a message, or undefined if it holds none. */
export function parseObject(data: unknown): Json | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const value = JSON.parse(data);
    return value && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
