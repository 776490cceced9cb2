// The declarations that give a box in the picture the style that an element has in the document.

import * as dom from "./dom";
import * as props from "./properties";

/** What the children of a copy inherit, and what kind of box it is. */
export interface Inherited {
  font: string;
  values: readonly string[];
  /** How a box whose children share its space is turned. */
  space?: DOMMatrix;
  /** The namespace of the copies' parent. */
  namespace?: string;
  svg?: readonly string[];
  display: string;
}

/** In front of the root of a picture: everything that is inherited is written. */
export const NOTHING: Inherited = { font: "", values: [], display: "block" };

interface Declared {
  css: string;
  inherited: Inherited;
}

const LINKED = /url\(/;
const PIXELS = /^-?[\d.]+(e-?\d+)?px$/;
/** Replaces the addresses in a value by what the picture has in it. */
export type Inline = (value: string) => string;

/** What is inherited, where it differs from the parent. */
export function inherit(style: CSSStyleDeclaration, parent: Inherited, inline: Inline): Declared {
  let css = "";
  const font = style.getPropertyValue("font");
  if (!font || font !== parent.font)
    for (const name of props.FONT) css += declaration(name, style.getPropertyValue(name));
  const values: string[] = [];
  for (let i = 0; i < props.INHERITED.length; i++) {
    let value = style.getPropertyValue(props.INHERITED[i]);
    // What is the text's colour stays so where that changes: in a ::first-letter, and in a `use` element.
    if (i > 0 && value === values[0]) value = "currentcolor";
    values.push(value);
    if (value !== parent.values[i]) css += declaration(props.INHERITED[i], LINKED.test(value) ? inline(value) : value);
  }
  return { css, inherited: { font, values, display: style.display } };
}

const declaration = (name: string, value: string): string => (value ? `${name}:${value};` : "");

/** A box's own style, without its size and place. */
export function box(style: CSSStyleDeclaration, parentDisplay: string, inline: Inline): string {
  let css = "";
  const color = style.color;
  const add = (name: string, initial: string): boolean => {
    const value = style.getPropertyValue(name);
    if (!value || value === initial || (initial === "color" && value === color)) return false;
    css += `${name}:${LINKED.test(value) ? inline(value) : value};`;
    return true;
  };
  const addAll = (list: readonly (readonly [string, string])[]): void => {
    for (const [name, initial] of list) add(name, initial);
  };
  addAll(props.ALWAYS);
  for (const [first, ...others] of props.GROUPS) if (add(first[0], first[1])) addAll(others);
  const { display } = style;
  if (style.float !== "none") addAll(props.FLOATING);
  if (/flex|grid|box/.test(display)) addAll(props.CONTAINER);
  else if (/block|flow-root|list-item|table-c/.test(display)) {
    if (style.columnCount + style.columnWidth !== "autoauto") addAll(props.COLUMNS);
    add("align-content", "normal");
  }
  if (/flex|grid|box/.test(parentDisplay)) {
    addAll(props.ITEM);
    for (const side of ["width", "height"])
      if (style.getPropertyValue(`min-${side}`) === "0px") css += `min-${side}:0;`;
  }
  if (/^table|inline-table/.test(display)) add("table-layout", "auto");
  if (style.position !== "static") add("justify-self", "auto");
  if (style.transform + style.rotate + style.scale + style.translate + style.offsetPath !== "nonenonenonenonenone") {
    add("transform-origin", "");
    add("transform-box", "view-box");
  }
  if (style.perspective !== "none") add("perspective-origin", "");
  return css;
}

/** The widths of a box's scroll bars, which a computed size is without. */
export interface Bars {
  vertical: number;
  horizontal: number;
}

/** Where a box is: that of an absolute box from its used values, which the percentages and `auto` of its style have become. */
export function place(style: CSSStyleDeclaration, el?: Element): string {
  if (style.position === "static") return "";
  if (el && !/^(none|)$/.test(style.getPropertyValue("position-area"))) return area(style, el);
  const sides = style.position === "sticky" ? ["top", "right", "bottom", "left"] : ["top", "left"];
  return sides
    .map((side) => (style.getPropertyValue(side) === "auto" ? "" : `${side}:${style.getPropertyValue(side)};`))
    .join("");
}

/** A box in an area beside its anchor, whose sides are told by that area. */
function area(style: CSSStyleDeclaration, el: Element): string {
  const around = dom.own<Element | null>(el, "offsetParent");
  const { left, top } = around ? { left: dom.offsetLeft(el), top: dom.offsetTop(el) } : dom.rectOf(el);
  const moved = around || style.position === "fixed" ? { x: 0, y: 0 } : dom.scrollOf(el);
  return `left:${left + moved.x - parseFloat(style.marginLeft)}px;top:${top + moved.y - parseFloat(style.marginTop)}px;`;
}

/**
 * The size of a box. A height of `auto` stays, so that margins collapse through it; `fixed` is for a box without its
 * content.
 */
export function size(style: CSSStyleDeclaration, el: Element | undefined, fixed: boolean, bars?: Bars): string {
  const { display } = style;
  if (/absolute|fixed/.test(style.position)) fixed = true; // its sides may have stretched it
  if (
    !fixed &&
    /^(inline|contents|ruby|ruby-text|none|table-row|table-row-group|table-column.*|table-header-group|table-footer-group)$/.test(
      display,
    )
  )
    return display === "table-row" && PIXELS.test(style.height) && el && !isAuto(el, "height")
      ? `height:${style.height};`
      : "";
  let css = "";
  const inner = style.boxSizing === "content-box" ? bars : undefined;
  const px = (value: string, more = 0): string => (more ? `${parseFloat(value) + more}px` : value);
  if (PIXELS.test(style.width)) css += `width:${px(style.width, inner?.vertical)};`;
  if (PIXELS.test(style.height) && (fixed || !el || !isAuto(el, "height")))
    css += `height:${px(style.height, inner?.horizontal)};`;
  return css;
}

/** Whether a property is `auto`, whatever its used value is. */
export function isAuto(el: Element, name: string): boolean {
  try {
    return String(dom.styleMap(el).get(name)) === "auto";
  } catch {
    return false;
  }
}
