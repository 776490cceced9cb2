// The copy of a document that a picture is drawn of: text, and no nodes. Nodes would be made by the page's own code where
// it has defined elements, and its observers would see them.

import * as dom from "./dom";
import { boundsOf, type Bounds } from "./outside";
import { background } from "./canvasbackground";
import { control, isNative } from "./controls";
import { box, inherit, type Inherited, NOTHING, place, size } from "./declare";
import { isQuirky, lineHeight } from "./quirks";
import type { Resources } from "./resources";
import { documentIn } from "../realms";
import type { Rect } from "./options";
import { scrollbars, scrolledTo } from "./scroll";
import type { Sheet } from "./sheet";
import { NAME, svgElement } from "./svg";
import { attributes, escape } from "./text";

/** A copied element, which a draft may put another into the place of. */
export interface Piece {
  el: Element;
  parent: Inherited;
  open: string;
  inner: Part[];
  close: string;
}
export type Part = string | Piece;

export const write = (part: Part): string =>
  typeof part === "string" ? part : part.open + part.inner.map(write).join("") + part.close;

/** HTML elements that are not drawn, or as parts of others. */
const SKIPPED = /^(head|script|style|link|meta|title|base|template|source|track|param|datalist|area|noframes)$/;
/** Elements whose copies are elements of the same name, since a style alone does not make what they are. */
const KEPT = /^(table|td|th|col|colgroup|br|wbr|li|ol|ul|menu|legend|fieldset|rt|rp|ruby|button|hr)$/;
const KEPT_ATTRIBUTES = ["colspan", "rowspan", "span", "start", "reversed", "value", "disabled"];
/** The attribute by which the product's own elements are left out, such as the overlay of DevTools. */
const OURS = "data-snapdom-internal";

export class Copy {
  readonly pieces = new Map<Element, Piece>();
  private readonly top: Part[] = [];
  private readonly quirky: boolean;
  private readonly bounds: Bounds;
  private readonly emitted = new Set<string>();

  /** `region` is what is in the picture, in the coordinates of the viewport. */
  constructor(
    readonly doc: Document,
    readonly region: Rect,
    readonly resources: Resources,
    readonly sheet: Sheet,
  ) {
    this.quirky = isQuirky(doc);
    this.bounds = boundsOf(region);
  }

  /**
   * The viewport of the document, as a box. Where `scrolls`, it is scrolled as the document is; otherwise all of the
   * document is there.
   */
  viewport(viewport: Rect, scrolls: boolean): Part[] {
    const root = this.doc.documentElement;
    const { x, y, width, height } = viewport;
    const html = this.element(root, NOTHING);
    const defs = this.references();
    const own = dom.styleOf(root);
    let css = `display:block;position:absolute;width:${width}px;height:${height}px;isolation:isolate;`;
    const ours: Part[] = [];
    if (scrolls) {
      css += scrollbars(root, own, { x: width - dom.clientWidth(root) > 1, y: false });
      css += "left:0;top:0;";
      ours.push(scrolledTo(x, y, dom.clientWidth(root) || width, height, this.sheet));
    } else css += `left:${-x}px;top:${-y}px;`;
    css += `color-scheme:${own.colorScheme};`;
    const ground = background(root, this, viewport, scrolls);
    const top = this.top.length
      ? [`<div class="${this.sheet.rule("display:block;position:absolute;z-index:2147483647;left:0;top:0;width:100%;height:100%")}">`, ...this.top, "</div>"]
      : [];
    return [`<div class="${this.sheet.rule(css)}">`, ...ours, ground, defs, html, ...top, "</div>"];
  }

  /** The copy of an element and all in it; "" if it is not drawn. */
  element(el: Element, parent: Inherited): Part {
    const name = dom.localName(el);
    const isHtml = dom.isHtml(el);
    if (isHtml && SKIPPED.test(name)) return "";
    const style = dom.styleOf(el);
    if (style.display === "none" || !style.display || dom.attribute(el, OURS) !== null) return "";
    if (dom.namespaceOf(el) === dom.SVG) return svgElement(el, style, parent, this);
    if (style.getPropertyValue("overlay") === "auto") {
      this.top.push(this.backdrop(el), this.html(el, name, style, NOTHING));
      return "";
    }
    const stand = this.bounds.standIn(el, style, parent.display);
    if (stand !== undefined) return typeof stand === "string" ? stand && `<div class="${this.sheet.rule(stand)}"></div>` : this.html(el, name, style, parent, stand.css);
    return this.html(el, name, style, parent);
  }

