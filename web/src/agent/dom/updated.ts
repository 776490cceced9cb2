// Tells Clients that the nodes they know are gone with their document.

import { type Session, emit } from "../base/session";

let forget: (s: Session) => void = () => {};

/** Sets the function that forgets the tree of a Client. It is in a part of the agent. */
export function onDocumentUpdated(f: typeof forget): void {
  forget = f;
}

export function documentUpdated(): void {
  emit("DOM", "DOM.documentUpdated", (s) => {
    forget(s);
    return {};
  });
}
