// Watches a document for elements that hold frames, in its open and closed
// shadow trees too.

import type { Owner } from "./frames";

const watched = new Map<Document, { observer: MutationObserver; look(records: MutationRecord[]): void }>();
const SELECTOR = "iframe,frame";

/** Calls `changed` with all such elements now and after every change of the document. */
export function observe(doc: Document, changed: (owners: Owner[]) => void): void {
  if (watched.has(doc)) return;
  const shadows = new Set<ShadowRoot>();
  const report = (): void => {
    const roots = [doc, ...[...shadows].filter((s) => s.isConnected)];
    changed(roots.flatMap((r) => [...r.querySelectorAll<Owner>(SELECTOR)]));
  };
  const look = (records: MutationRecord[]): void => {
    if (records.length === 0) return;
    for (const { target } of records) {
      const root = target.getRootNode() as ShadowRoot;
      if (root.host && root.querySelector(SELECTOR)) shadows.add(root);
    }
    report();
  };
  const observer = new MutationObserver(look);
  observer.observe(doc, { childList: true, subtree: true });
  watched.set(doc, { observer, look });
  report();
}

/** Looks at what has changed but has not been reported yet: Chromium tells of frames before it answers the command that made them. */
export function flushChanges(): void {
  for (const [doc, { observer, look }] of watched) {
    if (doc.defaultView) look(observer.takeRecords());
    else watched.delete(doc);
  }
}

/** Hooks into the making of a window's shadow trees. */
export function watchShadows(win: Window & typeof globalThis): void {
  const { prototype } = win.Element;
  const native = prototype.attachShadow;
  prototype.attachShadow = function attachShadow(this: Element, init: ShadowRootInit): ShadowRoot {
    const root = native.call(this, init);
    watched.get(this.ownerDocument)?.observer.observe(root, { childList: true, subtree: true });
    return root;
  };
}
