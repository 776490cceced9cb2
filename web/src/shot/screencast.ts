// Page.startScreencast: a picture of the viewport after each change of the page, drawn as Page.captureScreenshot
// draws it.
//
// Pictures are sent, and not the page's DOM: a viewer then needs one kind of message for every target, also for those
// of a browser; no markup of the app gets into the viewer's page; and the app's text is not copied.

import type { Protocol } from "../cdp";
import { ClientError } from "../clienterror";
import * as dom from "./dom";
import { draft, forget } from "./draft";
import { clearTimeout, setTimeout, lend, type Natives } from "./natives";
import { formatOf, type Options, qualityOf, viewport } from "./options";
import { documentIn, exposeNodes } from "../realms";

/** Who gets the pictures: a session of the agent. */
export interface Receiver {
  emit(method: "Page.screencastFrame", params: Protocol.Page.ScreencastFrameEvent): void;
  emit(method: "Page.screencastVisibilityChanged", params: Protocol.Page.ScreencastVisibilityChangedEvent): void;
}

/** Draws a picture of the viewport: base64. */
type Draw = (o: Omit<Options, "region">) => Promise<string>;

interface Cast {
  format: "png" | "jpeg";
  quality: number | undefined;
  maxWidth: number;
  maxHeight: number;
  /** Minimum time between pictures, in milliseconds: every nth frame at 60 frames a second. */
  every: number;
  /** Whether a person acts in the pictures: they come sooner, at the cost of the page. */
  inUse: boolean;
  /** The number that acknowledges its pictures. */
  id: number;
  unacked: number;
  changed: boolean;
}

/**
 * Maximum number of unacknowledged pictures. Beyond that the newest state of the page waits, and older states are
 * never sent.
 */
const MAX_UNACKED = 2;
/** After drawing, nothing is drawn for this many times as long: drawing takes a fifth of the main thread. */
const REST = 4;
const SHORTEST_REST_MS = 50;
/** The same while a person acts: half of the main thread. */
const REST_IN_USE = 1;
/** What changes within this time after a person has acted is drawn without a rest. */
const REACTION_MS = 200;
/** Maximum rest that is left for later while a person acts again and again. */
const DEBT_MS = 250;
/** How long after a draft the whole picture is drawn, and for how long there are drafts in its place. */
const SETTLE_MS = 150;
const DRAFTS_MS = 1000;
/** Elements whose changes cannot be observed. */
const UNOBSERVABLE = "video,canvas";
const POLL_MS = 1000;

const casts = new Map<Receiver, Cast>();
let lastId = 0;
let draw: Draw;

/** `inUse` is the hub's own: a person acts in the pictures. */
export type CastParams = Protocol.Page.StartScreencastRequest & { inUse?: boolean };

/** Begins to send pictures, with the errors of Chromium 156 for params. */
export function startCast(to: Receiver, p: CastParams, natives: Natives, by: Draw): void {
  const format = formatOf(p.format);
  if (format === "webp") throw new ClientError("Invalid image format", -32602);
  lend(natives);
  draw = by;
  casts.set(to, {
    format,
    quality: qualityOf(p.quality),
    maxWidth: p.maxWidth && p.maxWidth > 0 ? p.maxWidth : Infinity,
    maxHeight: p.maxHeight && p.maxHeight > 0 ? p.maxHeight : Infinity,
    every: (1000 / 60) * Math.max(1, p.everyNthFrame ?? 1),
    inUse: p.inUse === true,
    id: ++lastId,
    unacked: 0,
    changed: true,
  });
  watch(true);
  to.emit("Page.screencastVisibilityChanged", { visible: !document.hidden });
  plan();
}

export function stopCast(to: Receiver): void {
  casts.delete(to);
  if (!inUse()) forget();
  if (casts.size === 0) watch(false);
}

export function acknowledge(to: Receiver, id: number): void {
  const c = casts.get(to);
  if (!c || c.id !== id || c.unacked === 0) return;
  c.unacked--;
  plan();
}

