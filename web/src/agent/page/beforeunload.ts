// beforeunload: a page asks before it is left, for example with unsaved text. A browser asks its user by a dialog of its
// own, which no Client can answer, and which blocks the frame meanwhile. So before a navigation that no person has
// started, the agent runs the page's listeners with an event of its own, and asks the Clients as it does for confirm.
// The browser asks only if somebody has clicked or pressed a key in the document before; input of a Client counts too,
// as in Chromium.

import { askToLeave, clientsAnswerDialogs } from "./dialogs";
import { type Win, allFrames } from "./frames";
import type { NavigateEvent } from "./navigationapi";
import { isAdopted } from "../link/hub";
import { originals } from "../base/originals";

/** Whether a Client has pressed a button or a key in this document. */
let pressed = false;
/** Whether the document may be left without another question: the page's listeners have run. */
let agreed = false;
/** Events whose navigation the page carries out itself. */
const intercepted = new WeakSet<Event>();

/** Notes what a Client's Input command does. */
export function noteInput(method: string, type: unknown): void {
  pressed ||=
    method === "Input.synthesizeTapGesture" || /^(mousePressed|touchStart|keyDown|rawKeyDown|char)$/.test(`${type}`);
}

export function noteIntercepted(e: Event): void {
  intercepted.add(e);
}

/** Listens in a window before the page does. */
export function listenForLeaving(win: Win): void {
  const first = (e: BeforeUnloadEvent): void => {
    if (!e.isTrusted) return;
    // The Host page navigates a document that it made without a question.
    if (agreed || location.origin === "null") e.stopImmediatePropagation();
    originals.setTimeout(disagree, 0); // the event goes to all windows in one task
  };
  win.addEventListener("beforeunload", first, true);
  askLast(win);
  win.addEventListener("load", () => askLast(win), { once: true });
}

function disagree(): void {
  agreed = false;
}

const listeners = new WeakMap<Win, (e: Event) => void>();

/** Listens for navigations, after the listeners that the page has added until now: they may intercept. */
function askLast(win: Win): void {
  const { navigation } = win as unknown as { navigation?: EventTarget };
  if (!navigation) return;
  const known = listeners.get(win);
  const listener = known ?? ((e: Event): void => ask(win, e as NavigateEvent));
  if (known) navigation.removeEventListener("navigate", known);
  else {
    listeners.set(win, listener);
    navigation.addEventListener("navigateerror", disagree);
  }
  navigation.addEventListener("navigate", listener);
}

function ask(win: Win, e: NavigateEvent): void {
  if (e.destination.sameDocument || e.hashChange || e.downloadRequest !== null) return;
  if (!e.cancelable || e.defaultPrevented || e.userInitiated || intercepted.has(e)) return;
  if (!mayLeave(win)) e.preventDefault();
}

/**
 * Whether the document of a window may be left, with those below it. Asks the Clients if the page wants that. Without a
 * Client that answers dialogs the browser asks, except for navigations of a Client itself, which need no question then.
 */
export function mayLeave(win: Win = window, byClient = false): boolean {
  if (agreed || !isAdopted() || !(pressed || navigator.userActivation?.hasBeenActive)) return true;
  if (!clientsAnswerDialogs()) {
    agreed = byClient;
    return true;
  }
  const asks = windowsBelow(win).map(wantsToStay).includes(true);
  const answer = asks ? askToLeave(win) : { accept: true };
  agreed = answer ? answer.accept : byClient;
  return answer?.accept ?? true;
}

function windowsBelow(top: Win): Win[] {
  const isBelow = (win: Win): boolean => {
    for (let at: Window = win; ; at = at.parent) {
      if (at === top) return true;
      if (at === window || at === at.parent) return false;
    }
  };
  return allFrames().flatMap(({ win }) => (win && isBelow(win) ? [win] : []));
}

/** Runs the page's listeners in a window. */
function wantsToStay(win: Win): boolean {
  const e = win.document.createEvent("BeforeUnloadEvent") as BeforeUnloadEvent;
  e.initEvent("beforeunload", false, true);
  win.dispatchEvent(e);
  return e.defaultPrevented || e.returnValue !== "";
}
