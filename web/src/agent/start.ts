// Starts the Frame Agent in a document.

import type { Welcome } from "../protocol";
import { documentUpdated } from "./dom";
import { flushBindings, installBindings, bind } from "./bindings";
import { installConsole, installErrors } from "./console";
import { announceContexts, createContexts } from "./contexts";
import { installDialogs } from "./dialogs";
import { describeFrame, mainFrame } from "./frames";
import { announceFrames, watch, watchFrames } from "./framewatch";
import { begin, follow, watchLoading } from "./lifecycle";
import { installLog } from "./log";
import { listenForTraversal, tellInfo, watchNavigation } from "./navigation";
import { installNetwork, respondDocument, watchResources } from "./network";
import { monotonic } from "./originals";
import { control, greet, leave, listenForHost, pair } from "./port";
import { handlerOf } from "./registry";
import { restoreScripts, runStored } from "./scripts";
import { allSessions, sessionOf } from "./session";
import { installTimers } from "./timers";
import "./runtime";
import "./page";
import "./storage";
import "./emulation";
import "./css";
import "./dombox";
import "./domedit";
import "./domsearch";
import "./input";
import "./accessibility";
import "./misc";

type Win = Window & typeof globalThis;

/** How an application starts the agent from its own bundle. */
export interface AgentOptions {
  /** Origins of the pages that may drive this document. */
  allowedParents: string[];
}

const PRESENT = Symbol.for("cdphub.agent");

/** Starts the agent. Does nothing in a top window, when one is there, or in a child frame that a parent's agent reaches. */
export function startFrameAgent(options: AgentOptions): void {
  if (window.parent === window || present(window) || present(window.parent)) return;
  Object.defineProperty(window, PRESENT, { value: true });
  hideFrameElement();
  install(window);
  runStored();
  watchLoading(mainFrame());
  watchNavigation(control);
  watchFrames(install, tellInfo);
  surviveDocumentOpen();
  watchLeaving();
  pair(options.allowedParents, welcomed);
}

function present(win: Window): boolean {
  try {
    return PRESENT in win;
  } catch {
    return false; // another origin
  }
}

/** The main frame of a Target is nobody's child, as clients that walk up from it expect. */
function hideFrameElement(): void {
  Object.defineProperty(window, "frameElement", { configurable: true, get: () => null });
}

/** Wraps what is watched in one window. */
function install(win: Win): void {
  installConsole(win);
  installErrors(win);
  installLog(win);
  installDialogs(win);
  installNetwork(win);
  installTimers(win);
}

/** document.open takes the listeners off window and document, so that they are put on again. */
function surviveDocumentOpen(): void {
  const native = document.open;
  document.open = function (this: Document, ...args: unknown[]): Document {
    const opened = Reflect.apply(native, this, args) as Document;
    if (this === document) relisten();
    return opened;
  } as Document["open"];
}

function relisten(): void {
  listenForHost();
  listenForTraversal();
  installErrors(window);
  installLog(window);
  watchLoading(mainFrame());
  watchLeaving();
  begin(mainFrame());
  watch(mainFrame());
}

function watchLeaving(): void {
  window.addEventListener("pagehide", leave, true);
  window.addEventListener("pageshow", (e) => {
    if (e.persisted) greet(); // back from the back/forward cache: a Host must adopt it anew
  }, true);
}

// ---------------------------------------------------------------- welcome

function welcomed(w: Welcome): void {
  const frame = mainFrame();
  const extended = w.frameId !== undefined;
  if (extended) {
    frame.id = w.frameId ?? frame.id;
    frame.loaderId = w.loaderId ?? frame.loaderId;
  }
  if (!extended) return versionOne();
  if (w.navigated) respondDocument(frame.loaderId);
  watchResources(window);
  tell(w.navigated === true, "Page.frameNavigated", { frame: describeFrame(frame), type: "Navigation" });
  begin(frame);
  documentUpdated();
  createContexts(frame);
  announceContexts();
  restoreState(w);
  announceFrames();
  follow(frame);
  tellInfo();
}

function tell(due: boolean, method: string, params: object): void {
  if (!due) return;
  for (const s of allSessions()) if (s.enabled.has("Page")) s.emit(method, params);
}

function restoreState(w: Welcome): void {
  const states = w.state?.sessions ?? [];
  for (const state of states) {
    const s = sessionOf(state.sessionId);
    if (!s) continue;
    for (const b of state.bindings) bind({ name: b.name, executionContextName: b.worldName }, s);
    if (state.fetch) void handlerOf("Fetch.enable")?.(state.fetch, s);
    if (state.fileChooser) void handlerOf("Page.setInterceptFileChooserDialog")?.({ enabled: true }, s);
  }
  installBindings(window);
  flushBindings();
  restoreScripts(states);
}

/** A version 1 Host keeps no state: its clients learn from these three that the document is there. */
function versionOne(): void {
  const frame = mainFrame();
  begin(frame);
  createContexts(frame);
  flushBindings();
  const s = sessionOf("");
  s?.emit("Page.frameNavigated", { frame: describeFrame(frame), type: "Navigation" });
  s?.emit("Page.domContentEventFired", { timestamp: monotonic() });
  s?.emit("Page.loadEventFired", { timestamp: monotonic() });
  follow(frame);
}
