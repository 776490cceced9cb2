// Finds the child frames of this agent's documents and reports their life by the
// events of the Page domain, in the order of Chromium 156.

import { type Probe, VERSION } from "../../wire/frame";
import { installBindings } from "../runtime/bindings";
import {
  beginNavigation,
  failNavigation,
  failureOf,
  reportFinished,
  reportRequest,
  reportResponse,
  reportStart,
  reportFailure,
  watchChild,
} from "./childnavigation";
import { announceContexts, createContexts, destroyContexts } from "../runtime/contexts";
import {
  type Frame,
  type Owner,
  type Win,
  addFrame,
  allFrames,
  childrenOf,
  describeFrame,
  frameOfDocument,
  frameOfOwner,
  mainFrame,
  removeFrame,
  unreachable,
  urlOf,
} from "./frames";
import { clientsAnswerDialogs } from "./dialogs";
import { addElement, isDataDocument } from "../../host/datadocument";
import { hubOfProxy, proxyBase } from "../link/hub";
import { bundleUrl } from "../base/bundles";
import { logWarning } from "../network/log";
import { begin, afterListeners, contentLoaded, forgetMarks, loaded, mark, replayMarks } from "./lifecycle";
import { keepAddress, listenForTraversal, watchAddress } from "./navigation";
import { added } from "../base/added";
import { hexId, originals } from "../base/originals";
import { runScriptsIn } from "../runtime/scripts";
import { isReady, welcomed } from "../network/reporter";
import { emit, hasSessions, onSessionEnd } from "../base/session";
import { replaceTopIn } from "../windows/topwindow";
import { flushChanges, observe, reopened, watchDeclared, watchTrees } from "../dom/treewatch";

/** Functions that prepare each child window. */
interface Installer {
  /** Replaces built-ins of a window. Called once per window. */
  wrap(win: Win): void;
  /** Adds listeners. Called again after document.open, which removes them. */
  listen(win: Win): void;
}

/** How long after the load event of a document the hello of its agent may come. */
const HELLO_MS = 300;

/** After this further time, the frame counts as one without an agent, and Clients get the event. */
const SILENT_MS = 2_000;

const documents = new WeakMap<Frame, Document>();
/**
 * The `Object` of each window that has been wrapped. It identifies the window: a WindowProxy stays the same when its
 * frame gets another window.
 */
const wrapped = new WeakSet<object>();
const listening = new WeakSet<Document>();
const withLoadListener = new WeakSet<Owner>();
let installer: Installer;
let changed: () => void = () => {};

/** Starts watching the main document. `onChange` is called after every change of its tree. */
export function watchFrames(install: Installer, onChange: () => void): void {
  installer = install;
  changed = onChange;
  watch(mainFrame());
  onSessionEnd(restWithoutClients);
  void welcomed.then(restWithoutClients);
}

/**
 * Stops watching the document while no Client drives it. An agent with a parent agent always watches: the parent
 * agent needs all frames, and its Clients may come without notice to this agent.
 */
export function restWithoutClients(): void {
  watchTrees(hasSessions() || !isReady() || mainFrame().parentId !== undefined);
}

/** Listens to the document of a window. */
export function watchLoading(frame: Frame): void {
  const win = frame.win;
  win?.addEventListener("DOMContentLoaded", () => {
    watchDeclared(win.document);
    afterListeners(() => {
      autofocus(win.document);
      contentLoaded(frame);
    });
  });
  win?.addEventListener("load", () => {
    endEmptyNavigations(frame);
    afterListeners(() => loaded(frame));
  });
}

/**
 * Focuses what a driven document asks for, as in a tab: the browser does not in a frame of another origin (HTML,
 * "autofocus").
 */
function autofocus(doc: Document): void {
  if (clientsAnswerDialogs() && !doc.querySelector(":target"))
    for (const el of doc.querySelectorAll<HTMLElement>("[autofocus]"))
      if (document.activeElement === document.body) el.focus();
}

/** Watches a frame's document for elements that hold frames. */
function watch(frame: Frame): void {
  const doc = frame.win?.document;
  if (doc)
    observe(doc, (owners) => {
      if (owners) sync(frame, owners);
      if (frame === mainFrame()) changed();
    });
}

/** Compares the elements of a frame's document with the table. */
function sync(parent: Frame, owners: Owner[]): void {
  for (const child of childrenOf(parent)) {
    const { owner, proxy } = child;
    if (!owner?.isConnected || owner.contentWindow !== proxy || owner.ownerDocument !== parent.win?.document)
      detach(child);
  }
  for (const owner of owners) if (!frameOfOwner(owner) && owner.contentWindow) attach(owner, parent);
}

