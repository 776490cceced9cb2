// The Storage domain: usage, clearing, and which lists have changed.

import type { Protocol } from "../../cdp";
import { CommandError, type Handlers, type Session, agent } from "../agent";

const KINDS = ["IndexedDB", "CacheStorage"] as const;
type Kind = (typeof KINDS)[number];

const tracked = new Map<Session, Set<Kind>>();
const names = new Map<Kind, string>();
let running = false;

async function list(kind: Kind): Promise<string> {
  try {
    if (kind === "IndexedDB") return (await indexedDB.databases()).map((d) => `${d.name} ${d.version}`).join("\n");
    return (await caches.keys()).join("\n");
  } catch {
    return ""; // the document may have none
  }
}

async function look(): Promise<void> {
  for (const kind of KINDS) {
    const now = await list(kind);
    const before = names.get(kind);
    names.set(kind, now);
    if (before === undefined || before === now) continue;
    const where = { origin: location.origin, storageKey: `${location.origin}/`, bucketId: "" };
    for (const [s, kinds] of tracked) {
      if (!kinds.has(kind)) continue;
      if (kind === "IndexedDB") s.emit("Storage.indexedDBListUpdated", where);
      else s.emit("Storage.cacheStorageListUpdated", where);
    }
  }
  running = tracked.size > 0;
  if (running) agent.originals.setTimeout(() => void look(), 1000);
}

async function track(kind: Kind, s: Session): Promise<void> {
  tracked.set(s, (tracked.get(s) ?? new Set()).add(kind));
  if (running) return;
  running = true;
  names.clear();
  await look();
}

function untrack(kind: Kind, s: Session): void {
  tracked.get(s)?.delete(kind);
  if (!tracked.get(s)?.size) forget(s);
}

export function forget(s: Session): void {
  tracked.delete(s);
}

function ownOrigin(origin: string): void {
  if (origin.replace(/\/$/, "") !== location.origin)
    throw new CommandError("The storage is that of another origin, out of the reach of this document's script");
}

async function clear(types: string, s: Session): Promise<void> {
  const wanted = new Set(types.split(","));
  const has = (t: string): boolean => wanted.has(t) || wanted.has("all");
  if (has("local_storage")) localStorage.clear();
  if (has("local_storage")) sessionStorage.clear();
  if (has("indexeddb"))
    for (const { name } of await indexedDB.databases()) if (name !== undefined) indexedDB.deleteDatabase(name);
  if (has("cache_storage") && "caches" in window) for (const name of await caches.keys()) await caches.delete(name);
  if (has("service_workers"))
    for (const r of (await navigator.serviceWorker?.getRegistrations()) ?? []) await r.unregister();
  if (has("cookies")) await agent.call("Storage.clearCookies", {}, s);
}

async function usage(): Promise<Protocol.Storage.GetUsageAndQuotaResponse> {
  const { usage = 0, quota = 0 } = (await navigator.storage?.estimate()) ?? {};
  return { usage, quota, overrideActive: false, usageBreakdown: [] };
}

export const storage: Handlers<"Storage"> = {
  getUsageAndQuota: (p) => {
    ownOrigin(p.origin);
    return usage();
  },
  clearDataForOrigin: (p, s) => {
    ownOrigin(p.origin);
    return clear(p.storageTypes, s);
  },
  clearDataForStorageKey: (p, s) => {
    ownOrigin(p.storageKey);
    return clear(p.storageTypes, s);
  },
  trackIndexedDBForOrigin: (_p, s) => track("IndexedDB", s),
  trackIndexedDBForStorageKey: (_p, s) => track("IndexedDB", s),
  untrackIndexedDBForOrigin: (_p, s) => untrack("IndexedDB", s),
  untrackIndexedDBForStorageKey: (_p, s) => untrack("IndexedDB", s),
  trackCacheStorageForOrigin: (_p, s) => track("CacheStorage", s),
  trackCacheStorageForStorageKey: (_p, s) => track("CacheStorage", s),
  untrackCacheStorageForOrigin: (_p, s) => untrack("CacheStorage", s),
  untrackCacheStorageForStorageKey: (_p, s) => untrack("CacheStorage", s),
};
