// The DOM storage of this origin.

import type { Protocol } from "../../cdp";
import "./cookies";
import { ProtocolError, register } from "../base/registry";

register("Storage", {
  getStorageKey: () => ({ storageKey: `${location.origin}/` }),
  getStorageKeyForFrame: () => ({ storageKey: `${location.origin}/` }),
});

function area(p: { storageId: Protocol.DOMStorage.StorageId }): Storage {
  const id: Partial<Protocol.DOMStorage.StorageId> = p.storageId ?? {};
  const origin = String(id.securityOrigin ?? id.storageKey ?? location.origin).replace(/\/$/, "");
  if (origin !== location.origin) throw new ProtocolError("Frame not found for the given storage id");
  return id.isLocalStorage ? localStorage : sessionStorage;
}

register("DOMStorage", {
  getDOMStorageItems: (p) => ({ entries: Object.entries(area(p)) }),
  setDOMStorageItem: (p) => area(p).setItem(p.key, p.value),
  removeDOMStorageItem: (p) => area(p).removeItem(p.key),
  clear: (p) => area(p).clear(),
});
