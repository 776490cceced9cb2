// Trusts a parent with an opaque origin if the Host made it. All opaque origins are "null", so a list of allowed
// parents cannot name one. The Host makes blank pages with an opaque origin, and a Client may put a frame of the app
// into one. The Host page gives both documents the same secret, and the agent trusts a parent that shows it. See
// wire/frame.ts.

import { type Admit, type Ask, type Knock, VERSION, type Vouch } from "../../wire/frame";
import { parentOf } from "../base/originals";

/** The origins of the pages around this document, the nearest first; older Firefox has none. */
const ancestors: ArrayLike<string> = location.ancestorOrigins ?? [];
const parentOrigin = ancestors[0] ?? "null";

/**
 * Whether the nth page around may have an origin. The browser complains about each message to a wrong one. After a
 * document of the Host page's making, Firefox 153 says "null" of every origin.
 */
export const mayBe = (origin: string, n = 0): boolean => [undefined, "null", origin].includes(ancestors[n]);

let secret: string | undefined;
/** Key and port of an admit message. They are kept until the secret is known. */
let shown: { key: unknown; port: MessagePort } | undefined;

/** Asks the parent for its key (knock), and ancestors of these origins for the secret to compare it with (ask). */
export function askAround(origins: string[]): void {
  if (parentOrigin !== "null" || origins.includes("null")) return;
  parentOf(window).postMessage({ icdp: "knock", v: VERSION } satisfies Knock, "*");
  if (secret) return;
  const ask: Ask = { icdp: "ask", v: VERSION };
  for (let win = parentOf(window), n = 1; win !== win.parent; win = win.parent, n++)
    for (const origin of origins) if (mayBe(origin, n)) win.parent.postMessage(ask, origin);
}

/**
 * Stores the secret that an ancestor of a listed origin sent. Returns the port to the parent, if the parent has shown
 * the same key.
 */
export function vouched({ key }: Vouch): MessagePort | undefined {
  secret = typeof key === "string" && key !== "" ? key : undefined;
  return known();
}

/** Handles an admit message. Returns its port if its key is the secret. */
export function admitted(e: MessageEvent): MessagePort | undefined {
  const { icdp, key } = e.data as Partial<Admit>;
  const [port] = e.ports;
  if (e.origin !== "null" || icdp !== "admit" || !port) return undefined;
  if (secret === undefined || key === secret) shown = { key, port };
  return known();
}

function known(): MessagePort | undefined {
  const port = secret !== undefined && shown?.key === secret ? shown.port : undefined;
  if (port) shown = undefined;
  return port;
}