function attach(owner: Owner, parent: Frame): void {
  const frame = addFrame(owner, parent);
  // Capture phase: a listener of the page may answer a Client, and the Client must know the document by then.
  if (!withLoadListener.has(owner))
    owner.addEventListener("load", () => documentMayHaveChanged(frameOfOwner(owner), true), true);
  withLoadListener.add(owner);
  emit("Page", "Page.frameAttached", { frameId: frame.id, parentFrameId: parent.id });
  mark(frame, "init");
  const reason = "initialFrameNavigation";
  const url = destination(owner);
  if (!isPending(frame)) {
    reportRequest(frame, reason, "about:blank");
    return documentMayHaveChanged(frame, frame.win?.document.readyState === "complete");
  }
  beginNavigation(frame, url, { reason });
  if (frame.win) {
    prepare(frame);
    replaceTopIn(owner);
    giveAgent(owner, url);
  } else if (parent.win?.document.readyState === "complete") documentMayHaveChanged(frame, true);
}

/**
 * Loads the document of a data: address with the agent in it, in place of the one that an element has asked for and
 * that is still to come. Its parent is this document, also where that has an opaque origin as well: nobody else has
 * the address. Where the document may run no script, or not this one, it comes without an agent.
 */
function giveAgent(owner: Owner, url: string): void {
  const src = bundleUrl("agent.js");
  if (!src || !isDataDocument(url)) return;
  const script = document.createElement("script");
  script.src = src;
  // Without CORS, browsers report errors as "Script error."; a server other than the proxy may not have it.
  if (proxyBase()) script.crossOrigin = "anonymous";
  Object.assign(script.dataset, { parents: window.origin, url });
  owner.contentWindow?.location.replace(addElement(url, script));
}

/** The URL that an element loads first. */
function destination(owner: Owner): string {
  if (owner.hasAttribute("srcdoc")) return "about:srcdoc";
  return owner.getAttribute("src") ? owner.src : "about:blank";
}

/** Whether a frame still shows its first about:blank, but another document was requested. */
function isPending(frame: Frame): boolean {
  const owner = frame.owner as HTMLIFrameElement;
  if (frame.win && (frame.win.document.URL !== "about:blank" || owner.loading === "lazy")) return false;
  return !frame.win || !/^(about:blank|javascript:)/.test(destination(owner));
}

/**
 * Called by the agent's script in a child document of the same origin. Adds the frame before the page's own scripts
 * run.
 */
export function adopt(win: Win): void {
  const owner = win.frameElement as Owner | null;
  const around = owner?.ownerDocument.defaultView;
  if (!owner || !around) return;
  if (!frameOfDocument(owner.ownerDocument)) adopt(around);
  const parent = frameOfDocument(owner.ownerDocument);
  if (parent && !frameOfOwner(owner)) sync(parent, [owner]);
  documentMayHaveChanged(frameOfOwner(owner), false);
}

/** Reports a frame's document if it is a new one, and its load event. */
export function documentMayHaveChanged(frame: Frame | undefined, complete: boolean): void {
  if (!frame?.owner?.isConnected || frameOfOwner(frame.owner) !== frame) return;
  const doc = frame.win?.document;
  if (!doc) return complete ? crossOriginLoaded(frame) : undefined;
  if (documents.get(frame) !== doc && !isSameBlank(frame, doc)) {
    if (!complete && !documents.has(frame) && isPending(frame)) return;
    reportDocument(frame, doc);
  }
  if (!complete) return;
  contentLoaded(frame);
  loaded(frame);
}

/**
 * Ends first navigations of child frames that brought no document, such as to "blob:" or to a 204. No event reports
 * them, or the event came before the frame was found. Called at the load event of the parent, which waits for child
 * frames unless they are lazy.
 */
function endEmptyNavigations(parent: Frame): void {
  flushChanges();
  for (const child of childrenOf(parent)) {
    const { pending, loaderId, owner, win, agent, expected } = child;
    const lazy = (owner as HTMLIFrameElement).loading === "lazy";
    if (!pending || pending.done || loaderId || agent || expected || lazy) continue;
    if (win && win.document.URL !== "about:blank") continue;
    if (win) failNavigation(child, "net::ERR_ABORTED");
    documentMayHaveChanged(child, true);
  }
}

/**
 * Whether a document is a second about:blank in the same window. Chromium makes one more for a <frame> without a URL,
 * and reports one of them to Clients.
 */
function isSameBlank(frame: Frame, doc: Document): boolean {
  const before = documents.get(frame);
  const win = frame.win as Win;
  const same =
    before?.URL === "about:blank" &&
    doc.URL === "about:blank" &&
    !frame.pending &&
    before.defaultView === null &&
    wrapped.has(win.Object);
  if (!same) return false;
  documents.set(frame, doc);
  prepare(frame);
  watch(frame);
  return true;
}

/** Called when a frame has loaded a document of another origin, or the browser's error page. */
function crossOriginLoaded(frame: Frame): void {
  const { owner } = frame;
  if (frame.agent) return void frame.agent.loads++;
  const p = frame.pending ?? beginNavigation(frame, destination(owner as Owner), {});
  const due = (): boolean => frame.pending === p && owner?.isConnected === true;
  const tell = (error?: string): void => {
    frame.expected = false;
    if (due()) {
      reportDocument(frame, undefined, error);
      loaded(frame);
      if (!error) originals.setTimeout(() => tellSilent(frame), SILENT_MS);
    }
    added.framesChanged?.();
  };
  frame.expected = true;
  frame.proxy?.postMessage({ icdp: "probe", v: VERSION } satisfies Probe, "*");
  originals.setTimeout(() => void (due() ? failureOf(frame, p).then(tell) : tell()), HELLO_MS);
}

