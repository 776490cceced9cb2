// The globals for code of an isolated world. All worlds of a frame share one window here, so a page that deletes Node
// or replaces Map would break the code of Clients. So the agent wraps code of an isolated world in declarations of
// these names, with the values that the window had at first.

import type { Win } from "../page/frames";
import { cuts } from "./statements";

/**
 * The names that programs use and pages replace. To read all globals would take tens of milliseconds for each
 * document.
 */
const OTHERS =
  "AbortController AbortSignal DataView Float32Array Float64Array Int32Array Uint16Array Uint32Array Proxy RangeError SyntaxError Intl " +
  "parseInt parseFloat isNaN isFinite decodeURIComponent encodeURIComponent atob btoa structuredClone queueMicrotask getComputedStyle performance crypto " +
  "setTimeout clearTimeout setInterval clearInterval requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback " +
  "CSS CustomEvent DOMRect EventTarget FileReader HTMLButtonElement HTMLIFrameElement HTMLLabelElement HTMLOptionElement " +
  "IntersectionObserver ResizeObserver Range Selection Text " +
  "DragEvent FocusEvent InputEvent KeyboardEvent MouseEvent PointerEvent TouchEvent WheelEvent __sent";

/** In base/builtins.ts, which the build adds to the bundle. */
declare function $names(): string[];

const names = [...new Set([...$names(), ...OTHERS.split(" ")])];
// No lookbehind: WebKit has it only since Safari 16.4.
const mentioned = new RegExp(`(?:^|[^.\\w$])(${names.join("|")})(?![\\w$])`, "g");
const KEY = "__hubAgent.natives";

/**
 * The events of Clients. Playwright's program ignores an untrusted event without a property of this name
 * (playwright-core 1.61, injectedScript.ts, setupHitTargetInterceptor). Pages would see it, so the program gets a
 * question to this set in its place.
 */
export const sent = new WeakSet<Event>();
/** Remembers the globals of a window, before its page's scripts run. */
export function rememberGlobals(win: Win): void {
  const from = win as unknown as Record<string, unknown>;
  if (KEY in win) return;
  const natives = Object.fromEntries(names.map((name) => [name, from[name]]));
  natives.__sent = (e: Event) => sent.has(e);
  Object.defineProperty(win, KEY, { value: natives });
}

/**
 * A program for an isolated world. With eval, the program is put in a block, which keeps its var declarations and its
 * completion value. A script element gives only the value of an expression, so any other program stays as it is.
 */
export function shielded(win: Win, program: string, byEval: boolean): string {
  const source = program.replace(/\b(\w+)\.__pwTrustedSynthetic/g, "__sent($1)");
  const own = new Set([...source.matchAll(/\bvar\s+([\w$]+)/g)].map((m) => m[1]));
  const used = [...new Set([...source.matchAll(mentioned)].map((m) => m[1]))].filter((name) => !own.has(name));
  if (!used.length || !(KEY in win)) return source;
  const variables = `let{${used.join()}}=this["${KEY}"];`;
  const strict = /^\s*(["'])use strict\1/.test(source) ? '"use strict";' : "";
  if (byEval) return `${strict}{${variables}{${source}\n}}`;
  const [[before, expression] = ["", ""], ...more] = cuts(source);
  return before || more.length || !expression ? source : `(()=>{${variables}return (${expression}\n)})()`;
}
