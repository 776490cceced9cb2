// What lies at a point of the Target, and the events that are sent to it.

import { frameOfOwner } from "../page/frames";
import { contentBox, offsetOf } from "../dom/geometry";
import { settleClick } from "../windows/popups";

/** An element at a point, with the point in the element's own viewport. */
export interface Spot {
  el: Element;
  /** The parent of the text there, where that is in a slot, which is `el`. */
  parent?: Element;
  win: Window & typeof globalThis;
  x: number;
  y: number;
  /** The same point in the Target's viewport. */
  at: { x: number; y: number };
  /** The iframe around the element's document, at the same point. */
  outer?: Spot;
}

/**
 * The deepest element at a point of the flat tree, through open shadow roots and frames in reach. Text that is
 * in a slot is its slot's: as in Chromium the slot gets the events, and what encloses it in the shadow tree.
 */
export function spotAt(px: number, py: number): Spot | undefined {
  let [x, y] = [px, py];
  let win = window;
  let root: DocumentOrShadowRoot = document;
  let el: Element | null = null;
  let parent: Element | undefined;
  let outer: Spot | undefined;
  for (;;) {
    const next: Element | null = root.elementFromPoint(x, y);
    if (!next || next === el) {
      const slot: Element | null | undefined = el?.shadowRoot && slotOfText(el, x, y);
      if (el && slot) [parent, el] = [el, slot];
      break;
    }
    el = next;
    const inner: (Window & typeof globalThis) | null | undefined = frameOfOwner(el)?.win;
    if (inner) {
      outer = { el, win, x, y, at: { x: px, y: py }, outer };
      const box = contentBox(el, el.getBoundingClientRect());
      x -= box.left;
      y -= box.top;
      win = inner;
      root = inner.document;
      el = inner.document.documentElement;
    } else if (el.shadowRoot) root = el.shadowRoot;
    else break;
  }
  return el ? { el, parent, win, x, y, at: { x: px, y: py }, outer } : undefined;
}

/** The slot of the text that a shadow host has at a point. */
function slotOfText(host: Element, x: number, y: number): Element | undefined {
  const range = host.ownerDocument.createRange();
  for (const node of host.childNodes) {
    const { assignedSlot } = node as Partial<Text>;
    if (node.nodeType !== Node.TEXT_NODE || !assignedSlot) continue;
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()];
    if (boxes.some((b) => x >= b.left && x < b.right && y >= b.top && y < b.bottom)) return assignedSlot;
  }
  return undefined;
}

/** An element with a point of the Target's viewport, wherever that is. */
export function inViewportOf(el: Element, x: number, y: number): Spot {
  const doc = el.ownerDocument;
  const offset = offsetOf(doc);
  return { el, win: doc.defaultView ?? window, x: x - offset.x, y: y - offset.y, at: { x, y } };
}

type Modifiers = Required<Pick<EventModifierInit, "altKey" | "ctrlKey" | "metaKey" | "shiftKey">>;

/** The modifier keys of CDP's bit field. */
export function modifiersOf(p: { modifiers?: number }): Modifiers {
  const m = p.modifiers ?? 0;
  return { altKey: (m & 1) > 0, ctrlKey: (m & 2) > 0, metaKey: (m & 4) > 0, shiftKey: (m & 8) > 0 };
}

/**
 * Sends an event and reports whether its default action is due. Playwright's
 * page script takes untrusted events only with this mark.
 */
export function send(el: EventTarget, event: Event): boolean {
  Object.defineProperty(event, "__pwTrustedSynthetic", { value: true });
  const unprevented = el.dispatchEvent(event);
  settleClick();
  return unprevented;
}

/** The elements around one in the flat tree, itself first, as events bubble: through slots, and through shadow roots to their hosts. */
export function pathOf(el: Element | undefined): Element[] {
  const path: Element[] = [];
  for (let at: Element | null | undefined = el; at; ) {
    path.push(at);
    at = at.assignedSlot ?? at.parentElement ?? (at.getRootNode() as Partial<ShadowRoot>).host;
  }
  return path;
}

/** Whether it is a form control that is switched off, or inside of one: those get no mouse events. */
export function isDisabled(el: Element): boolean {
  return pathOf(el).some((e) =>
    e.matches("button:disabled, input:disabled, select:disabled, textarea:disabled, option:disabled"),
  );
}