// --------------------------------------------------------------- drawing

let planned = false;
let timer: number | undefined;
/** Whether a person waits to see what an action has done: it is drawn without a rest. */
let urgent = false;
let drawing = false;
/** When the rest of the page is over, and when a person acted last. */
let rested = 0;
let acted = -Infinity;

const ready = (): [Receiver, Cast][] => [...casts].filter(([, c]) => c.changed && c.unacked < MAX_UNACKED);

/** Draws when there is something to draw, and the page has had its time. */
function plan(): void {
  const due = ready();
  if (planned || drawing || due.length === 0) return;
  planned = true;
  const rest = rested - performance.now();
  const wait = urgent && rest < DEBT_MS ? 0 : Math.max(rest, Math.min(...due.map(([, c]) => c.every)));
  timer = setTimeout(() => void drawAll(), wait);
}

async function drawAll(): Promise<void> {
  const start = performance.now();
  const drawn = urgent && certain && start - since < DRAFTS_MS ? draft(dirty) : undefined;
  planned = urgent = false;
  drawing = true;
  if (drawn) since = Math.min(since, start);
  else {
    dirty.clear();
    certain = true;
    since = Infinity;
  }
  try {
    for (const [to, c] of ready()) await drawFor(to, c, drawn);
  } finally {
    drawing = false;
    const now = performance.now();
    const rest = inUse() ? (now - start) * REST_IN_USE : Math.max((now - start) * REST, SHORTEST_REST_MS);
    rested = Math.max(now, inUse() ? rested : 0) + rest;
    if (drawn) {
      rested = Math.max(rested, now + SETTLE_MS);
      for (const c of casts.values()) c.changed = true;
    }
    observeInside();
    if (moving()) changed();
    else plan();
  }
}

async function drawFor(to: Receiver, c: Cast, drawn: string | undefined): Promise<void> {
  const { innerWidth, innerHeight } = window;
  if (!innerWidth || !innerHeight) return; // it has no size, and is drawn when it gets one
  c.changed = false;
  const scale = Math.min(devicePixelRatio, c.maxWidth / innerWidth, c.maxHeight / innerHeight);
  const size = (n: number): number => Math.max(1, Math.round(n * scale));
  const { x, y } = viewport();
  let data: string;
  try {
    const { format, quality } = c;
    data = await draw({
      format,
      quality,
      width: size(innerWidth),
      height: size(innerHeight),
      draft: drawn,
      keep: c.inUse,
    });
  } catch {
    certain = false;
    return; // the document is being unloaded, or cannot be drawn: the next change is another attempt
  }
  if (casts.get(to) !== c) return;
  c.unacked++;
  to.emit("Page.screencastFrame", {
    data,
    metadata: {
      offsetTop: 0,
      pageScaleFactor: 1,
      deviceWidth: innerWidth,
      deviceHeight: innerHeight,
      scrollOffsetX: x,
      scrollOffsetY: y,
      timestamp: Date.now() / 1000,
    },
    sessionId: c.id,
  });
}

// --------------------------------------------------------------- changes

const EVENTS =
  "scroll resize change focusin focusout load toggle transitionrun transitionend animationstart animationend mouseover mouseout pointerdown pointerup " +
  "selectionchange fullscreenchange hashchange play";
/** What a person does, whose effect is to be seen at once. */
const ACTS = "keydown pointerup click input wheel";

/** The observers, by the tree that each observes; undefined without a screencast. */
let observers: Map<Document | ShadowRoot, MutationObserver> | undefined;
let watches = 0;

const inUse = (): boolean => [...casts.values()].some((c) => c.inUse);

/** The elements that have changed since the last whole picture, whether nothing else has, and when the first draft was. */
const dirty = new Set<Element>();
let certain = false;
let since = Infinity;

/** Notes a change. A draft shows what has been typed, and cannot show what other events stand for. */
function changed(e?: Event): void {
  const selects = e?.type === "selectionchange";
  if (!selects && e?.type !== "input") certain = false;
  note(!selects);
}

