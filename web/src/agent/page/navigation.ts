// Navigations that start in the main document: its own, and those a Client
// asks for; changes of address within the document; history.

import type { Protocol } from "../../cdp";
import { documentFailed, documentRequest } from "../../documentevents";
import { type Frame, type Win, address, isAddressSet, mainFrame, splitFragment, urlOf } from "./frames";
import { isLoaded } from "./lifecycle";
import { uplink } from "../link/uplink";
import { hexId, monotonic, originals } from "../base/originals";
import { postFields } from "../network/payload";
import { sendToProxy as toUpstream, refreshUpstream, setCredentials } from "../network/upstream";
import { ProtocolError } from "../base/registry";
import { added } from "../base/added";
import { atProxy } from "./moved";
import { mayLeave, noteIntercepted } from "./beforeunload";
import type { NavigateEvent, NavigationCurrentEntryChangeEvent } from "./navigationapi";
import { carryScripts } from "../runtime/scripts";
import { emit } from "../base/session";

const api = window.navigation;

/** The loader of a navigation whose first events the Host has sent. This document must not send them again. */
let announcedByHost = "";
/** The loader of the pending navigation, if this document has announced it. */
let announced = "";
/** The pending navigation, announced by the Host or by a document. */
let current: { loaderId: string; url: string } | undefined;
/** A Client asked for the next navigation, so Page.frameRequestedNavigation is not sent. */
let askedByClient = false;

/** Starts watching. */
export function watchNavigation(): void {
  onNavigate(
    window,
    (e) => {
      const byHost = announcedByHost !== "";
      if (!byHost) toUpstream({ do: "navigate", url: e.destination.url });
      const byClient = askedByClient;
      announcedByHost = "";
      askedByClient = false;
      return byHost ? undefined : () => begun(e, byClient);
    },
    () => {
      const loaderId = announced;
      return () => announced === loaderId && abort();
    },
  );
  watchAddress(mainFrame());
}

/**
 * Calls `starting` for each navigation to another document that begins in a window, if the browser has the Navigation
 * API. The function that `starting` returns runs in a microtask, unless the page has cancelled or intercepted the
 * navigation. The one that `ended` returns runs in a microtask unless the navigation goes on.
 */
export function onNavigate(
  win: Window,
  starting: (e: NavigateEvent) => (() => void) | void,
  ended: () => (() => void) | void,
): void {
  const { navigation } = win;
  /** The navigation under way goes on, although its event ends. */
  let kept = false;
  const keep = (): void => {
    kept = true;
    originals.queueMicrotask(() => (kept = false));
  };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    if (e.destination.sameDocument || e.hashChange || e.downloadRequest !== null) return keep();
    let intercepted = false;
    if (e.canIntercept) {
      const native = e.intercept;
      e.intercept = function (...args): void {
        intercepted = true;
        noteIntercepted(e);
        native.apply(e, args);
      };
    }
    const f = starting(e);
    if (!f) return;
    originals.queueMicrotask(() => {
      if (!e.defaultPrevented && !intercepted) f();
    });
  });
  // Either of the two events may come first.
  navigation?.addEventListener("navigateerror", () => {
    const before = kept;
    const end = ended();
    originals.queueMicrotask(() => before || kept || end?.());
  });
}

/** Why a page navigates, as Page.frameRequestedNavigation says it. */
export function reasonOf(e: NavigateEvent): Protocol.Page.ClientNavigationReason {
  if (e.navigationType === "reload") return "reload";
  if (e.formData) return "formSubmissionPost";
  return e.userInitiated ? "anchorClick" : "scriptInitiated";
}

export type NavigationType = Protocol.Page.FrameStartedNavigatingEvent["navigationType"];

/** The navigationType of Page.frameStartedNavigating. */
export function typeOf(e: NavigateEvent): NavigationType {
  if (e.navigationType === "reload") return "reload";
  return e.navigationType === "traverse" ? "historyDifferentDocument" : "differentDocument";
}

/**
 * How long a document without navigate events waits for the next document, before the navigation counts as failed.
 */
const SUCCESSOR_MS = 5_000;

/**
 * Reports a navigation in a document without navigate events (see blank.ts). No event reports a failure, such as a
 * download, so a timer ends the navigation.
 */
export function announceNavigation(e: NavigateEvent): void {
  begun(e, false);
  const { loaderId = "" } = current ?? {};
  originals.setTimeout(() => failMainNavigation(loaderId, "net::ERR_ABORTED"), SUCCESSOR_MS);
}

function begun(e: NavigateEvent, byClient: boolean): void {
  const frameId = mainFrame().id;
  const url = e.destination.url;
  const loaderId = hexId(32);
  announced = loaderId;
  current = { loaderId, url };
  if (!byClient) {
    emit("Page", "Page.frameRequestedNavigation", { frameId, reason: reasonOf(e), url, disposition: "currentTab" });
  }
  uplink.control({ icdp: "nav", loaderId, url });
  emit("Page", "Page.frameStartedNavigating", { frameId, url, loaderId, navigationType: typeOf(e) });
  emit("Page", "Page.frameStartedLoading", { frameId });
  emit(
    "Network",
    "Network.requestWillBeSent",
    requestOf(mainFrame(), loaderId, url, e.formData ? "POST" : "GET", formBody(e)),
  );
}

