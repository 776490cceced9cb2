// The background of the root element, or else that of the body, is painted on the whole canvas (CSS Backgrounds 3,
// 2.11). In a picture the root is a box like any other, so a box behind it stands for the canvas.

import type { DocumentCopy } from "./piece";
import * as dom from "./dom";
import type { Rect } from "./options";

const PARTS = ["color", "image", "position", "size", "repeat", "blend-mode"].map((part) => `background-${part}`);
const SIDES = ["Top", "Right", "Bottom", "Left"] as const;

/** What Chromium shows behind a page whose colour scheme is dark. */
const DARK = "#121212";

/**
 * The canvas behind the copy of a root element, whose own background goes. The viewport is `scrolled` to its place; or
 * the picture shows what is beyond it.
 */
export function background(root: Element, copy: DocumentCopy, viewport: Rect, scrolled: boolean): string {
  const body = copy.doc.body as HTMLElement | null;
  const candidates = body && contains(root, body) ? [root] : [root, body];
  const source = candidates.find((el) => el && copy.pieces.has(el) && painted(el));
  if (!source) return "";
  const style = dom.styleOf(source);
  const piece = copy.pieces.get(source);
  const none = ` ${copy.sheet.rule("background:none")}`;
  if (piece) piece.open = piece.open.replace(/ class="([^"]*)"/, (_, names) => ` class="${names}${none}"`);
  // All that the picture may show, in the coordinates of the document.
  const { x, y, width: w, height: h } = copy.region;
  const far = scrolled ? 0 : Math.abs(x) + Math.abs(y) + w + h;
  const width = Math.max(viewport.width, dom.scrollWidth(root)) + far,
    height = Math.max(viewport.height, dom.scrollHeight(root)) + far;
  const place = area(root, style.backgroundAttachment, viewport);
  const before = far + Math.abs(place.x) + Math.abs(place.y);
  let css =
    `display:block;position:absolute;left:${-before}px;top:${-before}px;width:${place.width}px;height:${place.height}px;` +
    `padding:${place.y + before}px ${width}px ${height}px ${place.x + before}px;background-origin:content-box;`;
  for (const part of PARTS) css += `${part}:${copy.resources.inline(style.getPropertyValue(part))};`;
  const clip = `display:block;position:absolute;z-index:-1;left:0;top:0;width:${width}px;height:${height}px;${scrolled ? "overflow:hidden;" : ""}`;
  return `<div class="${copy.sheet.rule(clip)}"><div class="${copy.sheet.rule(css)}"></div></div>`;
}

/** The colour where a document paints nothing. */
export function blank(doc: Document): string {
  const { colorScheme } = dom.styleOf(doc.documentElement);
  if (!colorScheme?.includes("dark")) return "white";
  return colorScheme.includes("light") && !matchMedia("(prefers-color-scheme: dark)").matches ? "white" : DARK;
}

/** The background positioning area of the canvas in the document: the padding box of the root, or the viewport. */
function area(root: Element, attachment: string, viewport: Rect): Rect {
  if (attachment === "fixed") return viewport;
  const style = dom.styleOf(root);
  const [above, right, below, left] = SIDES.map((side) => parseFloat(style[`border${side}Width`]));
  const rect = dom.rectOf(root);
  return {
    x: rect.left + viewport.x + left,
    y: rect.top + viewport.y + above,
    width: rect.width - left - right,
    height: rect.height - above - below,
  };
}

/**
 * Whether one of the elements has containment: then the body's background is not propagated (CSS Containment 2, 3.3).
 */
function contains(...elements: Element[]): boolean {
  return elements.some((el) => !/^(none|)$/.test(dom.styleOf(el).contain ?? ""));
}

function painted(el: Element): boolean {
  const style = dom.styleOf(el);
  return (
    style.display !== "none" && (style.backgroundImage !== "none" || !/^rgba\(.*, 0\)$/.test(style.backgroundColor))
  );
}
