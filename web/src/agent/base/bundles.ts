// Bundles beside agent.js that are loaded when a client first asks for what
// they do.

import { nonceOf } from "../runtime/evaluate";
import { ProtocolError } from "./registry";

/** The folders that have the bundles, in order of preference. */
const baseUrls: string[] = [];
const loaded = new Map<string, Promise<unknown>>();

/** Adds the folder of `url`, such as that of agent.js, to where bundles come from. */
export function addBaseUrl(url: string): void {
  if (!url) return;
  const place = new URL(".", url).href;
  if (!baseUrls.includes(place)) baseUrls.push(place);
}

/**
 * The exports of an ES module in one of the places. Throws the reason where the page's
 * Content Security Policy, or the want of a place, lets none load.
 */
export async function load<T>(name: string): Promise<T> {
  let module = loaded.get(name);
  if (!module) loaded.set(name, (module = loadFromAny(name)));
  try {
    return (await module) as T;
  } catch (e) {
    loaded.delete(name); // the next command may find the server awake
    throw e;
  }
}

/** Whether a URL is that of a bundle, whose loading is no doing of the page's. */
export function isBundle(url: string): boolean {
  return [...loaded.keys()].some((name) => baseUrls.some((place) => url === place + name));
}

async function loadFromAny(name: string): Promise<unknown> {
  for (const place of baseUrls) {
    const url = place + name;
    try {
      return await import(url).catch(() => loadByElement(url).then(() => import(url)));
    } catch {
      // the next place, if there is one
    }
  }
  throw new ProtocolError(
    `The page could not load ${name}: its Content Security Policy forbids it, or nothing serves it`,
  );
}

/** Where the policy forbids import(), a script element with the agent's nonce may still bring the module. */
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

/** Runs what a bundle exports: its errors are for the client where they carry a code. */
export async function withClientErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (e) {
    const { message, code } = e as { message: string; code?: number };
    if (code === undefined) throw e;
    throw new ProtocolError(message, code);
  }
}
