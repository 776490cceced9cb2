// What the Application and Sources panels of DevTools read.
await visit("/storage", {
  html: "<p id=p>t</p><script>localStorage.book = 'of fields';<\/script><script src='/shot.js' type=module><\/script>",
});
const storageId = { securityOrigin: APP, isLocalStorage: true };

// DOM storage, whose changes are told.
await cdp("DOMStorage.enable");
await value("localStorage['__hubAgent.x'] = localStorage.added = '1'");
is((await event("DOMStorage.domStorageItemAdded")).key, "added");
await value("localStorage.added = '2'");
const updated = await event("DOMStorage.domStorageItemUpdated");
is([updated.oldValue, updated.newValue, updated.storageId.isLocalStorage], ["1", "2", true]);
await cdp("DOMStorage.removeDOMStorageItem", { storageId, key: "added" });
is((await event("DOMStorage.domStorageItemRemoved")).key, "added");
await value("localStorage.clear()");
await event("DOMStorage.domStorageItemsCleared");
is(
  events.filter((e) => e.params?.key?.startsWith("__hubAgent.")),
  [],
  "what the agent keeps is not told",
);
await cdp("DOMStorage.disable");

// IndexedDB.
await cdp("IndexedDB.enable");
const storageKey = (await cdp("Storage.getStorageKey", {})).storageKey;
await cdp("Storage.trackIndexedDBForStorageKey", { storageKey });
await value(`new Promise((done) => {
  const open = indexedDB.open("birds", 3);
  open.onupgradeneeded = () => {
    const store = open.result.createObjectStore("seen", { keyPath: "id", autoIncrement: true });
    store.createIndex("name", "name");
    for (const name of ["heron", "crane", "stork"]) store.add({ name });
  };
  open.onsuccess = () => (open.result.close(), done(1));
})`);
is((await event("Storage.indexedDBListUpdated")).storageKey, storageKey);
await cdp("Storage.untrackIndexedDBForStorageKey", { storageKey });
await cdp("Storage.trackIndexedDBForOrigin", { origin: APP });
await cdp("Storage.untrackIndexedDBForOrigin", { origin: APP });
is((await cdp("IndexedDB.requestDatabaseNames", { storageKey })).databaseNames, ["birds"]);
const where = { storageKey, databaseName: "birds", objectStoreName: "seen" };
const { databaseWithObjectStores: birds } = await cdp("IndexedDB.requestDatabase", where);
is(
  [birds.name, birds.version, birds.objectStores.map((s) => [s.name, s.keyPath, s.indexes[0].name])],
  ["birds", 3, [["seen", { type: "string", string: "id" }, "name"]]],
);
const rows = await cdp("IndexedDB.requestData", { ...where, indexName: "name", skipCount: 1, pageSize: 1 });
is([rows.objectStoreDataEntries.map((e) => [e.key.value, e.primaryKey.value]), rows.hasMore], [[["heron", 1]], true]);
is(rows.objectStoreDataEntries[0].value.type, "object");
is((await cdp("IndexedDB.getMetadata", where)).entriesCount, 3);
const one = { type: "number", number: 1 };
await cdp("IndexedDB.deleteObjectStoreEntries", {
  ...where,
  keyRange: { lower: one, upper: one, lowerOpen: false, upperOpen: false },
});
is((await cdp("IndexedDB.getMetadata", where)).entriesCount, 2);
await cdp("IndexedDB.clearObjectStore", where);
is((await cdp("IndexedDB.getMetadata", where)).entriesCount, 0);
await fails(cdp("IndexedDB.requestDatabase", { ...where, databaseName: "none" }), "Could not open database.");
await cdp("IndexedDB.deleteDatabase", where);
is((await cdp("IndexedDB.requestDatabaseNames", { storageKey })).databaseNames, []);
await cdp("IndexedDB.disable");

