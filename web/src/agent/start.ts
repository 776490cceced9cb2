// Starts the Frame Agent in a document.

import type { EventName, EventParams } from "../cdp";
import type { Json } from "../wire/cdp";
import type { Welcome } from "../wire/frame";
import { listenForLeaving } from "./page/beforeunload";
import { listenInBlank } from "./page/blank";
import { documentUpdated } from "./dom/updated";
import { flushBindings, installBindings, bind } from "./runtime/bindings";
import { installConsole, installErrors, replayConsole } from "./runtime/console";
import type { FrameContext } from "./runtime/context";
import { announceContexts, createContexts, mainContext } from "./runtime/contexts";
import { installDialogs } from "./page/dialogs";
import { installDownloads, sendFiles } from "./page/downloads";
import { installChoosers, listenForChoosers } from "./dom/files";
import { readName } from "./link/framename";
import { address, describeFrame, frameOfDocument, mainFrame } from "./page/frames";
import { adopt, announceFrames, surviveDocumentOpen, watchFrames, watchLoading } from "./page/framewatch";
import { addBaseUrl } from "./base/bundles";
import { begin, holdLoad, installStop, markReached } from "./page/lifecycle";
import { PRESENT, kept, neighbour, takeKept } from "./link/kept";
import { logWarning, tellEarlierLog } from "./network/log";
import { tellInfo, watchNavigation } from "./page/navigation";
import { installMoved, listenMoved } from "./page/moved";
import { isOwnError } from "./link/scriptelement";
import { listenForAgents, takeHellos } from "./link/hellos";
import { beginNesting, watchNested } from "./link/nested";
import {
  documentResponseOf,
  beginNetwork,
  installNetwork,
  keepDocumentResponse,
  respondDocument,
  watchElements,
  watchResources,
} from "./network";
import { isProxied, leaveUpstream, refreshUpstream } from "./network/upstream";
import { parentOf, monotonic, originals } from "./base/originals";
import { NOT_IN_A_HOST, say } from "../wire/messages";
import { hubOfProxy } from "./link/hub";
import { tree } from "./page/page";
import { greet, leave, listenForHost, pair } from "./link/port";
import { installPopups, listenForPopups, startPopups, welcomePopups } from "./windows/popups";
import { installWorkers } from "./workers/workers";
import { added } from "./base/added";
import { isWebKit } from "./base/engine";
import { carryOut, ready } from "./base/parts";
import { handlerOf } from "./base/registry";
import { listenForEdits } from "./input/change";
import { giveKeysTo } from "./link/route";
import { restoreScripts, runKept } from "./runtime/scripts";
import { allSessions, emit, sessionOf } from "./base/session";
import { installTimers } from "./runtime/timers";
import { watchShadows } from "./dom/treewatch";
import { rememberGlobals } from "./runtime/isolatedglobals";
import "./runtime/runtime";
import "./page/emulation";
import { resumeDevTools } from "./devtools";
import { installHover } from "./input/hoverselector";

type Win = Window & typeof globalThis;

/** How an application starts the agent from its own bundle. */
export interface AgentOptions {
  /** Origins of the pages that may drive this document, such as "http://localhost:8080". */
  allowedParents: string[];
  /** @internal Identifies a document that the Host made. */
  key?: string;
  /** @internal The data-response of the proxy in front of the app (wire/proxy.ts), as JSON. */
  response?: string;
  /** @internal The app's own origin, behind a proxy. */
  upstream?: string;
  /** @internal No other page than that of the hub frames the app. */
  alone?: boolean;
}

/** In base/builtins.ts, which the build adds to the bundle. */
declare function $remember(win: Win): void;

/**
 * Starts the agent. Does nothing in a top window, in a document that has an agent, or in a child frame that a
 * parent's agent reaches.
 */