/** Tells Clients, once for each frame, that they cannot see into it. */
function tellSilent(frame: Frame): void {
  if (frame.silent || frame.agent || frame.win || !frame.owner?.isConnected) return;
  frame.silent = true;
  logWarning(unreachable(frame), urlOf(frame));
}

function reportDocument(frame: Frame, doc: Document | undefined, error?: string): void {
  const first = !documents.has(frame) && frame.loaderId === "";
  const blank = doc?.URL === "about:blank" && first && !frame.pending;
  const p = blank
    ? { loaderId: hexId(32), url: "about:blank" }
    : (frame.pending ?? beginNavigation(frame, urlOf(frame), { reason: "scriptInitiated" }));
  frame.pending = undefined;
  if (error) reportFailure(frame, p, error);
  else reportResponse(frame, p);
  frame.agent?.gone();
  frame.left = undefined;
  for (const child of childrenOf(frame)) detach(child);
  destroyContexts(frame);
  frame.loaderId = p.loaderId;
  frame.url = p.url;
  frame.unreachable = error && p.url;
  if (doc) documents.set(frame, doc);
  else documents.delete(frame);
  begin(frame, () => emit("Page", "Page.frameNavigated", { frame: describeFrame(frame), type: "Navigation" }));
  if (blank) emit("Page", "Page.frameStartedLoading", { frameId: frame.id });
  if (doc) prepare(frame);
  createContexts(frame);
  if (doc) {
    runScriptsIn(frame.win as Win);
    watch(frame);
  }
  reportFinished(p.loaderId, p.url);
}

/** Wraps and watches a child's window. */
function prepare(frame: Frame): void {
  const win = frame.win as Win;
  installBindings(win);
  keepAddress(frame);
  surviveDocumentOpen(frame);
  if (!wrapped.has(win.Object)) {
    wrapped.add(win.Object);
    installer.wrap(win);
    watchAddress(frame);
    watchChild(frame);
  } else if (listening.has(win.document)) return;
  // Chromium keeps the window of a blank first document for the next one, without its listeners.
  listening.add(win.document);
  listen(frame);
}

const { port1, port2 } = new MessageChannel();
const leaving: Frame[] = [];
port1.onmessage = () => {
  const frame = leaving.shift();
  // Behind a proxy the new document's own agent reports it, with data-response.
  if (!hubOfProxy() || frame?.win?.location.protocol === "about:") documentMayHaveChanged(frame, false);
};

function listen(frame: Frame): void {
  const win = frame.win as Win;
  installer.listen(win);
  watchLoading(frame);
  // A task queued by pagehide runs when the next document is there and before its scripts run.
  win.addEventListener("pagehide", () => {
    leaving.push(frame);
    port2.postMessage(0);
  });
}

/** document.open takes the listeners off window and document, so that they are put on again. */
export function surviveDocumentOpen(frame: Frame, relisten = () => listen(frame)): void {
  const doc = (frame.win as Win).document;
  if (opened.has(doc)) return;
  opened.add(doc);
  const native = doc.open;
  doc.open = function (this: Document, ...args: unknown[]): Document {
    // With three arguments it is window.open (HTML, "document.open"), also the open() of an onclick attribute.
    if (args.length > 2 && this.defaultView) return this.defaultView.open(...(args as [])) as unknown as Document;
    const result = Reflect.apply(native, this, args) as Document;
    if (this !== doc) return result;
    relisten();
    reopened(doc);
    listenForTraversal(frame);
    emit("Page", "Page.documentOpened", { frame: describeFrame(frame) });
    begin(frame);
    return result;
  } as Document["open"];
}
const opened = new WeakSet<Document>();

/** A frame is gone, with all below it. */
export function detach(frame: Frame): void {
  emit("Page", "Page.frameSubtreeWillBeDetached", { frameId: frame.id });
  detachTree(frame);
}

function detachTree(frame: Frame): void {
  for (const child of childrenOf(frame)) detachTree(child);
  failNavigation(frame, "net::ERR_ABORTED");
  frame.agent?.gone();
  removeFrame(frame);
  forgetMarks(frame);
  emit("Page", "Page.frameDetached", { frameId: frame.id, reason: "remove" });
  destroyContexts(frame);
}

/** Reports the child frames to sessions that began after the document. */
export function announceFrames(): void {
  for (const f of allFrames()) {
    if (!f.parent) continue;
    emit("Page", "Page.frameAttached", { frameId: f.id, parentFrameId: f.parent.id });
    if (f.loaderId) {
      const p = { loaderId: f.loaderId, url: f.url ?? "" };
      reportStart(f, p.loaderId, p.url);
      if (f.agent) continue; // its agent reports the rest
      reportResponse(f, p);
      emit("Page", "Page.frameNavigated", { frame: describeFrame(f), type: "Navigation" });
      announceContexts(f);
      reportFinished(p.loaderId, p.url);
      replayMarks(f);
    }
    if (f.pending) reportStart(f, f.pending.loaderId, f.pending.url);
  }
}
