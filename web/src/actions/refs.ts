// Refs of elements in snapshots, and handles. They hold weak references, so an element may be collected before its
// ref.

import { Failure } from "./failure";
import { say, type Redacted, word } from "./redact";
import { frameAround } from "./tree";

/** Assigns refs such as "e12" or "h3" to elements. An element keeps its ref. */
export class Refs {
  private readonly names = new WeakMap<Element, { ref: Redacted; key: string }>();
  private readonly elements = new Map<string, WeakRef<Element>>();
  private last = 0;

  constructor(private readonly prefix: Redacted) {}

  /** The ref of an element. An element whose key has changed gets a new one. */
  of(el: Element, key = ""): Redacted {
    const known = this.names.get(el);
    if (known && known.key === key) return known.ref;
    const ref = say`${this.prefix}${++this.last}`;
    this.names.set(el, { ref, key });
    this.elements.set(ref, new WeakRef(el));
    return ref;
  }

  /** The element of a ref, if it is still in a document. */
  find(ref: string): Element | undefined {
    const el = this.elements.get(ref)?.deref();
    if (!el?.isConnected) {
      this.elements.delete(ref);
      return undefined;
    }
    return this.names.get(el)?.ref === ref ? el : undefined;
  }
}

/** The handles of WaitForSelector. */
export const handles = new Refs(word("h"));

/** The refs of YAML snapshots, by their common beginning in a document. */
const tables = new Map<string, { doc: Document; refs: Refs }>();

/**
 * The refs of a document: "e12" in this document, and "f1e12" in its first frame. If this document is itself a frame
 * of the page that is read, `above` is its own prefix: with "f2" the refs are "f2e12" and "f2f1e12".
 */
export function refsOf(doc: Document, above: Redacted): Refs {
  const frame = doc === document ? undefined : frameAround(doc);
  const name = say`${above}${frame ? frameName(frame) : word("")}e`;
  let table = tables.get(name);
  if (table?.doc !== doc) tables.set(name, (table = { doc, refs: new Refs(name) }));
  return table.refs;
}

const frames = new WeakMap<Element, Redacted>();
let lastFrame = 0;

/** The prefix of a frame's refs, such as "f1", by its element. */
export function frameName(frame: Element): Redacted {
  let name = frames.get(frame);
  if (!name) frames.set(frame, (name = say`f${++lastFrame}`));
  return name;
}

export function findYAML(ref: string): Element {
  const el = tables.get(ref.replace(/\d+$/, ""))?.refs.find(ref);
  if (!el) throw stale(ref);
  return el;
}

export function stale(ref: string): Failure {
  return new Failure(
    "StaleRef",
    `element not found: ${ref} is in no snapshot of this document any more; take a new one`,
  );
}
