// What stands in the copy of a document for elements that are out of the picture: most of a long page. Such an element
// is copied as an empty box. In a column of blocks, one box stands for all in a row.

import * as dom from "./dom";
import { isAuto } from "./declare";
import type { Rect } from "./options";

/** A box for several elements, as CSS; "" where the box of an earlier element stands; or the box of the element itself. */
type StandIn = string | { css: string };

export interface Bounds {
  /** What stands for an element; undefined where it is in the picture. */
  standIn(el: Element, style: CSSStyleDeclaration, parentDisplay: string): StandIn | undefined;
}

/** How far shadows, outlines and filters may reach out of a box. */
const REACH = 100;

/** `region` is in the coordinates of the viewport. */
export function boundsOf(region: Rect): Bounds {
  const covered = new Set<Element>();
  const known = new Map<Element, boolean>();

  /** Whether an element and all that is in it are out of the picture. */
  const isOutside = (el: Element): boolean => {
    const before = known.get(el);
    if (before !== undefined) return before;
    const { left, top, right, bottom } = dom.rectOf(el);
    const hasBox = right > left || bottom > top;
    const isOut =
      right < region.x - REACH ||
      bottom < region.y - REACH ||
      left > region.x + region.width + REACH ||
      top > region.y + region.height + REACH;
    // A box of no size may have text that flows out of it.
    let outside = hasBox ? isOut : !dom.childrenOf(el).some((n) => dom.isText(n) && /\S/.test(dom.textOf(n)));
    if (outside) outside = dom.childrenOf(el).every((n) => !dom.isElement(n) || isOutside(n));
    known.set(el, outside);
    return outside;
  };

  return {
    standIn(el, style, parentDisplay) {
      if (covered.has(el)) return "";
      if (/^(inline|contents|ruby|table)/.test(style.display) && style.display !== "table-cell") return undefined;
      if (!isOutside(el)) return undefined;
      if (dom.namespaceOf(el) !== dom.HTML) return { css: "" };
      if (!inFlow(el, parentDisplay)) return { css: "" };
      const margins = (last: Element): string => `margin:${margin(el, "Top")}px 0 ${margin(last, "Bottom")}px;`;
      if (counts(el)) return { css: margins(el) };
      let last = el;
      for (
        let next = after(last);
        next && inFlow(next, parentDisplay) && !counts(next) && isOutside(next);
        next = after(next)
      ) {
        covered.add(next);
        last = next;
      }
      return box(el, last) + margins(last);
    },
  };
}

/** Whether an element is a block below those before it. */
function inFlow(el: Element, parentDisplay: string): boolean {
  if (!/^(block|flow-root|list-item)$/.test(parentDisplay)) return false;
  const around = dom.parentNode(el);
  if (!around || !dom.isElement(around)) return false;
  const parent = dom.styleOf(around);
  if (parent.columnWidth + parent.columnCount !== "autoauto") return false;
  const style = dom.styleOf(el);
  return (
    dom.namespaceOf(el) === dom.HTML &&
    /^(block|flow-root|flex|grid|list-item)$/.test(style.display) &&
    style.position + style.float + style.clear + style.transform === "staticnonenonenone" &&
    style.writingMode === "horizontal-tb" &&
    Math.abs(dom.offsetHeight(el) - dom.rectOf(el).height) < 1 // nothing around it scales it
  );
}

/** Whether the numbers of later elements depend on this one. */
function counts(el: Element): boolean {
  const { display, listStyleType, counterIncrement, counterReset, counterSet } = dom.styleOf(el);
  return (
    counterIncrement + counterReset + counterSet !== "nonenonenone" ||
    (display === "list-item" && !/^(none|disc|circle|square)$/.test(listStyleType))
  );
}

/** The next sibling, if there is no text before it. */
function after(el: Element): Element | null {
  let next = dom.nextSibling(el);
  while (next && !dom.isElement(next) && !hasText(next)) next = dom.nextSibling(next);
  return next && dom.isElement(next) ? next : null;
}

const hasText = (node: Node): boolean => dom.isText(node) && /\S/.test(dom.textOf(node));

/** An empty block as large as all from `first` to `last`. */
function box(first: Element, last: Element): string {
  const { top, width } = dom.rectOf(first);
  const height = dom.rectOf(last).bottom - top;
  return `display:block;width:${width}px;height:${height}px;`;
}

/** The margin of a block, with those of its children that collapse with it (CSS 2.2, 8.3.1). */
function margin(el: Element, side: "Top" | "Bottom"): number {
  const style = dom.styleOf(el);
  const own = parseFloat(style[`margin${side}`]) || 0;
  if (!/^(block|list-item)$/.test(style.display) || style.overflow !== "visible") return own;
  if (side === "Bottom" && !isAuto(el, "height")) return own;
  let child = side === "Top" ? dom.firstChild(el) : dom.lastChild(el);
  while (child && !hasText(child) && !takesPart(child))
    child = side === "Top" ? dom.nextSibling(child) : dom.previousSibling(child);
  if (!child || !dom.isElement(child) || !inFlow(child, style.display)) return own;
  const edge = side === "Top" ? "top" : "bottom";
  if (Math.abs(dom.rectOf(child)[edge] - dom.rectOf(el)[edge]) > 0.5) return own;
  const inner = margin(child, side);
  return Math.max(own, inner, 0) + Math.min(own, inner, 0);
}

/** Whether a node is an element in the flow. */
function takesPart(node: Node): boolean {
  if (!dom.isElement(node)) return false;
  const { display, position, float } = dom.styleOf(node);
  return display !== "none" && !/^(absolute|fixed)$/.test(position) && float === "none";
}
