// The globals that the agent uses, saved before the page's scripts run. A page
// may replace any of them later, and polyfills do.

import { takeCanvasMethods } from "../../canvasmethods";
import { stringify } from "../../stringify";

const { parent } = window;

/** The window around a window. A page may have a `parent` of its own (`var parent = 1`). */
export const parentOf = (win: Window): Window => (win === window ? parent : win.parent);

/** The native functions as they were at boot. */
export const originals = {
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
  requestAnimationFrame: window.requestAnimationFrame?.bind(window), // not in every browser's workers
  cancelAnimationFrame: window.cancelAnimationFrame?.bind(window),
  queueMicrotask: window.queueMicrotask.bind(window),
  // Not bound: in WebKit the message would come from the window that the bound function is of.
  postToParent: (message: unknown, origin: string, ports: MessagePort[]): void =>
    parent.postMessage(message, origin, ports),
  parse: JSON.parse.bind(JSON),
  stringify,
  // For messages to the developer of the page. Clients do not get them, since the original console is used.
  warn: console.warn.bind(console),
  now: Date.now.bind(Date),
  fetch: window.fetch.bind(window),
  XMLHttpRequest: window.XMLHttpRequest,
  xhrOpen: window.XMLHttpRequest.prototype.open as (method: string, url: string, async: boolean) => void,
  xhrSend: window.XMLHttpRequest.prototype.send,
  functionText: Function.prototype.toString,
  objectTag: Object.prototype.toString,
  ...(window.HTMLCanvasElement && { canvas: takeCanvasMethods() }), // none in workers
};

/** A random integer of 1 to 999,999: the base of all ids this document mints. */
export let base = randomBase();

function randomBase(): number {
  return 1 + (crypto.getRandomValues(new Uint32Array(1))[0] % 999_999);
}

/** Takes another base. To be called before a Client knows an id of this document. */
export function rebase(): void {
  base = randomBase();
}

/** Which million of node ids a document with this base has. 2000 of them stay below 2^31. */
export function slotOf(b: number): number {
  return b % 2000;
}

/** Unique per document. */
export const docId = hexId(32);

/** Random hexadecimal digits in upper case, as Chromium writes its ids. */
export function hexId(digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(digits / 2));
  return Array.from(bytes, (b) => (b < 16 ? "0" : "") + b.toString(16))
    .join("")
    .toUpperCase();
}

/** Seconds of a monotonic clock, as CDP's MonotonicTime. */
export function monotonic(): number {
  return performance.timeOrigin / 1000 + performance.now() / 1000;
}

let counter = 0;

/** Mints an id unique in this document and all others: "BASE.N". */
export function mint(): string {
  return `${base}.${++counter}`;
}
