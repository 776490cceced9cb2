// What the proxy in front of the app tells of requests of script, once their responses come:
// script sees neither all headers nor lines of one name apart.

import type { ExtraEvent } from "../../wire/proxy";
import { originals } from "../base/originals";
import { isSameServer } from "../base/urls";
import { proxyBase } from "../link/hub";

type Win = Window & typeof globalThis;

/** How long a response waits for what the proxy has sent before it, on another connection. */
const WAIT_MS = 150;
/** After that, what nobody has asked for is of a request that was given up, or of a worker. */
const STALE_MS = 1_000;
const MAX = 200;

const early: { key: string; at: number; extra: ExtraEvent }[] = [];
const waiting: { key: string; take(extra?: ExtraEvent): void }[] = [];

/** Set while the proxy tells of requests. */
let told = false;

/** Notes whether the proxy tells of requests. */
export function expectExtras(on: boolean): void {
  told = on;
}

const keyOf = (method: string, url: string): string => `${method} ${url.split("#")[0]}`;

/** Takes an event of the proxy. */
export function extraCame(extra: ExtraEvent): void {
  const key = keyOf(extra.method, extra.url);
  const i = waiting.findIndex((w) => w.key === key);
  if (i >= 0) return waiting.splice(i, 1)[0].take(extra);
  early.push({ key, at: originals.now(), extra });
  if (early.length > MAX) early.shift();
}

/** What the proxy tells of a request whose response has come; undefined where it tells nothing. */
export function extraOf(method: string, url: string): Promise<ExtraEvent | undefined> | undefined {
  const base = proxyBase();
  if (!told || !base || !isSameServer(new URL(url), new URL(base))) return undefined;
  const key = keyOf(method, url);
  while (early.length && originals.now() - early[0].at > STALE_MS) early.shift();
  const i = early.findIndex((e) => e.key === key);
  if (i >= 0) return Promise.resolve(early.splice(i, 1)[0].extra);
  return new Promise((resolve) => {
    const own = { key, take: resolve };
    waiting.push(own);
    originals.setTimeout(() => {
      const at = waiting.indexOf(own);
      if (at >= 0) waiting.splice(at, 1);
      resolve(undefined);
    }, WAIT_MS);
  });
}

/**
 * Whether a service worker has answered a request that began then, in seconds since 1970. Its timing entry says
 * so, which comes after the body. Undefined where no worker controls the page.
 */
export function answeredByWorker(win: Win, url: string, start: number): Promise<boolean> | undefined {
  const { performance, navigator } = win;
  if (!navigator.serviceWorker?.controller) return undefined;
  const since = start * 1000 - performance.timeOrigin - 1;
  return new Promise((resolve) => {
    const end = (yes: boolean): void => {
      observer.disconnect();
      resolve(yes);
    };
    const observer = new win.PerformanceObserver((list) => {
      const e = list.getEntriesByName(url).find((entry) => entry.startTime >= since);
      if (e) end((e as PerformanceResourceTiming).workerStart > 0);
    });
    observer.observe({ type: "resource", buffered: true });
    originals.setTimeout(() => end(false), WAIT_MS);
  });
}

/**
 * Request headers with the cookies that script can read, where some were sent: the proxy does not tell
 * of them. Those that the response has set were not there before.
 */
export function withCookies(
  win: Window | null | undefined,
  sent: Record<string, string>,
  came: Record<string, string>,
): Record<string, string> {
  const { cookie, ...others } = sent;
  if (cookie === undefined) return sent;
  const set = (came["set-cookie"] ?? "").split("\n").map((line) => line.split("=")[0].trim());
  const readable = cookiesOf(win).filter((c) => c && !set.includes(c.split("=")[0]));
  return readable.length ? { ...others, cookie: readable.join("; ") } : others;
}

function cookiesOf(win: Window | null | undefined): string[] {
  try {
    return win?.document.cookie.split("; ") ?? [];
  } catch {
    return []; // a sandboxed document has none
  }
}
