// Tells clients that the nodes they know are gone with their document.

import { type Session, emit } from "../base/session";

let forget: (s: Session) => void = () => {};

/** Sets what forgets the tree of a client. */
export function onDocumentUpdated(f: typeof forget): void {
  forget = f;
}

export function documentUpdated(): void {
  emit("DOM", "DOM.documentUpdated", (s) => {
    forget(s);
    return {};
  });
}
