// Bodies of responses and requests that Clients may ask for later, bounded in number and bytes.

import { hubOfProxy } from "../link/hub";
import { originals } from "../base/originals";
import type { Payload } from "./payload";

const MAX_BODIES = 200;
/** Limit of all response bodies together, in bytes. A longer body is not kept. */
export const MAX_BYTES = 20_000_000;
const MAX_URLS = 1000;

/** null for one that was too long to be kept. */
export const bodies = new Map<string, Uint8Array | null>();
export const payloads = new Map<string, Payload>();
export const urls = new Map<string, string>();
let held = 0;

/** Keeps a response body for Network.getResponseBody, null where it is too long; takes over the bytes. */
export function keepBody(id: string, body: Uint8Array | null): void {
  if (body && body.length > MAX_BYTES) body = null;
  bodies.set(id, body);
  held += body?.length ?? 0;
  for (const [old, b] of bodies) {
    if (bodies.size <= MAX_BODIES && held <= MAX_BYTES) break;
    bodies.delete(old);
    held -= b?.length ?? 0;
  }
}

/** Keys of the response bodies that a proxy keeps, by request id. */
export const documents = new Map<string, string>();
/** The key of the last response, by URL. */
const latest = new Map<string, string>();

/** Notes that a proxy before the app keeps what came for a request, and from which address, if that is no document's. */
export function keepDocument(id: string, key: string, url?: string): void {
  bounded(documents, id, key, MAX_BODIES);
  if (url) bounded(latest, url, key, MAX_BODIES);
}

/**
 * Fetches what the page got for a URL. A Client may have answered the request, or may intercept the next one, and a
 * server may answer each request differently. So a new request is made only if neither the proxy nor the browser has
 * kept the response.
 */
export async function fetchKept(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const key = latest.get(String(input));
  if (key && hubOfProxy()) {
    const kept = await originals.fetch(`${hubOfProxy()}/body/${key}`, { cache: "no-store" });
    if (kept.ok) return kept;
  }
  return originals.fetch(input, { cache: "force-cache", ...init });
}

/** Notes the address of a response whose body the page's script has not seen. */
export function keepUrl(id: string, url: string): void {
  bounded(urls, id, url, MAX_URLS);
}

/** Keeps the body of a request for Network.getRequestPostData. */
export function keepPayload(id: string, payload: Payload): void {
  if ((payload.bytes?.length ?? 0) <= MAX_BYTES / 10) bounded(payloads, id, payload, MAX_BODIES / 2);
}

function bounded<T>(map: Map<string, T>, id: string, value: T, max: number): void {
  map.set(id, value);
  for (const old of map.keys()) {
    if (map.size <= max) break;
    map.delete(old);
  }
}

/** The bytes at a URL of the document's own origin; undefined if they cannot be read. */
export async function bytesAt(url: string, cache: RequestCache): Promise<Uint8Array | undefined> {
  try {
    const r = await originals.fetch(url, { cache });
    return r.ok || cache === "force-cache" ? new Uint8Array(await r.arrayBuffer()) : undefined;
  } catch {
    return undefined;
  }
}