/** The body of a form with urlencoded fields. Of multipart ones the boundary is unknown to page script. */
function formBody({ formData, sourceElement }: NavigateEvent): Partial<Protocol.Network.Request> {
  const form =
    (sourceElement as HTMLInputElement | null | undefined)?.form ??
    (sourceElement as HTMLFormElement | null | undefined);
  const fields = formData && [...formData];
  if (!fields || (form?.enctype ?? "") !== "application/x-www-form-urlencoded")
    return formData ? { hasPostData: true } : {};
  const text = new URLSearchParams(fields.map(([name, v]) => [name, typeof v === "string" ? v : v.name])).toString();
  return { headers: { "Content-Type": form!.enctype }, ...postFields({ bytes: new TextEncoder().encode(text) }) };
}

/** Network.requestWillBeSent of a frame's document. */
export function requestOf(
  frame: Frame,
  loaderId: string,
  address: string,
  method: string,
  more?: Partial<Protocol.Network.Request>,
): Protocol.Network.RequestWillBeSentEvent {
  const request = documentRequest(frame.id, loaderId, address, navigator.userAgent, method, more);
  return { ...request, timestamp: monotonic(), wallTime: originals.now() / 1000 };
}

/** The pending navigation of the main frame. */
export function navigationUnderWay(): typeof current {
  return current;
}

/** Reports that the pending navigation of the main frame has failed. This document stays. */
export function failMainNavigation(loaderId: string, errorText: string): void {
  if (current?.loaderId !== loaderId) return;
  if (announced === loaderId) abort();
  else uplink.control({ icdp: "navabort", loaderId, errorText });
  current = undefined;
}

function abort(): void {
  if (!announced) return;
  const requestId = announced;
  announced = "";
  emit("Network", "Network.loadingFailed", documentFailed(requestId, monotonic(), "net::ERR_ABORTED"));
  if (current?.loaderId !== requestId) return; // another one has taken its place
  emit("Page", "Page.frameStoppedLoading", { frameId: mainFrame().id });
  uplink.control({ icdp: "navabort", loaderId: requestId });
}

// --------------------------------------------------- within the document

/** The URL of each frame that was last reported to Clients. */
const addresses = new WeakMap<Frame, string>();

/** Watches the changes of address within the documents of a frame's window. */
export function watchAddress(frame: Frame): void {
  const win = frame.win as Win;
  const { history } = win;
  const methods = history as unknown as Record<"pushState" | "replaceState", History["pushState"]>;
  for (const name of ["pushState", "replaceState"] as const) {
    const native = methods[name].bind(history);
    methods[name] = function (...args: Parameters<History["pushState"]>): void {
      byHistory = true;
      if (args[2]) args[2] = atProxy(`${args[2]}`, win.document.baseURI);
      try {
        native(...args);
      } finally {
        byHistory = false;
      }
      withinDocument(frame, "historyApi");
    };
  }
  // Fires at once, and also for navigations that the page intercepts. No other event reports those.
  win.navigation?.addEventListener("currententrychange", (e) => {
    const { navigationType } = e as NavigationCurrentEntryChangeEvent;
    if (byHistory || !frame.win || !navigationType) return; // null: updateCurrentEntry() has changed only the state
    const kept = splitFragment(addresses.get(frame) ?? "")[0] === splitFragment(urlOf(frame))[0];
    withinDocument(frame, kept || navigationType === "traverse" ? "fragment" : "other");
  });
  listenForTraversal(frame);
}

/** history.pushState or replaceState is running. */
let byHistory = false;

/** Reports a new fragment before its event, which fires in a later task. */
export function flushAddress(): void {
  const known = addresses.get(mainFrame());
  if (known !== undefined && splitFragment(known)[0] === splitFragment(address())[0])
    withinDocument(mainFrame(), "fragment");
}

/** Listens again after document.open has removed the window's listeners. */
export function listenForTraversal(frame: Frame): void {
  const changed = (): void => withinDocument(frame, "fragment");
  frame.win?.addEventListener("popstate", () => originals.queueMicrotask(changed), true);
  frame.win?.addEventListener("hashchange", changed, true);
  keepAddress(frame);
}

/** Notes the URL of a new document. */
export function keepAddress(frame: Frame): void {
  addresses.set(frame, frame.win ? urlOf(frame) : "");
  added.framesChanged?.();
  if (frame === mainFrame()) void refreshUpstream();
}

/** Reports a changed address. pushState reports even the same one, as in Chromium. */
function withinDocument(
  frame: Frame,
  navigationType: Protocol.Page.NavigatedWithinDocumentEvent["navigationType"],
): void {
  const url = frame.win ? urlOf(frame) : "";
  const frameId = frame.id;
  if (url === addresses.get(frame) && navigationType === "fragment") return;
  keepAddress(frame);
  const settled = isLoaded(frame);
  if (settled) emit("Page", "Page.frameStartedLoading", { frameId });
  emit("Page", "Page.navigatedWithinDocument", { frameId, url, navigationType });
  if (settled) emit("Page", "Page.frameStoppedLoading", { frameId });
  if (frame !== mainFrame()) return;
  lastInfo = "";
  tellInfo();
}

