// Where nodes are, in CSS pixels of the Target's viewport, and scrolling them into view.

import { type Owner, frameOfDocument, mainFrame } from "../page/frames";
import { documentOf, isElement } from "./nodes";
import { enclosing, styleOf } from "../../flattree";

export { styleOf };

/** A rectangle by its edges. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Eight numbers: the corners, clockwise from the top left. */
export type Quad = number[];

export function quad(b: Box): Quad {
  return [b.left, b.top, b.right, b.top, b.right, b.bottom, b.left, b.bottom];
}

/** Where a viewport is in another one: its point (px, py) is at (x + px * sx, y + py * sy) there. */
export interface Place {
  x: number;
  y: number;
  sx: number;
  sy: number;
}

/**
 * Where the viewport of a frame is in the viewport around it. CSS may draw the frame smaller or larger than its layout
 * has it; turned frames are not supported. offsetWidth is rounded to whole pixels.
 */
export function placeOf(owner: Owner): Place {
  const border = owner.getBoundingClientRect();
  const scale = (drawn: number, laidOut: number): number => (Math.abs(drawn - laidOut) < 1 ? 1 : drawn / laidOut);
  const sx = scale(border.width, owner.offsetWidth);
  const sy = scale(border.height, owner.offsetHeight);
  const { left, top } = contentBox(owner, { left: 0, top: 0, right: 0, bottom: 0 });
  return { x: border.left + left * sx, y: border.top + top * sy, sx, sy };
}

/** Where a document's viewport is in the Target's. */
export function placeInTarget(doc: Document): Place {
  let p = { x: 0, y: 0, sx: 1, sy: 1 };
  for (let frame = frameOfDocument(doc); frame?.owner; frame = frame.parent) p = inside(placeOf(frame.owner), p);
  return p;
}

/** A place in a viewport, seen from around that viewport. */
export const inside = (o: Place, p: Place): Place => ({
  x: o.x + p.x * o.sx,
  y: o.y + p.y * o.sy,
  sx: o.sx * p.sx,
  sy: o.sy * p.sy,
});

/** A point of the outer viewport, in the inner one. */
export const within = (o: Place, x: number, y: number): { x: number; y: number } => ({
  x: (x - o.x) / o.sx,
  y: (y - o.y) / o.sy,
});

/** The corners of a quad of the inner viewport, in the outer one. */
export const placed = (o: Place, q: Quad): Quad => q.map((v, i) => (i % 2 ? o.y + v * o.sy : o.x + v * o.sx));

/**
 * The point of DOM.getNodeForLocation in the viewport. Clients send document coordinates. For the agent of a child
 * frame, the agent around it has already subtracted the scroll offset.
 */
export function locationPoint(p: { x: number; y: number }): { x: number; y: number } {
  return mainFrame().parentId ? { x: p.x, y: p.y } : { x: p.x - scrollX, y: p.y - scrollY };
}

/** The content box in a border box. */
export const contentBox = (el: Element, border: Box): Box => shrink(paddingBox(el, border), el, "padding");

export const paddingBox = (el: Element, border: Box): Box => shrink(border, el, "border", "Width");

export const marginBox = (el: Element, border: Box): Box => shrink(border, el, "margin", "", -1);

/** Moves the edges of a box inwards by lengths of an element's style, such as borderTopWidth. */
function shrink(b: Box, el: Element, prefix: string, suffix = "", sign = 1): Box {
  const style = styleOf(el);
  const by = (side: string): number => sign * parseFloat(style[(prefix + side + suffix) as "borderTopWidth"]) || 0;
  return {
    left: b.left + by("Left"),
    top: b.top + by("Top"),
    right: b.right - by("Right"),
    bottom: b.bottom - by("Bottom"),
  };
}

