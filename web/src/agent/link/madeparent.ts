// A parent of an opaque origin. Such an origin names nobody, so that it cannot be
// listed. But the Host may have made the parent: a blank page, into which a client
// has put a frame of the app. The Host page tells both documents one secret, and an
// agent takes the parent that shows it for the Host's. See wire/frame.ts.

import { type Admit, type Ask, type Knock, VERSION, type Vouch } from "../../wire/frame";

const [parentOrigin = "null"] = location.ancestorOrigins ?? []; // Firefox does not tell
let secret: string | undefined;

/** Asks the pages around the parent, of these origins, for the secret; then the parent to show it. */
export function askAround(origins: string[]): void {
  if (parentOrigin !== "null") return;
  if (secret) return knock();
  const ask: Ask = { icdp: "ask", v: VERSION };
  for (let win = window.parent; win !== win.parent; win = win.parent)
    for (const origin of origins) win.parent.postMessage(ask, origin);
}

/** A page of a listed origin has told the secret. */
export function vouched({ key }: Vouch): void {
  if (typeof key !== "string" || key === "") return;
  secret = key;
  knock();
}

function knock(): void {
  window.parent.postMessage({ icdp: "knock", v: VERSION } satisfies Knock, "*");
}

/** The port to the document of an opaque origin that has sent a message, if it shows the secret. */
export function admitted(e: MessageEvent): MessagePort | undefined {
  const m = e.data as Admit;
  const shown = e.origin === "null" && m.icdp === "admit" && secret !== undefined && m.key === secret;
  return shown ? e.ports[0] : undefined;
}
