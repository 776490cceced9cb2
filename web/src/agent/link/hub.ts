// Where the hub is, for the requests that an agent sends to it directly:
// POST /dialog and GET /eval/KEY.js.

import type { HubAccess } from "../../wire/frame";
import { mainFrame } from "../page/frames";
import { uplink } from "./uplink";
import { hexId, originals } from "../base/originals";

let base: string | undefined;
let dialogAccessKey: string | undefined;
let target: string | undefined;
/** BASE on the document's own origin, where a proxy serves the agent and the hub's endpoints. */
let ownBase: string | undefined;

/** The key to the proxy's control connection, for documents of an opaque origin. */
let controlKey: string | undefined;

/** Notes where agent.js came from. /__hub on the page's own origin means a proxy, which the page's policy allows. */
export function setAgentUrl(url: string, proxyKey?: string): void {
  controlKey = proxyKey;
  const found = /^(.*\/__hub)\/[^/]+$/.exec(url.replace(/[?#].*$/, ""));
  if (found && new URL(url).origin === location.origin) ownBase = found[1];
}

/** BASE of the proxy that this document has come through; undefined where there is none. */
export function hubOfProxy(): string | undefined {
  return ownBase;
}

let welcomedProxy: string | undefined;

/** BASE of the proxy in front of the Target's app. A blank document knows it from its welcome. */
export function proxyBase(): string | undefined {
  return ownBase ?? welcomedProxy;
}

/** The key to the control connection of that proxy. */
export function proxyKey(): string | undefined {
  return controlKey;
}

/** Whether an address belongs to the proxy itself (agent.js, for example) and not to the app. */
export function isOfProxy(url: string): boolean {
  return ownBase !== undefined && url.startsWith(`${ownBase}/`);
}

/** A Host has adopted this document. */
export function enterHub(access: HubAccess): void {
  target = access.targetId;
  setHub(access);
  adopted = true;
  markAdopted();
}

let adopted = false;

/** Whether a Host has adopted this document. */
export function isAdopted(): boolean {
  return adopted;
}

/** Stores what the Host says about its hub. An absent field keeps its old value. */
export function setHub(access: HubAccess): void {
  base = access.base ?? base;
  welcomedProxy = access.proxy ?? welcomedProxy;
  controlKey = access.proxyKey ?? controlKey;
  dialogAccessKey = access.key ?? dialogAccessKey;
}

let markAdopted: () => void;

/** Resolves once a Host has adopted this document, and said whether it has a hub. */
export const hubKnown = new Promise<void>((resolve) => (markAdopted = resolve));

/** What an agent in a child frame needs for its own requests to the hub. */
export function hubAccess(): HubAccess {
  return { base, key: dialogAccessKey, targetId: hubTarget() };
}

/** The Target that this document is part of. */
export function hubTarget(): string {
  return target ?? mainFrame().id;
}

/** BASE of the hub's HTTP endpoints, without a slash at its end; undefined without a hub. */
export function hubBase(): string | undefined {
  return base && (ownBase ?? base);
}

/** The key for POST /dialog. Undefined when the hub shows no dialogs. */
export function dialogKey(): string | undefined {
  return dialogAccessKey;
}

// -------------------------------------------------------- scripts it serves

/** How long the Host and its hub may take to accept a script. */
const PUT_MS = 3_000;
const waiting = new Map<string, (taken: boolean) => void>();

/**
 * Uploads a script to the hub. Resolves to a URL that serves it once, or to undefined if the hub does not accept it.
 */
export function uploadScript(source: string): Promise<string | undefined> {
  const name = hexId(32);
  return new Promise((resolve) => {
    const end = (taken: boolean): void => {
      waiting.delete(name);
      resolve(taken ? `${hubBase()}/eval/${name}.js` : undefined);
    };
    waiting.set(name, end);
    originals.setTimeout(() => end(false), PUT_MS);
    if (!hubBase() || !uplink.control({ icdp: "evalput", key: name, source })) end(false);
  });
}

/** The Host reports whether the hub has accepted a script. */
export function endUpload(name: string, refused: boolean): void {
  waiting.get(name)?.(!refused);
}
