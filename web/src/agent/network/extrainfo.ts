// What the proxy in front of the app tells of requests of script, once their responses come:
// script sees neither all headers nor lines of one name apart.

import type { ExtraEvent } from "../../wire/proxy";
import { originals } from "../base/originals";
import type { Asker, Refusal } from "./cors";

type Win = Window & typeof globalThis;

/** How long a response waits for what the proxy or a timing entry says of it, in milliseconds. */
export const EXTRA_MS = 150;

/** What network.js knows of requests by the proxy. */
interface ProxyNews {
  extraOf(method: string, url: string): Promise<ExtraEvent | undefined> | undefined;
  refusalAtProxy(method: string, a: Asker): Promise<Refusal | undefined>;
}

let there: ProxyNews | undefined;
/** Whether the proxy sends news of requests. */
let told = false;

/** Sets where the proxy's news is kept, once the part that keeps it is loaded. */
export function addProxyNews(news: ProxyNews): void {
  there = news;
}

/** Sets whether the proxy sends news of requests. */
export function expectExtras(on: boolean): void {
  told = on;
}

/** The proxy's news of requests; undefined while the proxy sends none. */
export function proxyNews(): ProxyNews | undefined {
  return told ? there : undefined;
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
    originals.setTimeout(() => end(false), EXTRA_MS);
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
