// A parent with an opaque origin. All opaque origins are "null", so a list of
// allowed parents cannot name one. But the Host may have made this parent: a blank
// page, into which a client has put a frame of the app. The Host page gives both
// documents one secret. An agent trusts a parent that shows it. See wire/frame.ts.

import { type Admit, type Ask, type Knock, VERSION, type Vouch } from "../../wire/frame";

const [parentOrigin = "null"] = location.ancestorOrigins ?? []; // Firefox does not tell
let secret: string | undefined;
/** What a parent has shown before the secret was known. */
let shown: { key: unknown; port: MessagePort } | undefined;

/** Asks the pages around the parent, of these origins, for the secret, and the parent to show it. */
export function askAround(origins: string[]): void {
  if (parentOrigin !== "null") return;
  window.parent.postMessage({ icdp: "knock", v: VERSION } satisfies Knock, "*");
  if (secret) return;
  const ask: Ask = { icdp: "ask", v: VERSION };
  for (let win = window.parent; win !== win.parent; win = win.parent)
    for (const origin of origins) win.parent.postMessage(ask, origin);
}

/** A page of a listed origin has told the secret: the port to a parent that shows it. */
export function vouched({ key }: Vouch): MessagePort | undefined {
  secret = typeof key === "string" && key !== "" ? key : undefined;
  return known();
}

/** The port to the document of an opaque origin that has sent a message, if it shows the secret. */
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
