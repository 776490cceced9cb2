// A picture is laid out in standards mode, in whatever mode its document is. In standards mode, an inline box makes
// its line as high as its line-height even if it has no text of its own. In quirks mode it does not (Quirks Mode
// Standard, 3.4).

import * as dom from "./dom";

const LIMITED = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Frameset|Transitional)\/\//i;
const CONTROL = /^(input|textarea|button|select|meter|progress)$/;
const EDGES = ["Top", "Right", "Bottom", "Left"] as const;

/** Whether boxes without text of their own have no line height in a document. */
export function isQuirky(doc: Document): boolean {
  return doc.compatMode === "BackCompat" || LIMITED.test(doc.doctype?.publicId ?? "");
}

/** The line height that the box of a quirky document's element has there: on every element, so that none inherits 0. */
export function lineHeight(el: Element, style: CSSStyleDeclaration): string {
  if (CONTROL.test(dom.localName(el))) return `line-height:${style.lineHeight};`;
  return `line-height:${hasLineHeight(el, style) ? style.lineHeight : "0"};`;
}

function hasLineHeight(el: Element, style: CSSStyleDeclaration): boolean {
  if (dom.shadowRootOf(el) || style.display === "list-item" || hasEdge(style)) return true;
  const collapses = style.whiteSpace === "normal" || style.whiteSpace === "nowrap";
  for (const child of dom.lightChildren(el)) {
    if (dom.isElement(child) && dom.isHtml(child, "br")) return true;
    if (dom.isText(child) && (!collapses || /[^ \t\n\r\f]/.test(dom.textOf(child)))) return true;
  }
  return ["::before", "::after"].some((pseudo) => !/^(none|normal)$/.test(dom.styleOf(el, pseudo).content));
}

/** Whether an inline box has a margin, border or padding. */
function hasEdge(style: CSSStyleDeclaration): boolean {
  if (style.display !== "inline") return false;
  return EDGES.some((edge) =>
    [style[`margin${edge}`], style[`border${edge}Width`], style[`padding${edge}`]].some((width) => parseFloat(width)),
  );
}
