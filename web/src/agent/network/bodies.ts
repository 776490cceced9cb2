// What clients may ask for after the fact: bodies of responses and requests,
// bounded in number and bytes.

import type { Protocol } from "../../cdp";
import { allFrames } from "../page/frames";
import { hubOfProxy } from "../link/hub";
import { originals } from "../base/originals";
import { ProtocolError } from "../base/registry";
import { type Payload, base64, textOf } from "./payload";

const MAX_BODIES = 200;
/** Of all response bodies together; a longer one is not kept. */
export const MAX_BYTES = 20_000_000;
const MAX_URLS = 1000;

/** null for one that was too long to be kept. */
const bodies = new Map<string, Uint8Array | null>();
const payloads = new Map<string, Payload>();
const urls = new Map<string, string>();
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

/** Responses whose body a proxy keeps: the key, by the request's id. */
const documents = new Map<string, string>();
/** The key of the last response of each address. */
const latest = new Map<string, string>();

/** Notes that a proxy before the app keeps what came for a request, and from which address, if that is no document's. */
export function keepDocument(id: string, key: string, url?: string): void {
  bounded(documents, id, key, MAX_BODIES);
  if (url) bounded(latest, url, key, MAX_BODIES);
}

/**
 * What the page has got for an address: a client may have answered the request, or hold the next one, and a server may
 * answer each request differently. It is asked for anew only where neither the proxy nor the browser has kept it.
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

/** Keeps what a request carries for Network.getRequestPostData. */
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

/** Network.getResponseBody. A document's and a sub-resource's are fetched again, from the cache where it has them. */
export async function getResponseBody(
  p: Protocol.Network.GetResponseBodyRequest,
): Promise<Protocol.Network.GetResponseBodyResponse> {
  const kept = bodies.get(p.requestId);
  if (kept) return encoded(kept);
  if (kept === null) throw new ProtocolError("Request content was evicted from inspector cache");
  const key = documents.get(p.requestId);
  const sent = key && hubOfProxy() && (await bytesAt(`${hubOfProxy()}/body/${key}`, "no-store"));
  if (sent) {
    keepBody(p.requestId, sent);
    return encoded(sent);
  }
  const url = urls.get(p.requestId) ?? allFrames().find((f) => f.win && f.loaderId === p.requestId)?.win?.location.href;
  if (!url) throw new ProtocolError("No resource with given identifier found");
  if (new URL(url).origin !== location.origin) {
    throw new ProtocolError(
      "Network.getResponseBody is not possible in an embedded frame: page script reads bodies of its own origin only",
    );
  }
  const bytes = await bytesAt(url, "force-cache");
  if (!bytes) throw new ProtocolError("No data found for resource with given identifier");
  return encoded(bytes);
}

/** What an address of the document's own origin has; undefined where it cannot be had. */
export async function bytesAt(url: string, cache: RequestCache): Promise<Uint8Array | undefined> {
  try {
    const r = await originals.fetch(url, { cache });
    return r.ok || cache === "force-cache" ? new Uint8Array(await r.arrayBuffer()) : undefined;
  } catch {
    return undefined;
  }
}

function encoded(bytes: Uint8Array): Protocol.Network.GetResponseBodyResponse {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(bytes), base64Encoded: false };
  } catch {
    return { body: base64(bytes), base64Encoded: true };
  }
}

/** Network.getRequestPostData. */
export async function getRequestPostData(
  p: Protocol.Network.GetRequestPostDataRequest,
): Promise<Protocol.Network.GetRequestPostDataResponse> {
  const payload = payloads.get(p.requestId);
  const bytes = payload?.bytes ?? (payload?.blob && new Uint8Array(await payload.blob.arrayBuffer()));
  if (!bytes) throw new ProtocolError("No resource with given id was found");
  return { postData: textOf(bytes) } as Protocol.Network.GetRequestPostDataResponse; // base64Encoded is newer than Chromium 156
}
