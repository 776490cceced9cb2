// What stands in the copy of a document for elements that are out of the picture: most of a long page. snapdom copies
// such an element with all of its styles, as an empty box. In a column of blocks, one box stands for all in a row.

import { styleOf } from "../flattree";

/** The elements that the box of an earlier sibling stands for, by the clip of a picture. */
const covered = new WeakMap<object, Set<Element>>();

/**
 * The copy of an element, undefined where it is in the picture. Each element has one: snapdom pairs children by their
 * number. `isOutside` and `boxOf` are snapdom's.
 */
export function copyOutside<Clip extends object>(
  el: Element,
  clip: Clip,
  isOutside: (el: Element, clip: Clip) => boolean,
  boxOf: () => HTMLElement,
): HTMLElement | undefined {
  let here = covered.get(clip);
  if (!here) covered.set(clip, (here = new Set()));
  if (here.has(el)) return block(el, "display:none");
  if (!isOutside(el, clip)) return undefined;
  if (!inFlow(el)) return boxOf();
  let last = el;
  if (!counts(el)) {
    for (let next = after(last); next && inFlow(next) && !counts(next) && isOutside(next, clip); next = after(next)) {
      here.add(next);
      last = next;
    }
  }
  const copy = counts(el) ? boxOf() : box(el, last);
  copy.style.margin = `${margin(el, "Top")}px 0 ${margin(last, "Bottom")}px`;
  return copy;
}

/** Whether an element is a block below those before it. */
function inFlow(el: Element): boolean {
  const parent = el.parentElement && styleOf(el.parentElement);
  if (!parent || !/^(block|flow-root|list-item)$/.test(parent.display)) return false;
  if (parent.columnWidth + parent.columnCount !== "autoauto") return false;
  const style = styleOf(el);
  return (
    /^(block|flow-root|flex|grid|list-item)$/.test(style.display) &&
    style.position + style.float + style.clear + style.transform === "staticnonenonenone" &&
    style.writingMode === "horizontal-tb" &&
    Math.abs((el as HTMLElement).offsetHeight - el.getBoundingClientRect().height) < 1 // nothing around it scales it
  );
}

/** Whether the numbers of later elements depend on this one. */
function counts(el: Element): boolean {
  const { display, listStyleType, counterIncrement, counterReset, counterSet } = styleOf(el);
  return (
    counterIncrement + counterReset + counterSet !== "nonenonenone" ||
    (display === "list-item" && !/^(none|disc|circle|square)$/.test(listStyleType))
  );
}

/** The next sibling, if there is no text before it. */
function after(el: Element): Element | null {
  let next = el.nextSibling;
  while (next && next.nodeType !== 1 && !hasText(next)) next = next.nextSibling;
  return next?.nodeType === 1 ? (next as Element) : null;
}

const hasText = (node: Node): boolean => node.nodeType === 3 && /\S/.test(node.nodeValue ?? "");

/** An empty block as large as all from `first` to `last`. */
function box(first: Element, last: Element): HTMLElement {
  const { top, width } = first.getBoundingClientRect();
  const height = last.getBoundingClientRect().bottom - top;
  return block(first, `display:block;width:${width}px;height:${height}px;visibility:hidden`);
}

function block(of: Element, style: string): HTMLElement {
  const el = of.ownerDocument.createElement("div");
  el.style.cssText = style;
  return el;
}

/** The margin of a block, with those of its children that collapse with it (CSS 2.2, 8.3.1). */
function margin(el: Element, side: "Top" | "Bottom"): number {
  const style = styleOf(el);
  const own = parseFloat(style[`margin${side}`]) || 0;
  if (!/^(block|list-item)$/.test(style.display) || style.overflow !== "visible") return own;
  let child = side === "Top" ? el.firstChild : el.lastChild;
  while (child && !hasText(child) && !takesPart(child))
    child = side === "Top" ? child.nextSibling : child.previousSibling;
  if (child?.nodeType !== 1 || !inFlow(child as Element)) return own;
  const edge = side === "Top" ? "top" : "bottom";
  if (Math.abs((child as Element).getBoundingClientRect()[edge] - el.getBoundingClientRect()[edge]) > 0.5) return own;
  const inner = margin(child as Element, side);
  return Math.max(own, inner, 0) + Math.min(own, inner, 0);
}

/** Whether a node is an element in the flow. */
function takesPart(node: Node): boolean {
  if (node.nodeType !== 1) return false;
  const { display, position, float } = styleOf(node as Element);
  return display !== "none" && !/^(absolute|fixed)$/.test(position) && float === "none";
}
