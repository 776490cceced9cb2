// Finds the element at a point of the Target, and dispatches events to it.

import { pathOf } from "../../flattree";
import { type Owner, frameOfOwner } from "../page/frames";
import { placeInTarget, placeOf, within } from "../dom/geometry";
import { sent } from "../runtime/isolatedglobals";
import { settleClick } from "../windows/popups";

/** An element at a point, with the point in the element's own viewport. */
export interface Spot {
  el: Element;
  /** If `el` is the slot of a text at this point: the parent of the text. */
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
 * The deepest element at a point of the flat tree, through open shadow roots and frames of this origin. For text in a
 * slot this is the slot: as in Chromium, events go to the slot and its ancestors in the shadow tree.
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
      ({ x, y } = within(placeOf(el as Owner), x, y));
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

/** An element with a point of the Target's viewport, which need not be on the element. */
export function inViewportOf(el: Element, x: number, y: number): Spot {
  const doc = el.ownerDocument;
  return { el, win: doc.defaultView ?? window, ...within(placeInTarget(doc), x, y), at: { x, y } };
}

type Modifiers = Required<Pick<EventModifierInit, "altKey" | "ctrlKey" | "metaKey" | "shiftKey">>;

/** The modifier keys of CDP's bit field. */
export function modifiersOf(p: { modifiers?: number }): Modifiers {
  const m = p.modifiers ?? 0;
  return { altKey: (m & 1) > 0, ctrlKey: (m & 2) > 0, metaKey: (m & 4) > 0, shiftKey: (m & 8) > 0 };
}

/** What all events at a point have in common. */
export function initAt({ win, x, y }: Spot, p: { modifiers?: number }): MouseEventInit {
  const common = { bubbles: true, cancelable: true, composed: true, view: win };
  return { ...common, clientX: x, clientY: y, ...modifiersOf(p) };
}

/** Dispatches an event of a Client's. Returns whether its default action may happen. */
export function send(el: EventTarget, event: Event): boolean {
  sent.add(event);
  const unprevented = el.dispatchEvent(event);
  settleClick();
  return unprevented;
}

/** Whether an element is a disabled form control or inside of one. Those get no mouse events. */
export function isDisabled(el: Element): boolean {
  return pathOf(el).some((e) =>
    e.matches("button:disabled, input:disabled, select:disabled, textarea:disabled, option:disabled"),
  );
}
