// Boxes that scroll. Script cannot scroll what is in an SVG image, but a style can say where a box is scrolled to at
// first: at the element with scroll-initial-target (CSS Scroll Snap 2, in Chromium since 133). A sticky box is then where
// it should be, and a scroll bar, too.

import { type Bars, box, size } from "./declare";
import * as dom from "./dom";
import { SCROLLBAR, type Sheet } from "./sheet";

const SUPPORTED = CSS.supports("scroll-initial-target", "nearest");

/** A box that the box around it is scrolled to, as large as the box shows. */
export function scrolledTo(left: number, top: number, width: number, height: number, sheet: Sheet): string {
  if (!left && !top) return "";
  const css = SUPPORTED
    ? `display:block;position:absolute;visibility:hidden;left:${left}px;top:${top}px;width:${width}px;height:${height}px;scroll-initial-target:nearest`
    : `display:block;margin:0 0 ${-top}px ${-left}px`;
  return `<div class="${sheet.rule(css)}"></div>`;
}

/** The scroll bars that take room. */
export function barsOf(el: Element, style: CSSStyleDeclaration): Bars {
  const bar = (outer: number, inner: number, one: string, two: string): number =>
    Math.max(0, Math.round(outer - inner - parseFloat(one) - parseFloat(two)));
  return {
    vertical: bar(dom.offsetWidth(el), dom.clientWidth(el), style.borderLeftWidth, style.borderRightWidth),
    horizontal: bar(dom.offsetHeight(el), dom.clientHeight(el), style.borderTopWidth, style.borderBottomWidth),
  };
}

const PARTS = ["", "-track", "-track-piece", "-thumb", "-corner", "-button"];

/** The style of a box's scroll bars. What is in a box is not all copied, so that it is said which are there. */
export function scrollbars(
  el: Element,
  style: CSSStyleDeclaration,
  bars: Bars,
  sheet: Sheet,
): { css: string; classes: string } {
  if (!bars.vertical && !bars.horizontal) return { css: "scrollbar-width:none;", classes: "" };
  let css = "";
  for (const [side, width] of [
    ["x", bars.horizontal],
    ["y", bars.vertical],
  ])
    css += `overflow-${side}:${width ? "scroll" : "hidden"};`;
  if (style.scrollbarWidth !== "auto") css += `scrollbar-width:${style.scrollbarWidth};`;
  let classes = "";
  if (
    sheet.styled.includes(SCROLLBAR) &&
    style.scrollbarColor === "auto" &&
    dom.styleOf(el, SCROLLBAR).width !== "auto"
  )
    for (const part of PARTS) {
      const of = dom.styleOf(el, SCROLLBAR + part);
      if (of.display === "none") continue;
      classes += ` ${sheet.rule(box(of, "block", (value) => value) + size(of, undefined, true), SCROLLBAR + part)}`;
    }
  return { css, classes };
}