let lastInfo = "";

/** Tells the Host the title and the address when either has changed. */
export function tellInfo(): void {
  const title = document.title;
  const url = address();
  const key = `${title}\n${url}`;
  if (key !== lastInfo && uplink.control({ icdp: "info", title, url })) lastInfo = key;
}

// ------------------------------------------------------------- commands

/** Page.navigate with the params that the Host adds: see wire/frame.ts. */
type HostNavigation = Protocol.Page.NavigateRequest & { loaderId?: string; led?: boolean; credentials?: string };

/**
 * Page.navigate of the main frame, passed on by the Host. A loaderId says that the Host has sent the first events.
 */
export function navigate(p: HostNavigation): Protocol.Page.NavigateResponse | Promise<Protocol.Page.NavigateResponse> {
  if (p.credentials) return setCredentials(p.credentials).then(() => navigate({ ...p, credentials: "" }));
  const frameId = mainFrame().id;
  const here = splitFragment(address())[0];
  const sameDocument = p.loaderId === undefined && String(p.url).includes("#") && splitFragment(p.url)[0] === here;
  announcedByHost = sameDocument || p.led ? "" : (p.loaderId ?? "");
  if (p.loaderId) current = { loaderId: p.loaderId, url: String(p.url) };
  // Not left to the navigate listener: a blank first document gets no navigate events.
  if (p.loaderId) toUpstream({ do: "navigate", url: p.url, referrer: p.referrer ?? "" });
  if (p.led) {
    carryScripts(String(p.url));
    return { frameId, loaderId: p.loaderId };
  }
  // location.href is assigned even if the page has this URL already: reload() would keep the scroll position, which
  // Chromium 156 does not for Page.navigate.
  originals.setTimeout(() => {
    if (p.loaderId && !mayLeave(window, true)) {
      announcedByHost = "";
      return failMainNavigation(p.loaderId, "net::ERR_ABORTED");
    }
    carryScripts(String(p.url));
    if (sameDocument && isAddressSet()) location.hash = splitFragment(p.url)[1];
    else if (p.referrer) location.href = String(p.url);
    else goWithoutReferrer(String(p.url));
  }, 0);
  return { frameId, ...(p.loaderId !== undefined && { loaderId: p.loaderId }) };
}

/** Navigates as a person does in the address bar: the next document has no referrer. */
function goWithoutReferrer(url: string): void {
  const html = "http://www.w3.org/1999/xhtml"; // also in a document of XML
  const link = document.createElementNS(html, "a") as HTMLAnchorElement;
  link.href = url;
  link.rel = "noreferrer";
  link.target = "_self"; // not that of a base element
  link.click();
}

/** Page.reload: after the answer, since Clients wait for the load event from then on. */
export function reload(): void {
  originals.setTimeout(() => {
    if (!mayLeave(window, true)) return;
    askedByClient = true;
    location.reload();
  }, 0);
}

/** Page.stopLoading. */
export function stop(): void {
  window.stop();
  abort();
}

/**
 * Page.getNavigationHistory: ids are indexes. Without the Navigation API only "back", "here" and
 * "forward" are known.
 */
export function historyEntries(): Protocol.Page.GetNavigationHistoryResponse {
  const entry = (id: number, url: string): Protocol.Page.NavigationEntry => ({
    id,
    url,
    userTypedURL: url,
    title: url === address() ? document.title : "",
    transitionType: "typed",
  });
  // Such a document has no history entry.
  if (api && !api.currentEntry) return { currentIndex: 0, entries: [entry(0, address())] };
  if (!api?.currentEntry) return { currentIndex: 1, entries: [entry(0, ""), entry(1, address()), entry(2, "")] };
  return {
    currentIndex: api.currentEntry.index,
    entries: api.entries().map((e) => entry(e.index, e.url ?? "")),
  };
}

/** Page.navigateToHistoryEntry. */
export function traverse(p: Protocol.Page.NavigateToHistoryEntryRequest): void {
  const entries = api?.currentEntry ? api.entries() : undefined;
  if (api && !entries ? p.entryId !== 0 : entries ? !entries[p.entryId] : ![0, 1, 2].includes(p.entryId))
    throw new ProtocolError("No entry with passed id");
  originals.setTimeout(() => {
    if (!entries?.[p.entryId].sameDocument && !mayLeave(window, true)) return;
    askedByClient = true;
    if (entries) settle(api?.traverseTo(entries[p.entryId].key));
    else history.go(p.entryId - 1);
  }, 0);
}

/** Handles the promises of a traversal. Events report a failure. */
function settle(r: { committed: Promise<unknown>; finished: Promise<unknown> } | undefined): void {
  r?.committed.then(() => (askedByClient = false)).catch(() => (askedByClient = false));
  r?.finished.catch(() => {});
}
