// Moves the focus, and fires the focus events that the browser does not fire in a frame without the system's focus.

import { isDrawn } from "../dom/geometry";
import { changed } from "./change";
import { send } from "./point";
import { pathOf } from "../../flattree";
import type { Owner } from "../page/frames";
import { documentIn } from "../../realms";

/** The element where Tab starts while nothing has the focus: the one that was pressed last. */
export const tabStart: { el?: Element } = {};

/** The element that gets key events, through open shadow roots and frames of this origin. */
export function focused(): Element {
  let el: Element | null = document.activeElement;
  for (;;) {
    const inner: Element | null | undefined = el?.shadowRoot?.activeElement ?? innerActive(el);
    if (!inner) return el ?? document.body ?? document.documentElement;
    el = inner;
  }
}

function innerActive(el: Element | null): Element | null | undefined {
  return el && /^i?frame$/.test(el.localName) ? documentIn(el as Owner)?.activeElement : null;
}

/** Focuses an element, or removes the focus with null. */
export function moveFocus(el: HTMLElement | SVGElement | null): void {
  const old = focused();
  if (el && old === el) return;
  const silent = { blur: true, focus: true };
  const heard = (e: Event): void => {
    if (e.type === "blur") silent.blur = false;
    else silent.focus = false;
  };
  old.addEventListener("blur", heard, true);
  el?.addEventListener("focus", heard, true);
  // When the focus leaves a frame's document, the focused element there is blurred.
  if (el && el.ownerDocument !== old.ownerDocument && old !== old.ownerDocument.body) (old as HTMLElement).blur?.();
  if (el) el.focus({ preventScroll: true });
  if (focused() === old && old !== old.ownerDocument.body) (old as HTMLElement).blur?.();
  old.removeEventListener("blur", heard, true);
  el?.removeEventListener("focus", heard, true);
  const now = focused();
  if (old !== now && old !== old.ownerDocument.body) {
    changed(old);
    if (silent.blur) announceFocus(old, ["blur", "focusout"], el);
  }
  if (el && now === el && silent.focus) announceFocus(el, ["focus", "focusin"], old);
}

/** Fires the two events of an element that lost or got the focus. */
export function announceFocus(
  el: Element,
  [plain, bubbling]: [string, string] | string[],
  other: Element | null,
): void {
  const { FocusEvent } = el.ownerDocument.defaultView ?? window;
  const init = { composed: true, relatedTarget: other };
  send(el, new FocusEvent(plain, init));
  send(el, new FocusEvent(bubbling, { ...init, bubbles: true }));
}

const FOCUSABLE = [
  "a[href]",
  "area[href]",
  "button:enabled",
  "input:enabled:not([type=hidden])",
  "select:enabled",
  "textarea:enabled",
  "iframe",
  "details > summary:first-of-type",
  "audio[controls]",
  "video[controls]",
  "[tabindex]",
  "[contenteditable]:not([contenteditable=false i])",
].join();

/** Whether an element can take the focus; while a modal dialog is open, only elements in the dialog can. */
export function isFocusable(el: Element): el is HTMLElement {
  if (!el.matches(FOCUSABLE) || !isDrawn(el, { visibilityProperty: true }) || el.closest("[inert]")) return false;
  const modal = [...el.ownerDocument.querySelectorAll("dialog:modal")].at(-1);
  return !modal || pathOf(el).includes(modal);
}

/** Focuses the nearest focusable element around a press, or removes the focus. */
export function focusFromPress(el: Element): void {
  const to = pathOf(el).find(isFocusable);
  moveFocus(to ?? null);
  if (!to) tabStart.el = el;
}

/** The radio buttons of one group. */
export function radiosOf(radio: HTMLInputElement): HTMLInputElement[] {
  const all = (radio.getRootNode() as Document).querySelectorAll<HTMLInputElement>("input[type=radio]:enabled");
  return [...all].filter((r) => r.name === radio.name && r.form === radio.form);
}
