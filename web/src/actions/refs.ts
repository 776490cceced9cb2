// Names for elements in snapshots, and handles. They hold weak references, so a
// name may outlive its element.

import { Failure } from "./failure";
import { say, type Redacted, word } from "./redact";
import { frameAround } from "./tree";

/** Names for elements, which stay with them: "e12", "h3". */
export class Refs {
  private readonly names = new WeakMap<Element, { ref: Redacted; key: string }>();
  private readonly elements = new Map<string, WeakRef<Element>>();
  private last = 0;

  constructor(private readonly prefix: Redacted) {}

  /** The name of an element. One whose key has changed gets another. */
  of(el: Element, key = ""): Redacted {
    const known = this.names.get(el);
    if (known && known.key === key) return known.ref;
    const ref = say`${this.prefix}${++this.last}`;
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

/** The handles of WaitForSelector. */
export const handles = new Refs(word("h"));

/** The refs of YAML snapshots, by what all of a document's begin with. */
const tables = new Map<string, { doc: Document; refs: Refs }>();

/**
 * The refs of a document: "e12" here, and "f1e12" in the first frame that was
 * met. Where this document is itself a frame of the page that is read, `above`
 * is "f2", say: "f2e12", "f2f1e12".
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

/** The name of a frame, by its element: "f1". */
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
