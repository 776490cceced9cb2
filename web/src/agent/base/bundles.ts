// Loads the bundles beside agent.js (devtools.js, shot.js, snapshot.js) when a Client first
// uses them. agent.js stays small, because every frame loads it first.

import { nonceOf } from "../runtime/evaluate";
import { ProtocolError, notFound } from "./registry";

/** The URLs of folders that serve the bundles. The first one is tried first. */
const baseUrls: string[] = [];
const loaded = new Map<string, Promise<unknown>>();

/** Adds the folder of a script such as agent.js to those that serve the bundles. */
export function addBaseUrl(url: string): void {
  if (!url) return;
  const place = new URL(".", url).href;
  if (!baseUrls.includes(place)) baseUrls.push(place);
}

/** The address of a bundle; "" while no folder is known. */
export function bundleUrl(name: string): string {
  return baseUrls.length ? baseUrls[0] + name : "";
}

let simple = false;

/** Notes whether the Host is one of version 1, whose server has no bundles beside agent.js. */
export function noteSimpleHost(is: boolean): void {
  simple = is;
}

/**
 * The exports of a bundle, which is an ES module and carries out a method. Throws a ProtocolError if the page's
 * Content Security Policy forbids it, or no folder serves it. With a Host of version 1, the error says that the
 * method does not exist.
 */
export async function load<T>(name: string, method: string): Promise<T> {
  let module = loaded.get(name);
  if (!module) loaded.set(name, (module = loadFromAny(name)));
  try {
    return (await module) as T;
  } catch (e) {
    loaded.delete(name); // the next command tries again: the server may have been down
    throw simple ? notFound(method, (e as Error).message) : e;
  }
}

/**
 * Whether a URL is that of a bundle. The Network domain leaves these requests out, since the page did
 * not make them.
 */
export function isBundle(url: string): boolean {
  return [...loaded.keys()].some((name) => baseUrls.some((place) => url === place + name));
}

async function loadFromAny(name: string): Promise<unknown> {
  for (const place of baseUrls) {
    const url = place + name;
    try {
      return await import(url).catch(() => loadByElement(url).then(() => import(url)));
    } catch {
      // the next folder may serve it
    }
  }
  throw new ProtocolError(
    `The page could not load ${name}: its Content Security Policy forbids it, or nothing serves it`,
  );
}

/** Loads a module by a script element with the agent's nonce, for pages whose policy forbids import(). */
function loadByElement(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.type = "module";
    script.nonce = nonceOf();
    script.src = url;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(url));
    (document.head ?? document.documentElement).append(script);
    script.remove();
  });
}

/**
 * Runs a function of a bundle. Its errors that have a code reach the Client. They are no
 * ProtocolError, since a bundle has its own copy of each class.
 */
export async function withClientErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (e) {
    const { message, code } = e as { message: string; code?: number };
    if (code === undefined) throw e;
    throw new ProtocolError(message, code);
  }
}
