// Tells Clients that the nodes they know are gone with their document.

import { added } from "../base/added";
import { type Session, emit } from "../base/session";

declare module "../base/added" {
  interface Added {
    forgetClientTree(s: Session): void;
  }
}

export function documentUpdated(): void {
  emit("DOM", "DOM.documentUpdated", (s) => {
    added.forgetClientTree?.(s);
    return {};
  });
}
