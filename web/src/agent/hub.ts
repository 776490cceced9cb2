// The hub that the Host is connected to, as far as frames ask it themselves.

import type { HubAccess } from "../protocol";

let base: string | undefined;
let key: string | undefined;
/** BASE on the document's own origin, where a proxy serves the agent and the hub's endpoints. */
let ownBase: string | undefined;

/** Notes where the agent's script came from: below /__hub of this origin stands a proxy that the page's policy allows. */
export function setAgentUrl(url: string): void {
  const found = /^(.*\/__hub)\/[^/]+$/.exec(url.replace(/[?#].*$/, ""));
  if (found && new URL(url).origin === location.origin) ownBase = found[1];
}

/** Takes over what the Host knows of its hub; what is absent stays as it was. */
export function setHub(access: HubAccess): void {
  base = access.base ?? base;
  key = access.key ?? key;
}

/** BASE of the hub's HTTP endpoints, without a slash at its end; undefined without a hub. */
export function hubBase(): string | undefined {
  return base && (ownBase ?? base);
}

/** What the hub knows this Target by when a dialog is to be shown; undefined where it shows none. */
export function dialogKey(): string | undefined {
  return key;
}
