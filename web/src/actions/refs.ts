// Refs of elements in snapshots, and handles. A ref belongs to one element of one document: the hub gives each page
// script numbers that no other script gets, and a script gives each of them to one element. They hold weak references,
// so an element may be collected before its ref.

import type { AnyArgs, Span } from "../wire/verbs";
import { Failure } from "./failure";
import { say, type Redacted, word } from "./redact";
import { documentOf, frameAround } from "./tree";

let numbers: readonly Span[] = [];
let ids: readonly Span[] = [];
let highest = 0;

/** Takes the numbers that the hub has given to this script, with each call. */
export function useNumbers(args: AnyArgs): void {
  numbers = args.numbers ?? [];
  ids = args.ids ?? [];
  highest = 0;
}

/** Whether a number is one of this document's ids in data-rp-id. */
export function isID(n: number): boolean {
  return ids.some(([from, to]) => from <= n && n < to);
}

/** The highest number that this call has given to an element; the hub gives those after it to others. */
export function usedNumbers(): number {
  return highest;
}

/** The next of the given numbers. If there is none, the hub gives more and calls again. */
export function numberAfter(last: number): number {
  for (const [from, to] of numbers) {
    const n = Math.max(last + 1, from);
    if (n >= to) continue;
    highest = Math.max(highest, n);
    return n;
  }
  throw new Failure("NumbersSpent", "limit exceeded: the page has more elements than there are numbers for refs");
}

/** Assigns refs such as "e12" or "h3" to elements. An element keeps its ref. */
export class Refs {
  private readonly names = new WeakMap<Element, { ref: Redacted; key: string }>();
  private readonly elements = new Map<string, WeakRef<Element>>();
  private last = 0;

  constructor(
    private readonly prefix: Redacted,
    private readonly next = numberAfter,
  ) {}

  /** Leaves out the next number. */
  skip(): this {
    this.last = this.next(this.last);
    return this;
  }

  /** The ref of an element. An element whose key has changed gets a new one. */
  of(el: Element, key = ""): Redacted {
    const known = this.names.get(el);
    if (known && known.key === key) return known.ref;
    const ref = say`${this.prefix}${(this.last = this.next(this.last))}`;
    this.names.set(el, { ref, key });
    this.elements.set(ref, new WeakRef(el));
    return ref;
  }

  /** The element of a ref, if it is still in a document and has no newer ref. */
  find(ref: string): Element | undefined {
    const el = this.elements.get(ref)?.deref();
    if (!el) this.elements.delete(ref);
    return el?.isConnected && this.names.get(el)?.ref === ref ? el : undefined;
  }

  /** The key that an element had when it got its ref. */
  keyOf(el: Element): string {
    return this.names.get(el)?.key ?? "";
  }
}

/**
 * The handles of WaitForSelector. The random part keeps a handle from finding an element of the script of another
 * document.
 */
export const handles = new Refs(say`h${Math.floor(Math.random() * 1e15)}.`, (last) => last + 1);

interface Table {
  doc: WeakRef<Document>;
  refs: Refs;
}

/** The refs of YAML snapshots, by document, and by their common beginning. */
const tables = new WeakMap<Document, Refs>();
const byPrefix = new Map<string, Table>();

/**
 * The refs of a document: "e12" in this document, and "f1e12" in that of its first frame. If this document is itself
 * a frame of the page that is read, `above` is its own prefix: with "f2" the refs are "f2e12" and "f2f1e12".
 */
export function refsOf(doc: Document, above: Redacted): Refs {
  let refs = tables.get(doc);
  if (!refs) {
    for (const [prefix, table] of byPrefix) if (!isShown(table.doc.deref())) byPrefix.delete(prefix);
    const name = say`${above}${doc === document ? word("") : frameName(doc)}e`;
    refs = new Refs(name);
    if (doc === document) refs.skip(); // as in Playwright, where the body has the first number
    tables.set(doc, refs);
    byPrefix.set(name, { doc: new WeakRef(doc), refs });
  }
  return refs;
}

const frames = new WeakMap<Node, Redacted>();
let lastFrame = 0;

/** The prefix of the refs in a frame, such as "f1": by its document, or by its element where another script reads it. */
export function frameName(frame: Document | Element): Redacted {
  let name = frames.get(frame);
  if (!name) frames.set(frame, (name = say`f${++lastFrame}`));
  return name;
}

/** Whether a document is this one, or one that a frame shows in it. */
function isShown(doc: Document | undefined): boolean {
  if (!doc || doc === document) return doc !== undefined;
  const frame = frameAround(doc);
  return frame?.isConnected === true && documentOf(frame) === doc && isShown(frame.ownerDocument);
}

/** The element of a ref, and the key that it had in the snapshot. */
export function findYAML(ref: string): { el: Element; key: string } {
  const table = byPrefix.get(ref.replace(/\d+$/, ""));
  const doc = table?.doc.deref();
  const el = table && isShown(doc) ? table.refs.find(ref) : undefined;
  // An element that a script has moved into another document is no longer in this one.
  if (!table || !el || el.ownerDocument !== doc) throw stale(ref);
  return { el, key: table.refs.keyOf(el) };
}

export function stale(ref: string): Failure {
  return new Failure("StaleRef", `element not found: ${ref} is in no snapshot of this document: take a new snapshot`);
}
