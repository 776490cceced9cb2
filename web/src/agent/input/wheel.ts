// The wheel: dispatches an event, then scrolls the nearest element that can scroll.

import type { Protocol } from "../../cdp";
import { frameOfDocument } from "../page/frames";
import { enclosing, styleOf } from "../../flattree";
import { type Spot, initAt, send } from "./point";

/** Turns the wheel at a point. */
export function wheel(spot: Spot, p: Protocol.Input.DispatchMouseEventRequest): void {
  const left = p.deltaX ?? 0;
  const top = p.deltaY ?? 0;
  const event = new spot.win.WheelEvent("wheel", { ...initAt(spot, p), deltaX: left, deltaY: top });
  if (send(spot.el, event)) scrollFrom(spot.el, left, top);
}

/** Scrolls the first that moves: the element, its ancestors, its window, and the frames around that. */
export function scrollFrom(start: Element, left: number, top: number): void {
  for (let el: Element | null | undefined = start; el; ) {
    const doc: Document = el.ownerDocument;
    const root = doc.scrollingElement;
    for (let at: Element | null = el; at; at = enclosing(at)) {
      if (at === root || at === doc.body || !canScroll(at, left, top)) continue;
      if (moves(at, left, top) || keepsScrolling(at, left)) return;
    }
    if (root && styleOf(root).overflowY !== "hidden" && moves(root, left, top)) return;
    el = frameOfDocument(doc)?.owner;
  }
}

function canScroll(el: Element, left: number, top: number): boolean {
  const { overflowX, overflowY } = styleOf(el);
  const open = (o: string): boolean => o === "auto" || o === "scroll";
  return (left !== 0 && open(overflowX)) || (top !== 0 && open(overflowY));
}

/** Whether an element keeps the scrolling to itself at its ends (overscroll-behavior). */
function keepsScrolling(el: Element, left: number): boolean {
  const { overscrollBehaviorX, overscrollBehaviorY } = styleOf(el);
  return (left !== 0 ? overscrollBehaviorX : overscrollBehaviorY) !== "auto";
}

function moves(el: Element, left: number, top: number): boolean {
  const { scrollLeft, scrollTop } = el;
  el.scrollBy({ left, top, behavior: "instant" });
  return el.scrollLeft !== scrollLeft || el.scrollTop !== scrollTop;
}