// Caches.
await cdp("Storage.trackCacheStorageForStorageKey", { storageKey });
await value("caches.open('c').then((c) => c.addAll(['/data.json', '/agent.js'])).then(() => 1)");
await event("Storage.cacheStorageListUpdated");
await cdp("Storage.untrackCacheStorageForStorageKey", { storageKey });
await cdp("Storage.trackCacheStorageForOrigin", { origin: APP });
await cdp("Storage.untrackCacheStorageForOrigin", { origin: APP });
const { caches: list } = await cdp("CacheStorage.requestCacheNames", { storageKey });
is(
  list.map((c) => [c.cacheName, c.storageKey]),
  [["c", storageKey]],
);
const [{ cacheId }] = list;
const entries = await cdp("CacheStorage.requestEntries", { cacheId, skipCount: 0, pageSize: 9, pathFilter: "data" });
is(
  entries.cacheDataEntries.map((e) => [e.requestURL, e.responseStatus]),
  [[APP + "/data.json", 200]],
);
const kept = await cdp("CacheStorage.requestCachedResponse", {
  cacheId,
  requestURL: APP + "/data.json",
  requestHeaders: [],
});
is(atob(kept.response.body), '{"answer":42}');
await cdp("CacheStorage.deleteEntry", { cacheId, request: APP + "/data.json" });
is((await cdp("CacheStorage.requestEntries", { cacheId })).returnCount, 1);
await cdp("CacheStorage.deleteCache", { cacheId });
await fails(cdp("CacheStorage.requestEntries", { cacheId }), "Could not find cache with given id");

// How much there is, and clearing it.
is((await cdp("Storage.getUsageAndQuota", { origin: APP })).quota > 0, true);
await value("localStorage.x = 1");
await cdp("Storage.clearDataForOrigin", { origin: APP, storageTypes: "local_storage,indexeddb" });
is(await value("localStorage.length"), 0);
await fails(
  cdp("Storage.clearDataForStorageKey", { storageKey: "http://x.example/", storageTypes: "all" }),
  "The storage is that of another origin, out of the reach of this document's script",
);
await cdp("ServiceWorker.enable");
is((await event("ServiceWorker.workerRegistrationUpdated")).registrations, []);
await fails(cdp("ServiceWorker.unregister", { scopeURL: APP + "/" }), "No service worker has that scope");
await cdp("ServiceWorker.disable");

// Scripts and resources.
const { debuggerId } = await cdp("Debugger.enable");
is(typeof debuggerId, "string");
const script = await until("the script", () =>
  events.find((e) => e.method === "Debugger.scriptParsed" && e.params.url.endsWith("/shot.js")),
);
const { scriptId } = script.params;
is(script.params.isModule, true);
const { scriptSource } = await cdp("Debugger.getScriptSource", { scriptId });
is([scriptSource.includes("cdphub"), scriptSource.length], [true, script.params.length]);
const found = await cdp("Debugger.searchInContent", { scriptId, query: "CDPHUB, apache" });
is(
  found.result.map((m) => m.lineNumber),
  [0],
);
is(
  (await cdp("Debugger.searchInContent", { scriptId, query: "^nowhere$", isRegex: true, caseSensitive: true })).result,
  [],
);
is(await cdp("Debugger.getPossibleBreakpoints", { start: { scriptId, lineNumber: 0 } }), { locations: [] });
for (const [method, params] of [
  ["setBreakpointByUrl", { lineNumber: 1, url: "x" }],
  ["pause", {}],
])
  await fails(
    cdp("Debugger." + method, params),
    `Debugger.${method} is not possible in an embedded frame: script cannot stop at a line, so there are no breakpoints`,
  );
await cdp("Debugger.setPauseOnExceptions", { state: "none" });
const { frameTree } = await cdp("Page.getResourceTree");
is(frameTree.resources.map((r) => [r.url, r.type]).find(([url]) => url.endsWith("/shot.js"))[1], "Script");
const read = { frameId: "MAIN", url: APP + "/shot.js" };
is((await cdp("Page.getResourceContent", read)).content, scriptSource);
is((await cdp("Page.searchInResource", { ...read, query: "cdphub, Apache" })).result.length, 1);
await fails(
  cdp("Page.getResourceContent", { ...read, url: APP + "/data.json?other" }),
  "No resource with given URL found",
);
is(
  (await cdp("Page.getInstallabilityErrors")).installabilityErrors.map((e) => e.errorId),
  ["not-in-main-frame"],
);
is(await cdp("Page.getAppId"), {});
await cdp("Debugger.disable");
