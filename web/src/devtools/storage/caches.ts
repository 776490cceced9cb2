// The CacheStorage domain, by the page's own API.

import { base64 } from "../../base64";
import type { Protocol } from "../../cdp";
import { CommandError, type Handlers } from "../agent";

const key = (): string => `${location.origin}/`;
const idOf = (name: string): string => `${key()}|${name}`;

/** The caches, which only secure contexts have. */
function storage(): CacheStorage {
  const { caches } = window as { caches?: CacheStorage };
  if (!caches) throw new CommandError("The document has no caches, since its address is not secure");
  return caches;
}

async function cacheOf(id: string): Promise<Cache> {
  const name = id.startsWith(idOf("")) ? id.slice(idOf("").length) : "";
  if (!(await storage().has(name))) throw new CommandError("Could not find cache with given id");
  return storage().open(name);
}

const headersOf = (h: Headers): Protocol.CacheStorage.Header[] => [...h].map(([name, value]) => ({ name, value }));

function describe(request: Request, r: Response | undefined): Protocol.CacheStorage.DataEntry {
  const type =
    r?.type === "error" || !r
      ? "error"
      : r.type === "opaqueredirect"
        ? "opaqueRedirect"
        : r.type === "opaque"
          ? "opaqueResponse"
          : r.type;
  return {
    requestURL: request.url,
    requestMethod: request.method,
    requestHeaders: headersOf(request.headers),
    responseTime: (Date.parse(r?.headers.get("date") ?? "") || 0) / 1000,
    responseStatus: r?.status ?? 0,
    responseStatusText: r?.statusText ?? "",
    responseType: type as Protocol.CacheStorage.CachedResponseType,
    responseHeaders: r ? headersOf(r.headers) : [],
  };
}

export const cacheStorage: Handlers<"CacheStorage"> = {
  requestCacheNames: async () => ({
    caches: (await storage().keys()).map((cacheName) => ({
      cacheId: idOf(cacheName),
      securityOrigin: location.origin,
      storageKey: key(),
      cacheName,
    })),
  }),
  requestEntries: async (p) => {
    const cache = await cacheOf(p.cacheId);
    const all = (await cache.keys()).filter((r) => !p.pathFilter || new URL(r.url).pathname.includes(p.pathFilter));
    const from = p.skipCount ?? 0;
    const some = all.slice(from, p.pageSize === undefined ? undefined : from + p.pageSize);
    const cacheDataEntries = await Promise.all(some.map(async (r) => describe(r, await cache.match(r))));
    return { cacheDataEntries, returnCount: all.length };
  },
  requestCachedResponse: async (p) => {
    const cache = await cacheOf(p.cacheId);
    const found = await cache.match(p.requestURL, { ignoreVary: true });
    if (!found) throw new CommandError("Request not found in cache");
    return { response: { body: base64(new Uint8Array(await found.arrayBuffer())) } };
  },
  deleteCache: async (p) => {
    await cacheOf(p.cacheId);
    await storage().delete(p.cacheId.slice(idOf("").length));
  },
  deleteEntry: async (p) => {
    const cache = await cacheOf(p.cacheId);
    if (!(await cache.delete(p.request, { ignoreVary: true }))) throw new CommandError("Request not found in cache");
  },
};
