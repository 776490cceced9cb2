// The parts that snapdom's copy of a document lacks, put back before it is
// drawn.

import type { CaptureContext } from "@zumer/snapdom";
import { ground } from "./ground";
import { isQuirky, lineHeight } from "./quirks";

export const mend = {
  name: "mend",
  beforeRender({ clone, nodeMap, element, clip }: CaptureContext): void {
    // Of a part that is to stand alone it takes the margins at the edges; a root keeps them inside.
    if (clone) clone.style.display = "flow-root";
    const copies = new Map<Node, HTMLElement>();
    const quirky = isQuirky(element.ownerDocument);
    for (const [copy, source] of nodeMap as Map<Node, Node>) {
      if (!isHtml(copy) || !isHtml(source)) continue;
      copies.set(source, copy);
      const style = (source.ownerDocument.defaultView ?? window).getComputedStyle(source);
      if (copy !== clone) margins(copy, source, style); // a root is where it is by the clip
      if (quirky) lineHeight(copy, source, style);
      if (native(source, style)) look(copy);
      if (/^(IFRAME|TEXTAREA)$/.test(source.tagName)) size(copy, source, style);
    }
    if (isHtml(element)) ground(element, copies, reach(clip));
  },
};

/** Elements further than this from the document's corners are not in the picture. */
function reach(clip: CaptureContext["clip"]): number {
  if (!clip || clip === "viewport") return 0;
  return Math.abs(clip.x) + Math.abs(clip.y) + clip.width + clip.height;
}

function isHtml(node: Node): node is HTMLElement {
  return node.nodeType === Node.ELEMENT_NODE && "style" in node && "offsetWidth" in node;
}

function margins(copy: HTMLElement, source: HTMLElement, style: CSSStyleDeclaration): void {
  for (const side of ["margin-top", "margin-bottom"]) {
    if (copy.style.getPropertyValue(side) !== "0px" || source.style.getPropertyValue(side)) continue;
    copy.style.setProperty(side, style.getPropertyValue(side));
  }
}

/** Whether the browser draws a control as its own: with any border of the page's it does not. */
function native(source: HTMLElement, style: CSSStyleDeclaration): boolean {
  if (style.appearance === "none") return false;
  if (/^(PROGRESS|METER)$/.test(source.tagName)) return true;
  return /^(INPUT|TEXTAREA|BUTTON|SELECT)$/.test(source.tagName) && /^(inset|outset)$/.test(style.borderTopStyle);
}

/** Takes the frozen styles off again that would end a control's own look. */
function look(copy: HTMLElement): void {
  for (const name of ["border", "border-radius", "background", "appearance"]) copy.style.setProperty(name, "revert");
}

/** Sizes are written down without the box that they are of. */
function size(copy: HTMLElement, source: HTMLElement, style: CSSStyleDeclaration): void {
  copy.style.display = style.display === "inline" ? "inline-block" : style.display;
  copy.style.boxSizing = "border-box";
  copy.style.width = `${source.offsetWidth}px`;
  copy.style.height = `${source.offsetHeight}px`;
}
