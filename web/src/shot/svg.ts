// SVG content of a document.

import type { DocumentCopy, Part, Piece } from "./piece";
import { box, inherit, type Inherited, place, size } from "./declare";
import * as dom from "./dom";
import { INHERITED, INHERITED_SVG, SVG_OWN } from "./properties";
import { escape, escapeValue } from "./text";

const SKIPPED = /^(script|style|title|desc|metadata|animate.*|set|mpath|discard)$/;
/** HTML has names of elements that XML has not. */
export const NAME = /^[A-Za-z_][\w.-]*$/;
const GEOMETRY = /^(d|cx|cy|r|rx|ry|x|y|width|height)$/;
/** Attributes that a style has been made of. */
const STYLED = new Set([...INHERITED, ...INHERITED_SVG, ...SVG_OWN.map(([name]) => name), "style", "class", "color"]);

/** The copy of an SVG element; `always` one that is not drawn where it is. */
export function svgElement(
  el: Element,
  style: CSSStyleDeclaration,
  parent: Inherited,
  copy: DocumentCopy,
  always = false,
): Part {
  const name = dom.localName(el);
  if (SKIPPED.test(name) || !NAME.test(name)) return "";
  const { inline } = copy.resources;
  const around = dom.parentNode(el);
  const outermost =
    !always &&
    name === "svg" &&
    (!around ||
      !dom.isElement(around) ||
      dom.namespaceOf(around) !== dom.SVG ||
      dom.localName(around) === "foreignObject");
  const { css: inherited, inherited: own } = inherit(style, parent, inline);
  let css = inherited;
  const values: string[] = [];
  INHERITED_SVG.forEach((property, i) => {
    const value = painted(el, style, property);
    values.push(value);
    if (value !== parent.svg?.[i] && (parent.svg || value !== INITIAL[property]))
      css += `${property}:${inline(value)};`;
  });
  const inner: Inherited = { ...own, svg: values, namespace: dom.SVG };
  if (outermost) {
    css += box(style, parent.display, inline) + place(style) + size(style, el, true);
    css += `overflow:${style.overflow};`;
  } else {
    for (const [property, initial] of SVG_OWN) {
      const value = style.getPropertyValue(property);
      if (!value || value === initial || (GEOMETRY.test(property) && dom.attribute(el, property) !== null)) continue;
      css += `${property}:${inline(value)};`;
    }
    if (style.transform + style.rotate + style.scale + style.translate !== "nonenonenonenone")
      css += `transform-origin:${style.transformOrigin};transform-box:${style.transformBox};`;
    if (/^(svg|symbol|marker|pattern|foreignObject)$/.test(name)) css += `overflow:${style.overflow};`;
    if (style.maskImage && style.maskImage !== "none") css += `mask-image:${inline(style.maskImage)};`;
  }
  const piece: Piece = { el, parent, open: "", inner: [], close: `</${name}>` };
  copy.pieces.set(el, piece);
  piece.open = `<${name}${outermost ? ` xmlns="${dom.SVG}"` : ""} class="${copy.sheet.rule(css)}"${svgAttributes(el, name, copy, outermost)}>`;
  for (const child of dom.childrenOf(el)) {
    if (dom.isText(child)) piece.inner.push(escape(dom.textOf(child)));
    else if (dom.isElement(child)) {
      const part =
        dom.namespaceOf(child) === dom.SVG
          ? svgElement(child, dom.styleOf(child), inner, copy)
          : copy.element(child, { ...inner, display: "block" });
      if (part) piece.inner.push(part);
    }
  }
  return piece;
}

const INITIAL: Record<string, string> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  "fill-rule": "nonzero",
  stroke: "none",
  "stroke-opacity": "1",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-dashoffset": "0px",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  "stroke-miterlimit": "4",
  "clip-rule": "nonzero",
  "color-interpolation": "srgb",
  "color-interpolation-filters": "linearrgb",
  "shape-rendering": "auto",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  "marker-start": "none",
  "marker-mid": "none",
  "marker-end": "none",
};

/** A value in which `currentcolor` stands for itself: in a `use` element it is another colour. */
function painted(el: Element, style: CSSStyleDeclaration, property: string): string {
  const value = style.getPropertyValue(property);
  if ((property !== "fill" && property !== "stroke") || value !== style.color) return value;
  // Black is also what fills without a word.
  const isMeant =
    property === "stroke" || value !== INITIAL.fill || /currentcolor/i.test(`${dom.attribute(el, property)}`);
  return isMeant ? "currentcolor" : value;
}

function svgAttributes(el: Element, name: string, copy: DocumentCopy, outermost: boolean): string {
  let text = "";
  for (const { name: attribute, localName, value, namespaceURI } of dom.attributesOf(el)) {
    if (localName === "href") {
      text += ` href="${escapeValue(hrefOf(name, value, copy))}"`;
      continue;
    }
    if (namespaceURI || /^on|[^\w-]/i.test(attribute) || (STYLED.has(attribute) && !GEOMETRY.test(attribute))) continue;
    if (outermost && (attribute === "width" || attribute === "height")) continue;
    if (attribute === "id") copy.noteId(value);
    const linked = /^(filter|mask|clip-path)$/.test(attribute) ? copy.resources.inline(value) : value;
    text += ` ${attribute}="${escapeValue(linked)}"`;
  }
  return text;
}

function hrefOf(name: string, value: string, copy: DocumentCopy): string {
  const { resources } = copy;
  const id = value.startsWith("#") ? value.slice(1) : resources.idOf(new URL(value, copy.doc.baseURI).href);
  if (id !== undefined) {
    resources.ids.add(id);
    return `#${id}`;
  }
  const url = new URL(value, copy.doc.baseURI).href;
  if (/^(image|feImage)$/.test(name)) return resources.address(url);
  return name === "use" ? `#${resources.external(url)}` : "";
}
