// Requests of elements and stylesheets, and beacons. No wrapped function makes
// them; the browser's timing entries (Resource Timing) report them afterwards and
// without headers.

import type { Protocol } from "../../cdp";
import { isOfProxy } from "../link/hub";
import { isBundle } from "../base/bundles";
import { atProxy, warnOfPast } from "../page/moved";
import { originals } from "../base/originals";
import { isUrl } from "../base/urls";
import { takeOwnAddress } from "../link/scriptelement";
import { keepUrl } from "./bodies";
import { netErrorOf } from "./neterror";
import { streamUrls } from "./eventsource";
import { Exchange } from "./exchange";
import { welcomed } from "./reporter";
import { isProxied, refreshUpstream } from "./upstream";
import { timing } from "./responsefields";
import { payloadOf } from "./payload";

type Win = Window & typeof globalThis;

/** PerformanceResourceTiming, of which not every browser has the last two. */
type Entry = Omit<PerformanceResourceTiming, "responseStatus"> & { responseStatus?: number; contentType?: string };

/** Initiators of requests that wrapped functions and the frame watcher report. */
const reportedElsewhere = new Set(["fetch", "xmlhttprequest", "iframe", "frame"]);
const byInitiator: Record<string, Protocol.Network.ResourceType> = {
  img: "Image",
  image: "Image",
  input: "Image",
  body: "Image",
  script: "Script",
  video: "Media",
  audio: "Media",
  source: "Media",
  track: "TextTrack",
  beacon: "Ping",
  ping: "Ping",
};
const byExtension: [RegExp, Protocol.Network.ResourceType][] = [
  [/\.(woff2?|ttf|otf|eot)$/i, "Font"],
  [/\.(png|jpe?g|gif|svg|webp|avif|ico|bmp)$/i, "Image"],
  [/\.css$/i, "Stylesheet"],
  [/\.m?js$/i, "Script"],
  [/\.(mp4|webm|ogg|mp3|wav|m4a)$/i, "Media"],
  [/\.(webmanifest|manifest)$/i, "Manifest"],
];

/** Network.ResourceType of a timing entry. */
function typeOf(e: Entry): Protocol.Network.ResourceType {
  const known = byInitiator[e.initiatorType];
  if (known) return known;
  const { pathname } = new URL(e.name);
  return byExtension.find(([ext]) => ext.test(pathname))?.[1] ?? (e.initiatorType === "link" ? "Stylesheet" : "Other");
}

const MAX_SEEN = 5000;
/** Requests that the proxy has reported, by their addresses. */
const reported = new Map<string, number>();

/** Notes such a request. */
export function noteReported(url: string): void {
  if (reported.size > MAX_SEEN) reported.clear();
  reported.set(url, (reported.get(url) ?? 0) + 1);
}

/** Whether a timing entry belongs to such a request. Each call uses up one. */
function takeReported(url: string): boolean {
  const n = reported.get(url) ?? 0;
  if (n > 0) reported.set(url, n - 1);
  return n > 0;
}

const watched = new WeakSet<Performance>(); // by Performance: a WindowProxy stays the same for the next document

/**
 * Reports the resources of a window, including those loaded before the call.
 * For the main frame it is called once its sessions are known, so that they get
 * the events of what the document loads first.
 */
export function watchResources(win: Win): void {
  if (watched.has(win.performance)) return;
  watched.add(win.performance);
  new win.PerformanceObserver((list) => {
    for (const e of list.getEntries() as Entry[]) {
      const known =
        reportedElsewhere.has(e.initiatorType) ||
        isOfProxy(e.name) ||
        takeReported(e.name) ||
        (e.initiatorType === "other" && streamUrls.has(e.name));
      if (known || takeOwnAddress(e.name) || isBundle(e.name) || endBeacon(e)) continue;
      // The error event of an element may come after the timing entry.
      if (e.responseStatus) report(win, e);
      else originals.setTimeout(() => report(win, e), 20);
    }
  }).observe({ type: "resource", buffered: true });
}

function report(win: Win, e: Entry): void {
  const at = (ms: number): number => (win.performance.timeOrigin + ms) / 1000;
  const x = new Exchange(win, typeOf(e), {
    url: e.name,
    method: "GET",
    headers: {},
    at: at(e.startTime),
    initiator: { type: "other" },
  });
  if (takeFailure(e.name) && !e.responseStatus) return x.failed(...netErrorOf(e.name));
  keepUrl(x.id, e.name);
  warnOfPast(e.name);
  recentEntries.add(e.name);
  originals.setTimeout(() => recentEntries.delete(e.name), 2 * ENTRY_MS);
  const cached = e.transferSize === 0 && e.decodedBodySize > 0;
  x.responded({
    url: e.name,
    status: e.responseStatus ?? 200,
    contentType: e.contentType,
    at: at(e.responseStart || e.responseEnd),
    more: {
      timing: timingOf(win, e),
      fromDiskCache: cached,
      encodedDataLength: e.transferSize,
      ...(e.nextHopProtocol && { protocol: e.nextHopProtocol }),
    },
  });
  x.finished(undefined, e.transferSize, at(e.responseEnd));
}

