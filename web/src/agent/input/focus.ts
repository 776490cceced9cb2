// Moving the focus, with the events that a frame without the system's focus
// does not send by itself.

import { changed } from "./editing";
import { pathOf, send } from "./point";

/** The element that keys go to, through open shadow roots and frames in reach. */
export function focused(): Element {
  let el: Element | null = document.activeElement;
  for (;;) {
    const inner: Element | null | undefined = el?.shadowRoot?.activeElement ?? innerActive(el);
    if (!inner) return el ?? document.body ?? document.documentElement;
    el = inner;
  }
}

function innerActive(el: Element | null): Element | null {
  if (el?.localName !== "iframe") return null;
  try {
    return (el as HTMLIFrameElement).contentDocument?.activeElement ?? null;
  } catch {
    return null;
  }
}

/** Focuses an element, or with null nothing. */
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
  if (el) el.focus({ preventScroll: true });
  if (focused() === old && old !== old.ownerDocument.body) (old as HTMLElement).blur?.();
  old.removeEventListener("blur", heard, true);
  el?.removeEventListener("focus", heard, true);
  const now = focused();
  if (old !== now && old !== old.ownerDocument.body) {
    changed(old);
    if (silent.blur) announce(old, ["blur", "focusout"], el);
  }
  if (el && now === el && silent.focus) announce(el, ["focus", "focusin"], old);
}

function announce(el: Element, [plain, bubbling]: [string, string] | string[], other: Element | null): void {
  const { FocusEvent } = el.ownerDocument.defaultView ?? window;
  const init = { composed: true, relatedTarget: other };
  send(el, new FocusEvent(plain, init));
  send(el, new FocusEvent(bubbling, { ...init, bubbles: true }));
}

const FOCUSABLE = [
  "a[href]", "area[href]", "button:enabled", "input:enabled:not([type=hidden])", "select:enabled", "textarea:enabled", "iframe",
  "summary:first-of-type", "audio[controls]", "video[controls]", "[tabindex]", "[contenteditable]:not([contenteditable=false i])",
].join();

/** Whether an element can take the focus. */
export function isFocusable(el: Element): el is HTMLElement {
  return el.matches(FOCUSABLE) && el.getClientRects().length > 0 && !el.closest("[inert]")
    && (el.ownerDocument.defaultView ?? window).getComputedStyle(el).visibility !== "hidden";
}

/** What a press on an element focuses: the nearest that can be, a label's control when it is clicked, or nothing. */
export function focusFromPress(el: Element): void {
  moveFocus((pathOf(el).find(isFocusable) as HTMLElement | undefined) ?? null);
}

/** The element that Tab goes to. */
export function nextInTabOrder(back: boolean): HTMLElement | undefined {
  const from = focused();
  const doc = from.ownerDocument;
  const list = tabStops(doc);
  const i = list.indexOf(from as HTMLElement);
  if (i < 0) {
    const after = list.filter((el) => (from.compareDocumentPosition(el) & (back ? 2 : 4)) > 0);
    return back ? after.at(-1) : after[0];
  }
  return list[(i + (back ? -1 : 1) + list.length) % list.length];
}

/** All that Tab stops at, in its order: positive tabindex first, then the tree's. */
function tabStops(root: Document | ShadowRoot): HTMLElement[] {
  const stops: HTMLElement[] = [];
  for (const el of root.querySelectorAll("*")) {
    if (isFocusable(el) && el.tabIndex >= 0 && el.localName !== "iframe" && !isOtherRadio(el)) stops.push(el);
    if (el.shadowRoot) stops.push(...tabStops(el.shadowRoot));
  }
  const rank = (el: HTMLElement): number => (el.tabIndex > 0 ? el.tabIndex : Infinity);
  return stops.map((el, i) => ({ el, i })).sort((a, b) => cmp(rank(a.el), rank(b.el)) || a.i - b.i).map((s) => s.el);
}

const cmp = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Of a radio group only one stops Tab: the checked one. */
function isOtherRadio(el: HTMLElement): boolean {
  const radio = el as HTMLInputElement;
  if (!el.matches("input[type=radio]") || radio.checked || !radio.name) return false;
  return radiosOf(radio).some((r) => r.checked);
}

/** The radio buttons of one group. */
export function radiosOf(radio: HTMLInputElement): HTMLInputElement[] {
  const all = (radio.getRootNode() as Document).querySelectorAll<HTMLInputElement>("input[type=radio]:enabled");
  return [...all].filter((r) => r.name === radio.name && r.form === radio.form);
}