  /** `outside` is the further style of a box that is drawn without its content. */
  html(el: Element, name: string, style: CSSStyleDeclaration, parent: Inherited, outside?: string): Part {
    const { inline } = this.resources;
    const { css: inherited, inherited: own } = inherit(style, parent, inline);
    const empty = outside !== undefined || style.getPropertyValue("content-visibility") === "hidden";
    const isRoot = el === this.doc.documentElement;
    const made = control(el, name, style, this);
    const replaced = made?.replaced === true;
    const css =
      inherited +
      box(style, parent.display, inline) +
      place(style) +
      size(style, el, empty || replaced || (this.quirky && (isRoot || el === this.doc.body))) + // the root fills the viewport in quirks mode
      (isRoot && style.display === "block" ? "display:flow-root;" : "") + // no margin of the root collapses
      (this.quirky ? lineHeight(el, style) : "") +
      (isNative(name, style) ? "border:revert;border-radius:revert;background:revert;appearance:revert;" : "") +
      (made?.css ?? "") +
      (outside ?? "");
    const tag = made?.tag ?? (dom.isHtml(el) ? (KEPT.test(name) ? name : "div") : NAME.test(name) ? name : "mrow");
    const piece: Piece = { el, parent, open: "", inner: [], close: `</${tag}>` };
    this.pieces.set(el, piece);
    let classes = "";
    let rest = "";
    if (!empty && !made?.inner) {
      classes += this.pseudo(el, "::before", own) + this.pseudo(el, "::after", own);
      const scroll = this.scroll(el, style);
      rest = scroll.css;
      if (scroll.marker) piece.inner.push(scroll.marker);
      if (scroll.classes) classes += scroll.classes;
      this.children(el, name, own, piece.inner);
    } else if (made?.inner && outside === undefined) piece.inner.push(...made.inner);
    if (!empty) classes += this.smallPseudos(el, style, own);
    const names = this.sheet.rule(css + rest) + classes;
    const kept = KEPT.test(tag) ? attributes(el, KEPT_ATTRIBUTES) : "";
    const xmlns = dom.isHtml(el) ? "" : ` xmlns="${escape(dom.namespaceOf(el))}"`;
    piece.open = `<${tag}${xmlns} class="${names}"${kept}${attributes(el, ["lang"])}${made?.attributes ?? ""}>`;
    return piece;
  }

  /** The copies of the children in the flat tree. */
  children(el: Element, name: string, own: Inherited, into: Part[]): void {
    const closed = name === "details" && dom.isHtml(el) && dom.attribute(el, "open") === null;
    for (const child of dom.childrenOf(el)) {
      if (dom.isText(child)) {
        if (!closed) into.push(escape(dom.textOf(child)));
      } else if (dom.isElement(child)) {
        if (closed && !dom.isHtml(child, "summary")) continue;
        const part = this.element(child, own);
        if (part) into.push(part);
        if (closed) break;
      }
    }
  }