/** Network.ResourceTiming of a timing entry. */
export function timingOf(win: Window, e: Entry): Protocol.Network.ResourceTiming {
  const start = e.fetchStart;
  const since = (t: number): number => (t > 0 ? t - start : -1);
  const looked = e.domainLookupEnd > e.domainLookupStart;
  const connected = e.connectEnd > e.connectStart;
  const secured = connected && e.secureConnectionStart > 0;
  return timing((win.performance.timeOrigin + start) / 1000, {
    ...(looked && { dnsStart: since(e.domainLookupStart), dnsEnd: since(e.domainLookupEnd) }),
    ...(connected && { connectStart: since(e.connectStart), connectEnd: since(e.connectEnd) }),
    ...(secured && { sslStart: since(e.secureConnectionStart), sslEnd: since(e.connectEnd) }),
    sendStart: Math.max(0, since(e.requestStart)),
    sendEnd: Math.max(0, since(e.requestStart)),
    receiveHeadersStart: Math.max(0, since(e.responseStart)),
    receiveHeadersEnd: Math.max(0, since(e.responseStart)),
  });
}

// ------------------------------------------------- elements that failed

const failures = new Map<string, number>();
/** URLs with a recent timing entry. An entry with a status may come before the error event. */
const recentEntries = new Set<string>();
/** How long a failure waits for its timing entry. Some failures have none. */
const ENTRY_MS = 500;

/** Listens for elements whose resource fails to load; again after document.open, which removes the listener. */
export function watchElements(win: Win): void {
  win.addEventListener(
    "error",
    (e) => {
      const from = e.target;
      if (!(from instanceof win.Element)) return;
      const url = from.getAttribute("src") ?? from.getAttribute("href");
      if (url && isUrl(url, from.baseURI)) noteFailed(win, from, new URL(url, from.baseURI).href);
    },
    true,
  );
}

function noteFailed(win: Win, element: Element, url: string): void {
  if (reported.has(url)) return;
  failures.set(url, (failures.get(url) ?? 0) + 1);
  originals.setTimeout(async () => {
    // What the proxy reports of the time before its connection comes with that.
    await welcomed;
    if (isProxied()) await refreshUpstream();
    if (!takeFailure(url) || recentEntries.has(url) || reported.has(url)) return;
    const type = byInitiator[element.localName] ?? (element.localName === "link" ? "Stylesheet" : "Other");
    new Exchange(win, type, { url, method: "GET", headers: {}, initiator: { type: "other" } }).failed(
      ...netErrorOf(url),
    );
  }, ENTRY_MS);
}

function takeFailure(url: string): boolean {
  const n = failures.get(url) ?? 0;
  if (n > 1) failures.set(url, n - 1);
  else failures.delete(url);
  return n > 0;
}

// --------------------------------------------------------------- beacons

const beacons: Exchange[] = [];
/** How long a beacon's timing entry may take. */
const BEACON_MS = 30_000;

/** Wraps navigator.sendBeacon of a window. */
export function installBeacon(win: Win): void {
  const { prototype } = win.Navigator;
  const { sendBeacon } = prototype;
  prototype.sendBeacon = function (url: string | URL, data?: BodyInit | null): boolean {
    const to = atProxy(String(url), win.document.baseURI);
    const sent = sendBeacon.call(this, to, data);
    if (sent) beginBeacon(win, new URL(to, win.document.baseURI).href, data);
    return sent;
  };
}

function beginBeacon(win: Win, url: string, data: unknown): void {
  const payload = payloadOf(data);
  const x = new Exchange(win, "Ping", {
    url,
    method: "POST",
    headers: payload?.type ? { "Content-Type": payload.type } : {},
    payload,
  });
  beacons.push(x);
  originals.setTimeout(() => {
    if (beacons.includes(x)) beacons.splice(beacons.indexOf(x), 1);
    x.failed("net::ERR_FAILED");
  }, BEACON_MS);
}

/** Ends the beacon that a timing entry belongs to. Returns false if there is none. */
function endBeacon(e: Entry): boolean {
  if (e.initiatorType !== "beacon") return false;
  const i = beacons.findIndex((x) => x.request.url === e.name.split("#")[0]);
  if (i < 0) return false;
  const [x] = beacons.splice(i, 1);
  x.responded({ url: e.name, status: e.responseStatus ?? 200, contentType: e.contentType });
  x.finished(undefined, e.transferSize);
  return true;
}