export function startFrameAgent(options: AgentOptions): void {
  if (PRESENT in window) return;
  if (parentOf(window) === window) return tellAlone(options);
  const above = agentAbove();
  if (above) return above(window, options.response);
  const arrive = (win: Win, response?: string): void => {
    if (response) keepDocumentResponse(win, response);
    if (win !== window) adopt(win);
  };
  arrive(window, options.response);
  const main = mainFrame();
  main.failure = documentResponseOf(window)?.error;
  if (main.failure) main.unreachable = location.href;
  Object.defineProperty(window, PRESENT, { value: Object.assign(arrive, neighbour) });
  hideFrameElement();
  if (options.alone) hideParent();
  readName();
  takeKept();
  startPopups();
  wrap(window);
  listen(window);
  listenInBlank();
  runKept();
  watchLoading(mainFrame());
  watchNavigation();
  watchFrames({ wrap, listen }, tellInfo);
  watchNested({ tree: () => tree(mainFrame()), focus: giveKeysTo });
  surviveDocumentOpen(mainFrame(), relisten);
  watchLeaving();
  if (kept.paused) void ready("Fetch.enable")?.catch(() => {}); // partsFor reports the failure
  pair(options.allowedParents, options.key, partsFor, (w) => {
    // First: welcomed() reports the document's own request, and the Fetch patterns of the sessions apply to it.
    sendFiles(w.downloads);
    restoreNetwork(w);
    welcomed(w);
    beginNetwork();
  });
}

/** Says on the console how a page that a proxy serves gets into a Host page. */
function tellAlone({ allowedParents: [host], upstream }: AgentOptions): void {
  if (!hubOfProxy() || window.opener !== null) return;
  const page = `${host}/shell?app=${location.origin}/${upstream ? `&upstream=${upstream}` : ""}`;
  originals.warn(say(NOT_IN_A_HOST, { page }));
}

/** The function of a same-origin ancestor's agent that adopts this window; undefined if there is none. */
function agentAbove(): ((win: Win, response?: string) => void) | undefined {
  try {
    for (let win: Window = window; win !== parentOf(win); ) {
      win = parentOf(win);
      if (PRESENT in win) return (win as unknown as Record<symbol, (win: Win, response?: string) => void>)[PRESENT];
    }
  } catch {
    // another origin
  }
  return undefined;
}

/** window.frameElement is null: Clients that walk up from the main frame must not get into the Host page. */
function hideFrameElement(): void {
  Object.defineProperty(window, "frameElement", { configurable: true, get: () => null });
}

/** window.parent is the window itself, as in a tab. A page may replace it. */
function hideParent(): void {
  const set = (value: unknown): void =>
    void Object.defineProperty(window, "parent", { configurable: true, enumerable: true, writable: true, value });
  Object.defineProperty(window, "parent", { configurable: true, enumerable: true, get: () => window, set });
}

/** Wraps the built-ins of a window that the agent observes. $remember comes last: it saves the wrapped built-ins. */
function wrap(win: Win): void {
  installConsole(win, () => contextIn(win));
  installDialogs(win);
  installMoved(win);
  installPopups(win);
  installWorkers(win);
  installChoosers(win);
  installNetwork(win);
  installTimers(win);
  added.installFocus?.(win);
  installStop(win);
  installDownloads(win);
  watchShadows(win);
  installHover(win);
  rememberGlobals(win);
  $remember(win);
}

/** The main context of a window's frame. */
function contextIn(win: Win): FrameContext {
  return mainContext(frameOfDocument(win.document) ?? mainFrame());
}

/** Listens in one window; again when document.open has taken the listeners off. */
function listen(win: Win): void {
  listenForEdits(win);
  listenForLeaving(win);
  installErrors(win, () => contextIn(win), isOwnError);
  watchElements(win);
  listenForAgents(win);
  listenMoved(win);
  listenForPopups(win);
  listenForChoosers(win);
  added.listenForFocus?.(win);
}

function relisten(): void {
  listenForHost();
  listen(window);
  listenInBlank();
  watchLoading(mainFrame());
  watchLeaving();
}

function watchLeaving(): void {
  window.addEventListener("pagehide", leave, true);
  window.addEventListener("pagehide", leaveUpstream, true);
  window.addEventListener(
    "pageshow",
    (e) => {
      if (e.persisted) greet(); // back from the back/forward cache: a Host must adopt it again
    },
    true,
  );
}

// ---------------------------------------------------------------- welcome

