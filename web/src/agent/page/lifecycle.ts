// How far each frame's document has come: Page.lifecycleEvent and the older
// events beside it.

import { type Frame, frameOfDocument, mainFrame } from "./frames";
import { added } from "../base/added";
import { monotonic, originals } from "../base/originals";
import { type Session, allSessions, emit, emitTo } from "../base/session";
import { inFlight } from "../network/unfinished";

/** How long the number of requests must stay within the limit in IDLE (Chromium's IdlenessDetector). */
const IDLE_MS = 500;
const IDLE = { networkAlmostIdle: 2, networkIdle: 0 };

interface Mark {
  name: string;
  timestamp: number;
}

/** What a frame's current document has reached, in order. */
const reached = new WeakMap<Frame, Mark[]>();
/** Running timers, by the name of the mark that they will set. */
const timers = new WeakMap<Frame, Map<string, number>>();
/** Replayed when lifecycle events are switched on; `init` is not among them, as in Chromium 156. */
const REPLAYED = new Set(["commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle"]);

function marks(frame: Frame): Mark[] {
  let list = reached.get(frame);
  if (!list) reached.set(frame, (list = []));
  return list;
}

function has(frame: Frame, name: string): boolean {
  return marks(frame).some((m) => m.name === name);
}

function tell(list: Session[], frame: Frame, mark: Mark): void {
  emitTo(list, "Page.lifecycleEvent", { frameId: frame.id, loaderId: frame.loaderId, ...mark });
}

function listeners(): Session[] {
  return [...allSessions()].filter((s) => s.lifecycle);
}

/** Notes that a document has come this far, and tells the sessions. */
export function mark(frame: Frame, name: string): void {
  const m = { name, timestamp: monotonic() };
  marks(frame).push(m);
  tell(listeners(), frame, m);
}

/** A new document begins in a frame. `between` sends the events that come before its commit. */
export function begin(frame: Frame, between?: () => void): void {
  stopTimers(frame);
  reached.set(frame, []);
  mark(frame, "init");
  between?.();
  mark(frame, "commit");
}

/** Whether a frame's document has had its load event. */
export function isLoaded(frame: Frame): boolean {
  return has(frame, "load");
}

/** Sends the marks of a frame's document to the sessions that want lifecycle events. */
export function replayMarks(frame: Frame): void {
  for (const m of marks(frame)) tell(listeners(), frame, m);
}

/** Forgets the marks of a frame's document: another agent reports it from now on. */
export function forgetMarks(frame: Frame): void {
  stopTimers(frame);
  reached.delete(frame);
}

function stopTimers(frame: Frame): void {
  for (const timer of timers.get(frame)?.values() ?? []) originals.clearTimeout(timer);
  timers.delete(frame);
}

/** Waits until a loaded document has been quiet for long enough; again with each request that begins or ends. */
export function awaitQuiet(frame: Frame): void {
  if (!frame.win || !has(frame, "load")) return;
  const waiting = timers.get(frame) ?? new Map<string, number>();
  timers.set(frame, waiting);
  const requests = inFlight(frame.win.document);
  for (const [name, most] of Object.entries(IDLE)) {
    const timer = waiting.get(name);
    if (requests > most) {
      originals.clearTimeout(timer);
      waiting.delete(name);
    } else if (timer === undefined && !has(frame, name)) {
      waiting.set(
        name,
        originals.setTimeout(() => mark(frame, name), IDLE_MS),
      );
    }
  }
}

/** Whether a document has been quiet for long enough. */
export function isQuiet(frame: Frame): boolean {
  return has(frame, "networkIdle");
}

/** Whether it is the main frame of the Target. */
function isTop(frame: Frame): boolean {
  return frame === mainFrame() && !frame.parentId;
}

/** DOMContentLoaded has fired in a frame; repeated calls are ignored. */
export function contentLoaded(frame: Frame): void {
  if (has(frame, "DOMContentLoaded")) return;
  if (isTop(frame)) emit("Page", "Page.domContentEventFired", { timestamp: monotonic() });
  mark(frame, "DOMContentLoaded");
}

declare module "../base/added" {
  interface Added {
    /** Runs f when the agents of child frames have reported their load events. */
    afterChildren(f: () => void): void;
  }
}

let earlier: Promise<void> | undefined;

/** Delays the report of the main frame's load event, so that events of earlier requests come first. */
export function holdLoad(until: Promise<void>): void {
  earlier = until.finally(() => (earlier = undefined));
}

/**
 * load has fired in a frame; repeated calls are ignored. Child frames load before their parent, so their events are
 * sent first.
 */
export function loaded(frame: Frame): void {
  if (frame !== mainFrame()) return tellLoaded(frame);
  const list = reached.get(frame);
  const tell = (): void =>
    added.afterChildren?.(() => {
      if (reached.get(frame) === list) tellLoaded(frame);
    });
  if (earlier) void earlier.then(tell);
  else tell();
}

function tellLoaded(frame: Frame): void {
  if (has(frame, "load")) return;
  contentLoaded(frame);
  if (isTop(frame)) emit("Page", "Page.loadEventFired", { timestamp: monotonic() });
  mark(frame, "load");
  added.framesChanged?.();
  emit("Page", "Page.frameStoppedLoading", { frameId: frame.id });
  awaitQuiet(frame);
}

/**
 * Sets the marks that a document has already reached, after `begin`. document.readyState is not enough: "interactive"
 * lasts until load, and a document that was stopped is "complete" without a load event (HTML, "abort a document").
 * The navigation timing entry is.
 */
export function markReached(frame: Frame): void {
  const win = frame.win;
  if (!win) return;
  const entry = win.performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  if (entry ? entry.loadEventStart > 0 : win.document.readyState === "complete") loaded(frame);
  else if (entry && entry.domContentLoadedEventEnd > 0) contentLoaded(frame);
}

/**
 * Wraps window.stop(). A document that it stops may get no load event, but Clients still wait for
 * Page.frameStoppedLoading.
 */
export function installStop(win: Window): void {
  const native = win.stop;
  win.stop = function stop(): void {
    native.call(win);
    const frame = frameOfDocument(win.document);
    if (frame && !has(frame, "load")) emit("Page", "Page.frameStoppedLoading", { frameId: frame.id });
    tellDue(); // stop() in a frame can fire the load events of the documents around it before it returns
  };
}

/**
 * Runs f in a later task, when all listeners of the current event are done: Chromium reports the event after them.
 */
export function afterListeners(f: () => void): void {
  due.push(f);
  originals.setTimeout(tellDue, 0);
}

const due: (() => void)[] = [];

function tellDue(): void {
  for (const f of due.splice(0)) f();
}

/** Page.setLifecycleEventsEnabled. */
export function setLifecycle(s: Session, enabled: boolean, frames: Frame[]): void {
  s.lifecycle = enabled;
  if (!enabled) return;
  for (const f of frames) for (const m of marks(f)) if (REPLAYED.has(m.name)) tell([s], f, m);
}
