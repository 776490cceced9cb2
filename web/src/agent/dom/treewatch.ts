// Watches a document for elements that hold frames, in its open and closed shadow trees too.
//
// In a child frame, the agent must not touch nodes that a MutationObserver record or an event hands over. Chromium
// makes the script object of a node at the first access, in the realm of the callback (see realms.ts). Then
// `instanceof` would fail in the page's own scripts.

import type { Owner, Win } from "../page/frames";
import { isElement } from "./nodes";

interface Watch {
  /** One for the document, one for all its shadow trees. */
  observers: MutationObserver[];
  shadows: Set<WeakRef<ShadowRoot>>;
  /** Reports all frames if frames were added or removed, or if `always` is set. */
  report(always?: unknown): void;
}

const watched = new Map<Document, Watch>();
const SELECTOR = "iframe,frame";
const WHAT = { childList: true, subtree: true };

/**
 * Whether no Client drives the page. Then the agent does not observe the whole document, which would slow the page
 * down. It finds a frame when the frame has loaded, and all frames when a Client comes.
 */
let asleep = false;
/** Whether setHTMLUnsafe was called while asleep: it may have made shadow trees that are not watched yet. */
let undeclared = false;

/**
 * Calls `changed` with all frame elements now, and whenever frames were added or removed. After any other change of
 * the document (while asleep, of its head) it calls `changed` without an argument.
 */
export function observe(doc: Document, changed: (owners?: Owner[]) => void): void {
  if (watched.has(doc)) return;
  const shadows = new Set<WeakRef<ShadowRoot>>();
  const win = (doc.defaultView ?? window) as Win;
  let holders: WeakRef<ShadowRoot>[] = [];
  let found: unknown[] = [];
  const report = (always?: unknown): void => {
    const now = windowsIn(win, holders);
    if (!always && now.length === found.length && now.every((w, i) => w === found[i])) return changed();
    holders = [...shadows].filter((ref) => ref.deref()?.querySelector(SELECTOR));
    found = windowsIn(win, holders);
    changed([doc, ...connected(shadows)].flatMap((r) => [...r.querySelectorAll<Owner>(SELECTOR)]));
  };
  const observers = [
    new win.MutationObserver(() => (asleep ? changed() : report())),
    new win.MutationObserver((records) => report(mayBringFrames(doc, records))),
  ];
  const watch = { observers, shadows, report };
  watched.set(doc, watch);
  connect(doc, watch);
  report(true);
}

/**
 * The windows of a document's child frames. A page may change thousands of times a second, and a search of the document
 * each time would take longer than the change. window[0] and on are the frames outside of shadow trees (HTML, "document-tree
 * child navigables"), and a frame that is taken out and put back has another window; `holders` are shadow trees with frames.
 */
function windowsIn(win: Win, holders: WeakRef<ShadowRoot>[]): unknown[] {
  const list: unknown[] = [];
  for (let i = 0; win[i]; i++) list.push(win[i]);
  for (const ref of holders)
    for (const { contentWindow } of ref.deref()?.querySelectorAll<Owner>(SELECTOR) ?? []) list.push(contentWindow);
  return list;
}

/**
 * Whether changes of shadow trees may have brought frames. For a document of a child frame the answer is always
 * yes: the agent must not look at the added nodes there (see the top of this file).
 */
function mayBringFrames(doc: Document, records: MutationRecord[]): boolean {
  const holds = (n: Node): boolean => isElement(n) && (n.matches(SELECTOR) || !!n.querySelector(SELECTOR));
  return records.some((r) => doc !== document || [...r.addedNodes].some(holds));
}

function connect(doc: Document, { observers, shadows, report }: Watch): void {
  for (const o of observers) o.disconnect();
  doc.removeEventListener("load", report, true);
  if (!asleep) {
    observers[0].observe(doc, WHAT);
    for (const root of connected(shadows)) observers[1].observe(root, WHAT);
  } else {
    observers[0].observe(doc.head ?? doc, { ...WHAT, characterData: true });
    // Load events are not composed: those of frames in shadow trees do not arrive here.
    doc.addEventListener("load", report, true);
  }
}

/** Adds the load listener again after document.open, which removes listeners. */
export function reopened(doc: Document): void {
  const watch = asleep && watched.get(doc);
  if (watch) connect(doc, watch);
}

/** Sets whether a Client drives the page. */
export function watchTrees(is: boolean): void {
  if (asleep !== is) return;
  if (!is) flushChanges();
  asleep = !is;
  for (const [doc, watch] of watched) {
    if (!doc.defaultView) watched.delete(doc);
    else {
      connect(doc, watch);
      if (is && undeclared) watchDeclared(doc);
      if (is) watch.report(true);
    }
  }
  undeclared = false;
}

function connected(shadows: Set<WeakRef<ShadowRoot>>): ShadowRoot[] {
  const roots: ShadowRoot[] = [];
  for (const ref of shadows) {
    const root = ref.deref();
    if (!root) shadows.delete(ref);
    else if (root.isConnected) roots.push(root);
  }
  return roots;
}

/** Handles pending mutation records now: Chromium reports frames before it answers the command that made them. */
export function flushChanges(): void {
  for (const [doc, { observers, report }] of watched) {
    if (!doc.defaultView) watched.delete(doc);
    else report(asleep || mayBringFrames(doc, observers[1].takeRecords()));
  }
}

/** Wraps the functions that make shadow trees in a window. */
export function watchShadows(win: Win): void {
  const { prototype } = win.Element;
  const native = prototype.attachShadow;
  prototype.attachShadow = function attachShadow(this: Element, init: ShadowRootInit): ShadowRoot {
    const root = native.call(this, init);
    add(root);
    return root;
  };
  for (const target of [prototype, win.ShadowRoot.prototype]) {
    const { setHTMLUnsafe } = target;
    if (setHTMLUnsafe)
      target.setHTMLUnsafe = function (this: Element | ShadowRoot, ...args) {
        setHTMLUnsafe.apply(this, args);
        if (asleep) undeclared = true;
        else watchDeclared(this);
      };
  }
}

/** While asleep, references to collected shadow trees are removed once for this many new ones. */
const PRUNE = 1000;

function add(root: ShadowRoot): void {
  const watch = watched.get(root.ownerDocument);
  if (!watch) return;
  watch.shadows.add(new WeakRef(root));
  if (!asleep) watch.observers[1].observe(root, WHAT);
  else if (watch.shadows.size % PRUNE === 0) connected(watch.shadows);
}

/** Finds open shadow trees that markup has made (declarative shadow DOM). No wrapped function sees these. */
export function watchDeclared(within: Document | Element | ShadowRoot): void {
  const watch = watched.get(within.ownerDocument ?? (within as Document));
  if (!watch) return;
  const known = new Set(connected(watch.shadows));
  const visit = (root: ParentNode): void => {
    for (const { shadowRoot } of root.querySelectorAll("*")) {
      if (!shadowRoot) continue;
      if (!known.has(shadowRoot)) add(shadowRoot);
      visit(shadowRoot);
    }
  };
  visit(within);
  watch.report(true);
}