/** The rectangles that a node is drawn in, none when it is not drawn. */
export function rectsOf(node: Node): DOMRect[] {
  if (isElement(node)) {
    const own = [...node.getClientRects()];
    // With display: contents it has no box of its own, and its children count.
    return own.length === 0 && styleOf(node).display === "contents" ? [...node.childNodes].flatMap(rectsOf) : own;
  }
  if (node.nodeType !== Node.TEXT_NODE) return [];
  const range = documentOf(node).createRange();
  range.selectNodeContents(node);
  return [...range.getClientRects()];
}

/** The rectangle around all boxes of a node; undefined if it is not drawn. */
export function boundsOf(node: Node): Box | undefined {
  const rects = rectsOf(node);
  if (rects.length === 0) return undefined;
  return {
    left: Math.min(...rects.map((r) => r.left)),
    top: Math.min(...rects.map((r) => r.top)),
    right: Math.max(...rects.map((r) => r.right)),
    bottom: Math.max(...rects.map((r) => r.bottom)),
  };
}

/** Whether an element is drawn, by Element.checkVisibility where there is one (WebKit has it since Safari 17.4). */
export function isDrawn(el: Element, options: CheckVisibilityOptions = {}): boolean {
  if ("checkVisibility" in (el as object)) return el.checkVisibility(options);
  return el.getClientRects().length > 0 && (!options.visibilityProperty || styleOf(el).visibility === "visible");
}

/**
 * Scrolls so that a node is seen, in the centre where it was not, as
 * Chromium's DOM.scrollIntoViewIfNeeded does. `part` is a rectangle relative
 * to the node. Nothing outside of the Target scrolls: Element.scrollIntoView
 * would move the page that embeds it.
 */
export function reveal(node: Node, part?: { x: number; y: number; width: number; height: number }): void {
  const box = (): Box => {
    const b = boundsOf(node) ?? { left: 0, top: 0, right: 0, bottom: 0 };
    if (!part) return b;
    const left = b.left + part.x;
    const top = b.top + part.y;
    return { left, top, right: left + part.width, bottom: top + part.height };
  };
  let fixed = false;
  const doc = documentOf(node);
  const root = doc.scrollingElement;
  const viewport = root ?? doc.documentElement;
  for (let el = isElement(node) ? node : enclosing(node); el; el = enclosing(el)) {
    if (el !== node && el !== root && scrolls(el)) scrollTo(el, paddingBox(el, el.getBoundingClientRect()), box());
    if (styleOf(el).position === "fixed") {
      fixed = true;
      break;
    }
  }
  const win = documentOf(node).defaultView;
  if (win && !fixed) {
    // Not innerWidth, which a page may replace.
    scrollTo(win, { left: 0, top: 0, right: viewport.clientWidth, bottom: viewport.clientHeight }, box());
  }
  const owner = frameOfDocument(documentOf(node))?.owner;
  if (owner) {
    const outer = owner.getBoundingClientRect();
    const inner = contentBox(owner, outer);
    const b = box();
    reveal(owner, {
      x: inner.left - outer.left + b.left,
      y: inner.top - outer.top + b.top,
      width: b.right - b.left,
      height: b.bottom - b.top,
    });
  }
}

function scrolls(el: Element): boolean {
  if (el.scrollHeight <= el.clientHeight && el.scrollWidth <= el.clientWidth) return false;
  const { overflowX, overflowY } = styleOf(el);
  return [overflowX, overflowY].some((o) => o === "auto" || o === "scroll" || o === "hidden");
}

function scrollTo(what: Element | Window, port: Box, box: Box): void {
  const left = shift(box.left, box.right, port.left, port.right);
  const top = shift(box.top, box.bottom, port.top, port.bottom);
  if (left || top) what.scrollBy({ left, top, behavior: "instant" });
}

/** How far to scroll along one axis. 0 if all of it is visible, or it fills the viewport. */
function shift(from: number, to: number, low: number, high: number): number {
  if (from >= low && to <= high) return 0;
  if (from <= low && to >= high) return 0;
  return (from + to) / 2 - (low + high) / 2;
}
