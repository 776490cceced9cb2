// Chromium makes the script object of a node when a script first accesses it, in the realm of that script or of the
// node's document, depending on the kind of access (seen in Chromium 150). In a wrong realm `el instanceof
// HTMLElement` is false for the scripts of the page. The functions here access the nodes of a child frame in ways
// that give the right realm.

/** The document in a frame element, or undefined where it is of another origin or there is none. */
export function documentIn(owner: HTMLIFrameElement | HTMLFrameElement): Document | undefined {
  try {
    // Not contentDocument: before a script has run in the frame, it makes the document an object of this realm.
    return owner.contentWindow?.document ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the objects of all nodes of a document, in the document's realm. Otherwise nodes from an observer's records
 * or from an event would be made in the realm of the callback.
 */
export function exposeNodes(doc: Document): void {
  const walker = doc.createTreeWalker(doc);
  while (walker.nextNode());
}