/** Has a change drawn, at once if it may be what a person waits for. */
function note(hurry: boolean): void {
  for (const c of casts.values()) c.changed = true;
  if (hurry && !urgent && inUse() && performance.now() - acted < REACTION_MS) {
    urgent = true;
    clearTimeout(timer);
    planned = false;
  }
  plan();
}

/** Notes changes of the tree. */
function mutated(records: MutationRecord[]): void {
  for (const { type, target, addedNodes, removedNodes } of records) {
    const el = type === "characterData" ? target.parentElement : (target as Element);
    const moves = [...addedNodes, ...removedNodes].some((n) => n.nodeType === 1);
    if (!el || moves || target.getRootNode() !== document) certain = false;
    else dirty.add(el);
  }
  note(true);
}

/** An act alone changes nothing: what the page does at it is observed. What is typed into a field cannot be. */
function act(e: Event): void {
  acted = performance.now();
  if (e.type !== "input") return;
  if (e.target instanceof Element) dirty.add(e.target);
  changed(e);
}

/** Whether an element is one of the product's own, such as the overlay of DevTools. */
const own = (n: Node): boolean => dom.isElement(n) && dom.closest(n, `[${dom.OURS}]`) !== null;

/** Whether a change is one of the product's own elements. An element that was removed again has the attribute itself. */
function isOwn(r: MutationRecord): boolean {
  if (own(r.target)) return true;
  const nodes = [...r.addedNodes, ...r.removedNodes];
  return r.type === "childList" && nodes.length > 0 && nodes.every(own);
}

function watch(on: boolean): void {
  if (on === (observers !== undefined)) return;
  const change = on ? addEventListener : removeEventListener;
  for (const name of ACTS.split(" ")) change(name, act, { capture: true, passive: true });
  for (const name of EVENTS.split(" ")) change(name, changed, { capture: true, passive: true });
  change.call(document as unknown as Window, "visibilitychange", visibility);
  if (!on) {
    for (const o of observers?.values() ?? []) o.disconnect();
    observers = undefined;
    return;
  }
  observers = new Map();
  observe(document);
  observeInside();
  poll(++watches);
}

function observe(root: Document | ShadowRoot): void {
  if (!observers || observers.has(root)) return;
  const doc = root.ownerDocument ?? (root as Document);
  const observer = new MutationObserver((records) => {
    if (doc !== document) exposeNodes(doc);
    const changes = records.filter((r) => !isOwn(r));
    if (changes.length > 0) mutated(changes);
  });
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  observers.set(root, observer);
}

/** Shadow trees and the documents of frames are trees of their own. */
function observeInside(root: ParentNode = document): void {
  for (const old of observers?.keys() ?? []) if (isGone(old)) observers?.delete(old);
  for (const el of root.querySelectorAll("*")) {
    const inner = dom.shadowRootOf(el) ?? (dom.isHtml(el, "iframe") ? documentIn(el as HTMLIFrameElement) : undefined);
    if (!inner) continue;
    observe(inner);
    observeInside(inner);
  }
}

const isGone = (root: Document | ShadowRoot): boolean => !(root.ownerDocument ?? (root as Document)).defaultView;

function visibility(): void {
  for (const to of casts.keys()) to.emit("Page.screencastVisibilityChanged", { visible: !document.hidden });
  changed();
}

/** Whether an animation is running. */
const moving = (): boolean => document.getAnimations?.().some((a) => a.playState === "running") === true;

/** Polls for changes that cannot be observed. `n` is the number of the watch that it belongs to, `moved` what the last one saw. */
function poll(n: number, moved = false): void {
  setTimeout(() => {
    if (!observers || n !== watches) return;
    const moves = moving();
    if (document.querySelector(UNOBSERVABLE) || moves || moved) changed(); // once more where it has come to rest
    poll(n, moves);
  }, POLL_MS);
}
