// Chromium makes the script object of a node when a script first asks for it, in the realm of that script or of the node's
// document, depending on how it was asked for (seen in Chromium 150). In a wrong realm `el instanceof HTMLElement` is
// false for the scripts of the page. Whoever reads a child frame's nodes from outside asks for them in these ways.

/** The document in a frame element, or undefined where it is of another origin or there is none. */
export function documentIn(owner: HTMLIFrameElement | HTMLFrameElement): Document | undefined {
  try {
    // Not contentDocument: before a script has run in the frame, it makes the document one of this realm.
    return owner.contentWindow?.document ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the objects of all nodes of a document, in its own realm. Nodes that an observer's records or an event hand over
 * would be made in the realm of the callback.
 */
export function exposeNodes(doc: Document): void {
  const walker = doc.createTreeWalker(doc);
  while (walker.nextNode());
}
