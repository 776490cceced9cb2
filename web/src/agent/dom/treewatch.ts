// Watches a document for elements that hold frames, in its open and closed
// shadow trees too.
//
// In a child frame no node may be reached through what an observer or an event
// hands over: what shows a node to script first decides of which window's
// classes it is, and a callback of this window makes it one of this window's.

import type { Owner } from "../page/frames";
import { isElement } from "./nodes";

type Win = Window & typeof globalThis;

interface Watch {
  /** One for the document, one for all its shadow trees. */
  observers: MutationObserver[];
  shadows: Set<WeakRef<ShadowRoot>>;
  /** Reports, if frames have come or gone unless `always`. */
  report(always?: unknown): void;
}

const watched = new Map<Document, Watch>();
const SELECTOR = "iframe,frame";
const WHAT = { childList: true, subtree: true };

/**
 * While no client drives the page, nothing watches what it changes, which would cost it time: then frames are found
 * when they have loaded, and all of them once a client comes.
 */
let asleep = false;
/** Markup has made shadow trees meanwhile. */
let undeclared = false;

/**
 * Calls `changed` with all such elements now and whenever frames have come or gone, and with none after each other change
 * of the document; while asleep, of its head.
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
    doc.addEventListener("load", report, true); // it does not tell of frames in shadow trees
  }
}

/** Goes on after document.open, which has taken the listeners off. */
export function reopened(doc: Document): void {
  const watch = asleep && watched.get(doc);
  if (watch) connect(doc, watch);
}

/** Sets whether a client drives the page. */
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

/**
 * Looks at what has changed but has not been reported yet: Chromium tells of frames before it answers
 * the command that made them.
 */
export function flushChanges(): void {
  for (const [doc, { observers, report }] of watched) {
    if (!doc.defaultView) watched.delete(doc);
    else report(asleep || mayBringFrames(doc, observers[1].takeRecords()));
  }
}

/** Hooks into the making of a window's shadow trees. */
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

/** How many trees come before those that are gone are forgotten, while nothing else does that. */
const PRUNE = 1000;

function add(root: ShadowRoot): void {
  const watch = watched.get(root.ownerDocument);
  if (!watch) return;
  watch.shadows.add(new WeakRef(root));
  if (!asleep) watch.observers[1].observe(root, WHAT);
  else if (watch.shadows.size % PRUNE === 0) connected(watch.shadows);
}

/** Finds the open shadow trees that markup has made, of which no call of script tells. */
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
