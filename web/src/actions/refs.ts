// The elements that snapshots and handles name. What a ref names may go: refs
// hold on to nothing.

import { Failure } from "./failure";

/** Names for elements, which stay with them: "e12", "h3". */
export class Refs {
  private readonly names = new WeakMap<Element, { ref: string; key: string }>();
  private readonly elements = new Map<string, WeakRef<Element>>();
  private last = 0;

  constructor(private readonly prefix: string) {}

  /** The name of an element. One whose key has changed gets another. */
  of(el: Element, key = ""): string {
    const known = this.names.get(el);
    if (known && known.key === key) return known.ref;
    const ref = `${this.prefix}${++this.last}`;
    this.names.set(el, { ref, key });
    this.elements.set(ref, new WeakRef(el));
    return ref;
  }

  /** The element of that name, if it is still there. */
  find(ref: string): Element | undefined {
    const el = this.elements.get(ref)?.deref();
    if (!el?.isConnected) {
      this.elements.delete(ref);
      return undefined;
    }
    return this.names.get(el)?.ref === ref ? el : undefined;
  }
}

/** The refs of YAML snapshots: each document counts for itself, f1, f2, … being the frames in the order in which they were met. */
const documents = new Map<Document, Refs>();
/** The handles of WaitForSelector. */
export const handles = new Refs("h");

export function refsOf(doc: Document): Refs {
  let refs = documents.get(doc);
  if (!refs) {
    for (const old of documents.keys()) if (old !== document && !old.defaultView) documents.delete(old);
    refs = new Refs(doc === document ? "e" : `f${++frames}e`);
    documents.set(doc, refs);
  }
  return refs;
}

let frames = 0;

export function findYAML(ref: string): Element {
  for (const refs of documents.values()) {
    const el = refs.find(ref);
    if (el) return el;
  }
  throw stale(ref);
}

export function stale(ref: string): Failure {
  return new Failure("StaleRef", `element not found: ${ref} is in no snapshot of this document any more; take a new one`);
}
