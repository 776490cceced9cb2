// The events of the DOMStorage domain. The storage event does not fire in the document that makes the change, so the
// entries are compared periodically.

import { type Handlers, agent, watchWhileEnabled } from "../agent";
import type { Protocol } from "../../cdp";

type Entries = Map<string, string>;

const seen = new Map<boolean, Entries>();
const OWN = "__hubAgent.";

function entries(local: boolean): Entries {
  const found: Entries = new Map();
  try {
    const area = local ? localStorage : sessionStorage;
    for (let i = 0; i < area.length; i++) {
      const key = area.key(i) as string;
      if (!key.startsWith(OWN)) found.set(key, area.getItem(key) as string);
    }
  } catch {
    // this document may have none
  }
  return found;
}

function look(): void {
  for (const isLocalStorage of [true, false]) {
    const now = entries(isLocalStorage);
    const before = seen.get(isLocalStorage) ?? now;
    seen.set(isLocalStorage, now);
    const storageId: Protocol.DOMStorage.StorageId = {
      securityOrigin: location.origin,
      storageKey: `${location.origin}/`,
      isLocalStorage,
    };
    if (before.size && !now.size) {
      agent.emit("DOMStorage", "DOMStorage.domStorageItemsCleared", { storageId });
      continue;
    }
    for (const key of before.keys())
      if (!now.has(key)) agent.emit("DOMStorage", "DOMStorage.domStorageItemRemoved", { storageId, key });
    for (const [key, newValue] of now) {
      const oldValue = before.get(key);
      if (oldValue === undefined)
        agent.emit("DOMStorage", "DOMStorage.domStorageItemAdded", { storageId, key, newValue });
      else if (oldValue !== newValue)
        agent.emit("DOMStorage", "DOMStorage.domStorageItemUpdated", { storageId, key, oldValue, newValue });
    }
  }
}

const watch = watchWhileEnabled("DOMStorage", 300, look);

export const domStorage: Handlers<"DOMStorage"> = {
  enable: (_p, s) => {
    s.enabled.add("DOMStorage");
    if (!seen.size) look();
    watch();
  },
  disable: () => {},
};
