// The IndexedDB domain, by the page's own API.

import type { Protocol } from "../../cdp";
import { CommandError, type Handlers, type Session, agent } from "../agent";

type Key = Protocol.IndexedDB.Key;

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the request has failed"));
  });
}

/** Runs f with an existing database, and closes it. */
async function withDatabase<T>(name: string, f: (db: IDBDatabase) => Promise<T>): Promise<T> {
  if (!(await indexedDB.databases()).some((d) => d.name === name)) throw new CommandError("Could not open database.");
  const db = await done(indexedDB.open(name));
  db.onversionchange = () => db.close();
  try {
    return await f(db);
  } finally {
    db.close();
  }
}

function storeOf(db: IDBDatabase, name: string, mode: IDBTransactionMode = "readonly"): IDBObjectStore {
  if (!db.objectStoreNames.contains(name)) throw new CommandError("Could not get object store");
  return db.transaction(name, mode).objectStore(name);
}

function keyPath(path: string | string[] | null): Protocol.IndexedDB.KeyPath {
  if (path === null) return { type: "null" };
  return typeof path === "string" ? { type: "string", string: path } : { type: "array", array: path };
}

function describe(db: IDBDatabase): Protocol.IndexedDB.DatabaseWithObjectStores {
  const objectStores = Array.from(db.objectStoreNames).map((name) => {
    const store = storeOf(db, name);
    const indexes = Array.from(store.indexNames).map((n) => {
      const { unique, multiEntry, keyPath: path } = store.index(n);
      return { name: n, keyPath: keyPath(path), unique, multiEntry };
    });
    return {
      name,
      keyPath: keyPath(store.keyPath as string | string[] | null),
      autoIncrement: store.autoIncrement,
      indexes,
    };
  });
  return { name: db.name, version: db.version, objectStores };
}

function valueOf(k: Key): IDBValidKey {
  switch (k.type) {
    case "number":
      return k.number as number;
    case "string":
      return k.string as string;
    case "date":
      return new Date(k.date as number);
    case "array":
      return (k.array ?? []).map(valueOf);
    default:
      throw new CommandError("Can not parse key.");
  }
}

function rangeOf(r?: Protocol.IndexedDB.KeyRange): IDBKeyRange | undefined {
  if (!r) return undefined;
  if (r.lower && r.upper) return IDBKeyRange.bound(valueOf(r.lower), valueOf(r.upper), r.lowerOpen, r.upperOpen);
  if (r.lower) return IDBKeyRange.lowerBound(valueOf(r.lower), r.lowerOpen);
  return r.upper ? IDBKeyRange.upperBound(valueOf(r.upper), r.upperOpen) : undefined;
}

function page(
  from: IDBObjectStore | IDBIndex,
  p: Protocol.IndexedDB.RequestDataRequest,
  s: Session,
): Promise<Protocol.IndexedDB.RequestDataResponse> {
  const show = (v: unknown): Protocol.Runtime.RemoteObject =>
    agent.wrap(v, agent.mainContext(agent.mainFrame()), s, { generatePreview: true, objectGroup: "cdphub-indexeddb" });
  return new Promise((resolve, reject) => {
    const objectStoreDataEntries: Protocol.IndexedDB.DataEntry[] = [];
    const request = from.openCursor(rangeOf(p.keyRange));
    let skip = p.skipCount;
    request.onerror = () => reject(request.error ?? new Error("the cursor has failed"));
    request.onsuccess = () => {
      const cursor = request.result;
      if (!cursor || objectStoreDataEntries.length >= p.pageSize)
        return resolve({ objectStoreDataEntries, hasMore: cursor !== null });
      if (skip > 0) {
        cursor.advance(skip);
        skip = 0;
        return;
      }
      const { key, primaryKey, value } = cursor;
      objectStoreDataEntries.push({ key: show(key), primaryKey: show(primaryKey), value: show(value) });
      cursor.continue();
    };
  });
}

export const indexedDb: Handlers<"IndexedDB"> = {
  enable: () => {},
  disable: () => {},
  requestDatabaseNames: async () => ({ databaseNames: (await indexedDB.databases()).map((d) => d.name ?? "") }),
  requestDatabase: (p) => withDatabase(p.databaseName, async (db) => ({ databaseWithObjectStores: describe(db) })),
  requestData: (p, s) =>
    withDatabase(p.databaseName, (db) => {
      const store = storeOf(db, p.objectStoreName);
      return page(p.indexName ? store.index(p.indexName) : store, p, s);
    }),
  getMetadata: (p) =>
    withDatabase(p.databaseName, async (db) => ({
      entriesCount: await done(storeOf(db, p.objectStoreName).count()),
      keyGeneratorValue: 0, // script cannot read it
    })),
  clearObjectStore: (p) =>
    withDatabase(p.databaseName, async (db) => void (await done(storeOf(db, p.objectStoreName, "readwrite").clear()))),
  deleteObjectStoreEntries: (p) =>
    withDatabase(p.databaseName, async (db) => {
      const range = rangeOf(p.keyRange);
      if (!range) throw new CommandError("Can not parse key range.");
      await done(storeOf(db, p.objectStoreName, "readwrite").delete(range));
    }),
  deleteDatabase: async (p) => void (await done(indexedDB.deleteDatabase(p.databaseName))),
};
