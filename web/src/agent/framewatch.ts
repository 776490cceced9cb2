// Finds same-origin and other child frames, and tells of their documents.

import { installBindings } from "./bindings";
import { createContexts, destroyContexts } from "./contexts";
import {
  type Frame, addFrame, allFrames, childrenOf, describeFrame, frameOfOwner, mainFrame, reach, removeFrame,
} from "./frames";
import { begin, contentLoaded, loaded, watchLoading } from "./lifecycle";
import { hexId } from "./originals";
import { runScriptsIn } from "./scripts";
import { type Session, emit } from "./session";

type Win = Window & typeof globalThis;

const documents = new WeakMap<Frame, Document>();
const observers = new WeakMap<Document, MutationObserver>();
let install: (win: Win) => void = () => {};
let changed: () => void = () => {};

/**
 * Starts watching the main document. `installer` wraps what is to be wrapped
 * in each child window, `onChange` hears of every change to the tree.
 */
export function watchFrames(installer: (win: Win) => void, onChange: () => void): void {
  install = installer;
  changed = onChange;
  watch(mainFrame());
}

/** Watches a frame's document for iframe elements; again after document.open. */
export function watch(frame: Frame): void {
  const doc = frame.win?.document;
  if (!doc || observers.has(doc)) return;
  const observer = new MutationObserver(() => {
    sync(frame);
    if (frame === mainFrame()) changed();
  });
  observer.observe(doc, { childList: true, subtree: true });
  observers.set(doc, observer);
  sync(frame);
}

/** Compares the iframe elements of a frame's document with the table. */
function sync(parent: Frame): void {
  const doc = parent.win?.document;
  if (!doc) return;
  for (const child of childrenOf(parent)) if (!child.owner?.isConnected) detach(child);
  for (const owner of doc.querySelectorAll("iframe")) if (!frameOfOwner(owner)) attach(owner, parent);
}

function attach(owner: HTMLIFrameElement, parent: Frame): void {
  const frame = addFrame(owner, parent);
  owner.addEventListener("load", () => arrived(frame, true));
  emit("Page", "Page.frameAttached", { frameId: frame.id, parentFrameId: parent.id });
  emit("Page", "Page.frameStartedLoading", { frameId: frame.id });
  arrived(frame, frame.win?.document.readyState === "complete" && !pending(owner));
}

/** Whether the blank first document is about to give way to the one asked for. */
function pending(owner: HTMLIFrameElement): boolean {
  const src = owner.getAttribute("src");
  return owner.contentDocument?.URL === "about:blank" && (owner.hasAttribute("srcdoc") || (!!src && src !== "about:blank"));
}

/** A frame has a document: tells of it once, and of its load event. */
function arrived(frame: Frame, complete: boolean): void {
  if (!frame.owner?.isConnected) return;
  frame.win = reach(frame.owner);
  const doc = frame.win?.document;
  if (!doc || documents.get(frame) !== doc) introduce(frame, doc);
  if (!complete) return;
  contentLoaded(frame);
  loaded(frame);
}

function introduce(frame: Frame, doc: Document | undefined): void {
  for (const child of childrenOf(frame)) detach(child);
  if (documents.has(frame) || !doc) {
    destroyContexts(frame);
    frame.loaderId = hexId(32);
  }
  if (doc) documents.set(frame, doc);
  else documents.delete(frame);
  emit("Page", "Page.frameNavigated", { frame: describeFrame(frame), type: "Navigation" });
  begin(frame);
  const win = frame.win;
  if (!win) return;
  install(win);
  installBindings(win);
  createContexts(frame);
  watchLoading(frame);
  runScriptsIn(win);
  watch(frame);
}

function detach(frame: Frame): void {
  for (const child of childrenOf(frame)) detach(child);
  destroyContexts(frame);
  removeFrame(frame);
  emit("Page", "Page.frameDetached", { frameId: frame.id, reason: "remove" });
}

/** Tells one session, or all, of the child frames that there are. */
export function announceFrames(to?: Session): void {
  const tell = (method: string, params: object): void => (to ? to.emit(method, params) : emit("Page", method, params));
  for (const f of allFrames()) {
    if (!f.parent) continue;
    tell("Page.frameAttached", { frameId: f.id, parentFrameId: f.parent.id });
    tell("Page.frameNavigated", { frame: describeFrame(f), type: "Navigation" });
  }
}