  /** The class of a pseudo-element that has a box of its own. */
  private pseudo(el: Element, pseudo: string, own: Inherited): string {
    const style = dom.styleOf(el, pseudo);
    const { content } = style;
    if (!content || content === "none" || content === "normal" || style.display === "none") return "";
    const text = content.replace(/attr\(([\w-]+)[^)]*\)/g, (_, name) => JSON.stringify(dom.attribute(el, name) ?? ""));
    const { inline } = this.resources;
    const css =
      `content:${inline(text)};` +
      inherit(style, own, inline).css +
      box(style, own.display, inline) +
      place(style) +
      size(style, undefined, false);
    return " " + this.sheet.rule(css, pseudo);
  }

  /** The classes of the pseudo-elements that style what is there. */
  private smallPseudos(el: Element, style: CSSStyleDeclaration, own: Inherited): string {
    let classes = "";
    for (const pseudo of this.sheet.styled) {
      if (pseudo === "::marker" ? style.display !== "list-item" : pseudo === "::placeholder" ? !/^(input|textarea)$/.test(dom.localName(el)) : !/block|list-item|table-cell|flow-root/.test(style.display)) continue;
      const of = dom.styleOf(el, pseudo);
      let { css } = inherit(of, own, this.resources.inline);
      if (pseudo !== "::marker") css += box(of, "", this.resources.inline).replace(/display:[^;]*;/, "");
      if (pseudo === "::marker" && of.content !== "normal") css += `content:${this.resources.inline(of.content)};`;
      if (css) classes += " " + this.sheet.rule(css, pseudo);
    }
    return classes;
  }

  /** How a box that scrolls is scrolled. */
  private scroll(el: Element, style: CSSStyleDeclaration): { css: string; classes?: string; marker?: string } {
    const { overflowX, overflowY } = style;
    if (!/auto|scroll|hidden/.test(overflowX + overflowY) || style.display === "inline") return { css: "" };
    const width = dom.clientWidth(el),
      height = dom.clientHeight(el);
    const vertical = dom.offsetWidth(el) - width - parseFloat(style.borderLeftWidth) - parseFloat(style.borderRightWidth) > 1;
    const horizontal = dom.offsetHeight(el) - height - parseFloat(style.borderTopWidth) - parseFloat(style.borderBottomWidth) > 1;
    let css = scrollbars(el, style, { x: vertical, y: horizontal }, this.sheet);
    const left = dom.scrollLeft(el),
      top = dom.scrollTop(el);
    if (!left && !top) return { css };
    if (style.position === "static") css += "position:relative;";
    return { css, marker: scrolledTo(left, top, width, height, this.sheet) };
  }

  private backdrop(el: Element): string {
    const style = dom.styleOf(el, "::backdrop");
    if (!style.display || style.display === "none") return "";
    const { inline } = this.resources;
    const css = inherit(style, NOTHING, inline).css + box(style, "block", inline) + place(style) + size(style, undefined, true);
    return `<div class="${this.sheet.rule(css)}"></div>`;
  }

  /** The document in a frame element. */
  frame(el: HTMLIFrameElement): Part[] {
    const doc = documentIn(el);
    const win = doc?.defaultView;
    const width = dom.clientWidth(el),
      height = dom.clientHeight(el);
    if (!doc || !win || !doc.documentElement || !width || !height) return [];
    const viewport = { x: win.scrollX, y: win.scrollY, width, height };
    const inner = new Copy(doc, { x: 0, y: 0, width, height }, this.resources.of(doc), this.sheet.of(doc));
    const style = dom.styleOf(el);
    const left = parseFloat(style.paddingLeft),
      top = parseFloat(style.paddingTop);
    const w = width - left - parseFloat(style.paddingRight),
      h = height - top - parseFloat(style.paddingBottom);
    viewport.width = w;
    viewport.height = h;
    const css = `display:block;position:relative;contain:strict;overflow:hidden;width:${w}px;height:${h}px;`;
    return [`<div class="${this.sheet.rule(css)}">`, ...inner.viewport(viewport, true), "</div>"];
  }

  /** Notes that an SVG element with an id is in the picture. */
  noteId(id: string): void {
    this.emitted.add(id);
  }

  /** The SVG elements that others refer to and that are not in the picture themselves. */
  private references(): string {
    let text = "";
    for (const id of this.resources.ids) {
      if (this.emitted.has(id)) continue;
      const el = this.doc.getElementById(id);
      if (!el || dom.namespaceOf(el) !== dom.SVG) continue;
      const around = dom.parentNode(el);
      const parent = around && dom.isElement(around) ? inherit(dom.styleOf(around), NOTHING, this.resources.inline).inherited : NOTHING;
      text += write(svgElement(el, dom.styleOf(el), parent, this, true));
    }
    this.resources.ids.clear();
    if (!text) return "";
    return `<svg xmlns="${dom.SVG}" class="${this.sheet.rule("display:block;position:absolute;width:0;height:0;overflow:hidden")}"><defs>${text}</defs></svg>`;
  }
}
