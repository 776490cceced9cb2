// The order of Tab: the flat tree, with shadow roots and frames of this origin (HTML, section 6.6.6).

import { frameOfOwner } from "../page/frames";
import { focused, isFocusable, radiosOf, tabStart } from "./focus";

/**
 * The element that Tab goes to. After the last one, and backwards before the first, it is undefined, and nothing has
 * the focus. From there Tab goes on at the other end.
 */
export function nextInTabOrder(back: boolean): HTMLElement | undefined {
  const now = focused();
  const idle = now === now.ownerDocument.body || now === now.ownerDocument.documentElement;
  const from = idle ? tabStart.el : now;
  tabStart.el = undefined;
  const list = tabStops(document, from);
  const i = from ? list.indexOf(from) : -1;
  const next = back ? (from ? list[i - 1] : list.at(-1)) : list[i + 1];
  return next as HTMLElement | undefined;
}

/**
 * The elements below a root at which Tab stops, and `from`: those with a positive tabindex first, then in tree order.
 */
function tabStops(root: Document | ShadowRoot, from: Element | undefined): Element[] {
  const found: { rank: number; stops: Element[] }[] = [];
  const visit = (el: Element): void => {
    const stops: Element[] = el === from || isStop(el, from) ? [el] : [];
    const inner = el.shadowRoot ?? innerDocument(el);
    if (inner && indexOf(el) >= 0) stops.push(...tabStops(inner, from));
    if (stops.length > 0) found.push({ rank: indexOf(el) || Infinity, stops });
    if (inner) return;
    const assigned = el.localName === "slot" ? (el as HTMLSlotElement).assignedElements() : [];
    for (const child of assigned.length > 0 ? assigned : el.children) visit(child);
  };
  for (const child of root.children) visit(child);
  return found.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank)).flatMap((f) => f.stops);
}

function innerDocument(el: Element): Document | undefined {
  return frameOfOwner(el)?.win?.document;
}

/**
 * An element's tabindex. Elements that are focusable without the attribute count as 0, even where the
 * browser's tabIndex property says -1.
 */
function indexOf(el: Element): number {
  return el.hasAttribute("tabindex") ? (el as HTMLElement).tabIndex : 0;
}

function isStop(el: Element, from: Element | undefined): boolean {
  return !/^i?frame$/.test(el.localName) && isFocusable(el) && indexOf(el) >= 0 && !isOtherRadio(el, from);
}

/**
 * Whether Tab skips a radio button. It stops at one of each group: the focused, or else the checked, or else the
 * first.
 */
function isOtherRadio(el: Element, from: Element | undefined): boolean {
  const radio = el as HTMLInputElement;
  if (!el.matches("input[type=radio]") || !radio.name) return false;
  const group = radiosOf(radio);
  const stop = group.find((r) => r === from) ?? group.find((r) => r.checked) ?? group[0];
  return stop !== radio;
}
