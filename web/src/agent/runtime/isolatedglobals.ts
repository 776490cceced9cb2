// The globals that code of an isolated world sees. All worlds of a frame share one
// window here, so a page that deletes Node or replaces Map would break clients'
// code too. Code of an isolated world therefore runs with variables of these
// names around it, which hold what the window had at first.

import type { Win } from "../page/frames";
import { cuts } from "./statements";

/**
 * Reading all globals would cost tens of milliseconds for each document: these are what programs use
 * and pages replace.
 */
const NAMES =
  "AbortController AbortSignal Array ArrayBuffer BigInt Boolean DataView Date Error Float32Array Float64Array Int32Array Uint8Array Uint16Array Uint32Array " +
  "Function JSON Map Math Number Object Promise Proxy RangeError Reflect RegExp Set String Symbol SyntaxError TypeError WeakMap WeakRef WeakSet Intl " +
  "parseInt parseFloat isNaN isFinite decodeURIComponent encodeURIComponent atob btoa structuredClone queueMicrotask getComputedStyle performance crypto " +
  "setTimeout clearTimeout setInterval clearInterval requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback " +
  "Blob CSS CustomEvent DataTransfer Document DocumentFragment DOMException DOMParser DOMRect Element Event EventTarget File FileReader FormData " +
  "DragEvent FocusEvent InputEvent KeyboardEvent MouseEvent PointerEvent TouchEvent WheelEvent " +
  "HTMLElement HTMLButtonElement HTMLFormElement HTMLIFrameElement HTMLInputElement HTMLLabelElement HTMLOptionElement HTMLSelectElement HTMLTextAreaElement " +
  "IntersectionObserver MutationObserver ResizeObserver Node NodeFilter Range Selection ShadowRoot SVGElement Text TextDecoder TextEncoder URL URLSearchParams " +
  "XMLSerializer XPathResult";

const names = NAMES.split(" ");
const mentioned = new RegExp(`(?:^|[^.\\w$])(${names.join("|")})(?![\\w$])`, "g"); // without a lookbehind, which WebKit has since Safari 16.4
const KEY = "__hubAgent.natives";

/** Remembers the globals of a window, before its page's scripts run. */
export function rememberGlobals(win: Win): void {
  const from = win as unknown as Record<string, unknown>;
  if (KEY in win) return;
  const natives = Object.fromEntries(names.map((name) => [name, from[name]]));
  Object.defineProperty(win, KEY, { value: natives });
}

/**
 * A program as the worlds of a window run it. As a block it keeps what it
 * declares by var, and its value wherever eval runs it; a script element gives
 * that of an expression only, and there other programs stay as they are.
 */
export function shielded(win: Win, source: string, byEval: boolean): string {
  const own = new Set([...source.matchAll(/\bvar\s+([\w$]+)/g)].map((m) => m[1]));
  const used = [...new Set([...source.matchAll(mentioned)].map((m) => m[1]))].filter((name) => !own.has(name));
  if (!used.length || !(KEY in win)) return source;
  const variables = `let{${used.join()}}=this["${KEY}"];`;
  const strict = /^\s*(["'])use strict\1/.test(source) ? '"use strict";' : "";
  if (byEval) return `${strict}{${variables}{${source}\n}}`;
  const [[before, expression] = ["", ""], ...more] = cuts(source);
  return before || more.length || !expression ? source : `(()=>{${variables}return (${expression}\n)})()`;
}
