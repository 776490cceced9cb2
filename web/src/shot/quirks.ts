// A picture is laid out in standards mode, in whatever mode its document is. In standards mode, an inline box makes
// its line as high as its line-height even if it has no text of its own. In quirks mode it does not (Quirks Mode
// Standard, 3.4).

import { styleOf } from "../flattree";

const LIMITED = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Frameset|Transitional)\/\//i;
const CONTROL = /^(INPUT|TEXTAREA|BUTTON|SELECT|METER|PROGRESS)$/;
const EDGES = ["Top", "Right", "Bottom", "Left"] as const;

/** Whether boxes without text of their own have no line height in a document. */
export function isQuirky(doc: Document): boolean {
  return doc.compatMode === "BackCompat" || LIMITED.test(doc.doctype?.publicId ?? "");
}

/** Gives the copy of a quirky document's element the line height that its box has there. */
export function lineHeight(copy: HTMLElement, source: HTMLElement, style: CSSStyleDeclaration): void {
  if (CONTROL.test(source.tagName)) return;
  // Set on every element, so that none inherits 0 from its parent.
  copy.style.lineHeight = hasLineHeight(source, style) ? style.lineHeight : "0";
}

function hasLineHeight(el: HTMLElement, style: CSSStyleDeclaration): boolean {
  if (el.shadowRoot || style.display === "list-item" || hasEdge(style)) return true;
  const collapses = style.whiteSpace === "normal" || style.whiteSpace === "nowrap";
  for (const child of el.childNodes) {
    if (child.nodeName === "BR") return true;
    if (child.nodeType === Node.TEXT_NODE && (!collapses || /[^ \t\n\r\f]/.test(child.nodeValue ?? ""))) return true;
  }
  return ["::before", "::after"].some((pseudo) => !/^(none|normal)$/.test(styleOf(el, pseudo).content));
}

/** Whether an inline box has a margin, border or padding. */
function hasEdge(style: CSSStyleDeclaration): boolean {
  if (style.display !== "inline") return false;
  return EDGES.some((edge) =>
    [style[`margin${edge}`], style[`border${edge}Width`], style[`padding${edge}`]].some((width) => parseFloat(width)),
  );
}
