// Boxes that scroll. Script cannot scroll what is in an SVG image, but a style can say where a box is scrolled to at
// first: at the element with scroll-initial-target (CSS Scroll Snap 2, in Chromium since 133). A sticky box is then where
// it should be, and a scroll bar, too.

import * as dom from "./dom";
import type { Sheet } from "./sheet";

const SUPPORTED = CSS.supports("scroll-initial-target", "nearest");

/** A box that the box around it is scrolled to, as large as the box shows. */
export function scrolledTo(left: number, top: number, width: number, height: number, sheet: Sheet): string {
  if (!left && !top) return "";
  const css = SUPPORTED
    ? `display:block;position:absolute;visibility:hidden;left:${left}px;top:${top}px;width:${width}px;height:${height}px;scroll-initial-target:nearest`
    : `display:block;margin:0 0 ${-top}px ${-left}px`;
  return `<div class="${sheet.rule(css)}"></div>`;
}

const PARTS = ["", "-track", "-thumb", "-corner", "-button"];

/** The style of a box's scroll bars, of which those are there: `x` is the vertical one's width. */
export function scrollbars(el: Element, style: CSSStyleDeclaration, has: { x: boolean; y: boolean }, sheet?: Sheet): string {
  if (!has.x && !has.y) {
    const overflow = sheet ? "" : "overflow:hidden;";
    return `${overflow}scrollbar-width:none;`;
  }
  let css = `overflow-y:${has.x ? "scroll" : "hidden"};overflow-x:${has.y ? "scroll" : "hidden"};`;
  if (style.scrollbarWidth !== "auto") css += `scrollbar-width:${style.scrollbarWidth};`;
  void el;
  void PARTS;
  return css;
}

export { dom };
