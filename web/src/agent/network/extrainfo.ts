// Headers of script's requests as the proxy in front of the app saw them. Script does not see all headers, and sees
// several lines of one name as one.

import type { ExtraEvent } from "../../wire/proxy";
import { added } from "../base/added";
import { originals } from "../base/originals";
import type { Asker, Refusal } from "./cors";

type Win = Window & typeof globalThis;

/** How long the report of a response waits for the proxy or a timing entry, in milliseconds. */
export const EXTRA_MS = 150;

/** What the part network.js knows from the proxy. */
interface ProxyReports {
  extraOf(method: string, url: string): Promise<ExtraEvent | undefined> | undefined;
  refusalOf(method: string, a: Asker): Promise<Refusal | undefined>;
}

declare module "../base/added" {
  interface Added {
    proxyReports: ProxyReports;
  }
}

/** Whether the proxy reports requests. */
let isReporting = false;

/** Sets whether the proxy reports requests. */
export function expectExtras(on: boolean): void {
  isReporting = on;
}

/** The reports of the proxy; undefined while the proxy sends none. */
export function proxyReports(): ProxyReports | undefined {
  return isReporting ? added.proxyReports : undefined;
}

/**
 * Whether a service worker has answered a request that began at this time, in seconds since 1970. Only its timing
 * entry says so, which comes after the body. Undefined if no service worker controls the page.
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
 * Adds the cookies that script can read to request headers, if the request had cookies: the proxy does not report
 * their values. Cookies that the response has set were not in the request.
 */
export function withCookies(
  win: Window | null | undefined,
  sent: Record<string, string>,
  came: Record<string, string>,
): Record<string, string> {
  const { Cookie, ...others } = sent;
  if (Cookie === undefined) return sent;
  const set = (came["set-cookie"] ?? "").split("\n").map((line) => line.split("=")[0].trim());
  const readable = cookiesOf(win).filter((c) => c && !set.includes(c.split("=")[0]));
  return readable.length ? { ...others, Cookie: readable.join("; ") } : others;
}

function cookiesOf(win: Window | null | undefined): string[] {
  try {
    return win?.document.cookie.split("; ") ?? [];
  } catch {
    return []; // a sandboxed document has none
  }
}