function welcomed(w: Welcome): void {
  if (w.base) addBaseUrl(`${w.base}/`); // for an agent that is part of the app's own bundle
  const frame = mainFrame();
  const extended = w.frameId !== undefined;
  if (extended) {
    frame.id = w.frameId ?? frame.id;
    frame.loaderId = w.loaderId ?? frame.loaderId;
    frame.parentId = w.parentId;
    frame.name = w.name;
  }
  if (!extended) return versionOne();
  if (w.navigated && !address().startsWith("about:")) respondDocument(frame.loaderId);
  // Resource Timing starts after the reports of the proxy, so that no request is reported twice. The load event waits
  // for both.
  if (isProxied()) holdLoad(refreshUpstream().then(() => watchResources(window)));
  else watchResources(window);
  tell(w.navigated === true, "Page.frameNavigated", { frame: describeFrame(frame), type: "Navigation" });
  begin(frame);
  if (!w.parentId) documentUpdated();
  announceContexts(frame);
  createContexts(frame);
  announceFrames();
  restoreState(w);
  tellEarlierConsole();
  tellEarlierLog();
  beginNesting(w);
  takeHellos(w);
  welcomePopups(w);
  markReached(frame);
  tellInfo();
}

let earlierSent = false;

/** Sends the console messages from before the welcome, and enables the domains of DevTools again. */
function tellEarlierConsole(): void {
  if (earlierSent) return; // a document from the back/forward cache gets a second welcome
  earlierSent = true;
  for (const s of allSessions()) if (s.enabled.has("Runtime")) replayConsole(s);
  resumeDevTools();
}

function tell<M extends EventName>(due: boolean, method: M, params: EventParams<M>): void {
  if (!due) return;
  emit("Page", method, params);
}

/**
 * Loads the parts that the Fetch and Network settings of the sessions need. The welcome waits for them, so that no
 * request is reported or sent without these settings.
 */
function partsFor(w: Welcome): Promise<unknown> | undefined {
  const states = w.state?.sessions ?? [];
  const methods = states.flatMap(({ fetch, network = {} }) => [
    ...(fetch ? ["Fetch.enable"] : []),
    ...Object.keys(network),
  ]);
  if (isWebKit) methods.push("Runtime.getProperties"); // for input/webkitfocus.ts, which is in extras.js
  const fail = (e: Error): void => logWarning(e.message, location.href);
  const parts = methods.flatMap((method) => ready(method)?.catch(fail) ?? []);
  return parts.length ? Promise.all(parts) : undefined;
}

function restoreNetwork(w: Welcome): void {
  if (w.frameId) {
    mainFrame().id = w.frameId;
    mainFrame().parentId = w.parentId;
  }
  for (const { fetch, network, sessionId } of w.state?.sessions ?? []) {
    const s = sessionOf(sessionId);
    if (fetch && s) void handlerOf("Fetch.enable")?.(fetch as unknown as Json, s);
    for (const [method, p] of Object.entries(network ?? {})) if (s) void handlerOf(method)?.(p, s);
  }
  void refreshUpstream();
}

function restoreState(w: Welcome): void {
  const states = w.state?.sessions ?? [];
  for (const state of states) {
    const s = sessionOf(state.sessionId);
    if (!s) continue;
    for (const b of state.bindings) bind({ name: b.name, executionContextName: b.worldName }, s);
    const cancel = state.fileChooserCancels === true;
    if (state.fileChooser) void handlerOf("Page.setInterceptFileChooserDialog")?.({ enabled: true, cancel }, s);
    if (state.fileChooserEvents) void handlerOf("Page.enable")?.({ enableFileChooserOpenedEvent: true }, s);
    if (state.autoAttach) void handlerOf("Target.setAutoAttach")?.(state.autoAttach as unknown as Json, s);
    if (state.screencast) void carryOut("Page.startScreencast", state.screencast as Json, s).catch(() => {});
    if (state.focus) void handlerOf("Emulation.setFocusEmulationEnabled")?.({ enabled: true }, s);
  }
  installBindings(window);
  flushBindings();
  restoreScripts(states);
}

/** A version 1 Host keeps no state. Its Clients learn from these three events that there is a document. */
function versionOne(): void {
  const frame = mainFrame();
  begin(frame);
  createContexts(frame);
  flushBindings();
  const s = sessionOf("");
  s?.emit("Page.frameNavigated", { frame: describeFrame(frame), type: "Navigation" });
  s?.emit("Page.domContentEventFired", { timestamp: monotonic() });
  s?.emit("Page.loadEventFired", { timestamp: monotonic() });
  markReached(frame);
}
