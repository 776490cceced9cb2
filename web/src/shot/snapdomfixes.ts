// The parts that snapdom's copy of a document lacks, put back before it is
// drawn.

import type { CaptureContext } from "@zumer/snapdom";
import { styleOf } from "../flattree";
import { addCanvasBackground } from "./canvasbackground";
import { isQuirky, lineHeight } from "./quirks";

export const snapdomFixes = {
  name: "snapdomFixes",
  beforeRender({ clone, nodeMap, element, clip }: CaptureContext): void {
    // snapdom removes the margins at the edges of the element that it draws. In a root, these margins stay inside.
    if (clone) clone.style.display = "flow-root";
    const copies = new Map<Node, HTMLElement>();
    const quirky = isQuirky(element.ownerDocument);
    for (const [copy, source] of nodeMap as Map<Node, Node>) {
      if (!isHtml(copy) || !isHtml(source)) continue;
      copies.set(source, copy);
      const style = styleOf(source);
      if (copy !== clone) margins(copy, source, style); // the clip determines where the root is
      if (quirky) lineHeight(copy, source, style);
      if (isNativeLook(source, style)) restoreLook(copy);
      if (/^(IFRAME|TEXTAREA)$/.test(source.tagName)) size(copy, source, style);
    }
    if (isHtml(element)) addCanvasBackground(element, copies, reach(clip));
    if (clone) expressibleInXml(clone);
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

/** Whether the browser draws a control in its native look. With a border set by the page it does not. */
function isNativeLook(source: HTMLElement, style: CSSStyleDeclaration): boolean {
  if (style.appearance === "none") return false;
  if (/^(PROGRESS|METER)$/.test(source.tagName)) return true;
  return /^(INPUT|TEXTAREA|BUTTON|SELECT)$/.test(source.tagName) && /^(inset|outset)$/.test(style.borderTopStyle);
}

/** Removes the copied styles that would end a control's native look. */
function restoreLook(copy: HTMLElement): void {
  for (const name of ["border", "border-radius", "background", "appearance"]) copy.style.setProperty(name, "revert");
}

/** snapdom copies the computed size without box-sizing, so the border box is set here. */
function size(copy: HTMLElement, source: HTMLElement, style: CSSStyleDeclaration): void {
  copy.style.display = style.display === "inline" ? "inline-block" : style.display;
  copy.style.boxSizing = "border-box";
  copy.style.width = `${source.offsetWidth}px`;
  copy.style.height = `${source.offsetHeight}px`;
}

/** A name that XML has for an attribute or element without a prefix. snapdom itself sees to `@click` and `:class`. */
const NAME = /^[A-Za-z_][\w.-]*$/;

/** Removes what HTML allows and XML does not: attributes such as `[value]` and `(click)`, and the names of `<o:p>`. */
function expressibleInXml(root: Element): void {
  for (const template of root.querySelectorAll("template")) template.remove(); // it is not drawn
  for (const el of root.querySelectorAll("*")) {
    for (const { name, namespaceURI } of [...el.attributes])
      if (!namespaceURI && !NAME.test(name)) el.removeAttribute(name);
    if (!el.prefix && !NAME.test(el.localName)) el.replaceWith(renamed(el));
  }
}

function renamed(el: Element): Element {
  const copy = el.ownerDocument.createElement(`x-${el.localName.replace(/[^\w-]/g, "-")}`);
  for (const { name, value } of el.attributes) copy.setAttribute(name, value);
  copy.append(...el.childNodes);
  return copy;
}
