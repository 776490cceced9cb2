// The copy of a document that a picture is drawn of: text, and no nodes. Nodes would be made by the page's own code where
// it has defined elements, and its observers would see them.

import * as dom from "./dom";
import { boundsOf, type Bounds } from "./outside";
import { background } from "./canvasbackground";
import { control, isNative } from "./controls";
import { type Bars, box, inherit, type Inherited, NOTHING, place, size } from "./declare";
import { isQuirky, lineHeight } from "./quirks";
import type { Resources } from "./resources";
import { documentIn } from "../realms";
import type { Rect } from "./options";
import { type DocumentCopy, type Part, type Piece, write } from "./piece";
import { barsOf, scrollbars, scrolledTo } from "./scroll";
import { Selected } from "./selection";
import { SCROLLBAR, type Sheet } from "./sheet";
import { NAME, svgElement } from "./svg";
import { isTurned, matrixOf } from "./turned";
import { attributes, escape } from "./text";

/** HTML elements that are not drawn, or as parts of others. */
const SKIPPED = /^(head|script|style|link|meta|title|base|template|source|track|param|datalist|area|noframes)$/;
/** Elements whose copies are elements of the same name, since a style alone does not make what they are. */
const KEPT = /^(table|td|th|col|colgroup|br|wbr|li|ol|ul|menu|legend|fieldset|rt|rp|ruby|button|hr)$/;
const KEPT_ATTRIBUTES = ["colspan", "rowspan", "span", "start", "reversed", "value", "disabled"];

interface Scroll {
  css: string;
  classes: string;
  bars?: Bars;
  marker?: string;
}

export class Copy implements DocumentCopy {
  readonly pieces = new Map<Element, Piece>();
  /** What is in the top layer. */
  private readonly top: { el: Element; parts: Part[] }[] = [];
  private readonly quirky: boolean;
  private readonly selected: Selected;
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
    this.selected = new Selected(doc);
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
      const bars = { vertical: width - dom.clientWidth(root), horizontal: height - dom.clientHeight(root) };
      css += `left:0;top:0;overflow:hidden;${this.quirky ? "scrollbar-width:none;" : scrollbars(root, own, bars, this.sheet).css}`;
      ours.push(scrolledTo(x, y, dom.clientWidth(root) || width, height, this.sheet));
    } else css += `left:${-x}px;top:${-y}px;`;
    css += `color-scheme:${own.colorScheme};`;
    const ground = background(root, this, viewport, scrolls);
    const top = this.top.length
      ? [
          `<div class="${this.sheet.rule("display:block;position:absolute;z-index:2147483647;left:0;top:0;width:100%;height:100%")}">`,
          ...this.topLayer(),
          "</div>",
        ]
      : [];
    return [`<div class="${this.sheet.rule(css)}">`, ...ours, ground, defs, html, ...top, "</div>"];
  }

  /** The copy of an element and all in it; "" if it is not drawn. */
  element(el: Element, parent: Inherited): Part {
    const name = dom.localName(el);
    const isHtml = dom.isHtml(el);
    if (isHtml && SKIPPED.test(name)) return "";
    const style = dom.styleOf(el);
    if (style.display === "none" || !style.display || dom.attribute(el, dom.OURS) !== null) return "";
    if (dom.namespaceOf(el) === dom.SVG) return svgElement(el, style, parent, this);
    if (style.getPropertyValue("overlay") === "auto") {
      this.top.push({ el, parts: [this.backdrop(el), this.html(el, name, style, NOTHING)] });
      return "";
    }
    const stand = this.bounds.standIn(el, style, parent.display);
    if (typeof stand === "string") return stand && `<div class="${this.sheet.rule(stand)}"></div>`;
    return this.html(el, name, style, parent, stand?.css);
  }

  /** `outside` is the further style of a box that is drawn without its content. */
  html(el: Element, name: string, style: CSSStyleDeclaration, parent: Inherited, outside?: string): Part {
    const { inline } = this.resources;
    const { css: inherited, inherited: own } = inherit(style, parent, inline);
    const empty = outside !== undefined || style.getPropertyValue("content-visibility") === "hidden";
    const isRoot = el === this.doc.documentElement;
    const scroll = this.scroll(el, style);
    const made = control(el, name, style, this);
    const replaced = made?.replaced === true;
    const css =
      inherited +
      box(style, parent.display, inline) +
      place(style, el) +
      size(style, el, empty || replaced || (this.quirky && (isRoot || el === this.doc.body)), scroll.bars) + // the root fills the viewport in quirks mode
      (isRoot && style.display === "block" ? "display:flow-root;" : "") + // no margin of the root collapses
      (this.quirky ? lineHeight(el, style) : "") +
      (isNative(name, style) ? "border:revert;border-radius:revert;background:revert;appearance:revert;" : "") +
      (isTurned(style, parent) ? "visibility:hidden;" : "") +
      scroll.css +
      (made?.css ?? "") +
      (outside ?? "");
    const tag = made?.tag ?? (dom.isHtml(el) ? (KEPT.test(name) ? name : "div") : NAME.test(name) ? name : "mrow");
    const namespace = dom.namespaceOf(el);
    const xmlns = namespace === (parent.namespace ?? dom.HTML) ? "" : ` xmlns="${escape(namespace)}"`;
    own.namespace = namespace;
    if (style.transformStyle === "preserve-3d") own.space = matrixOf(style, parent);
    const piece: Piece = { el, parent, open: "", inner: [], close: `</${tag}>` };
    this.pieces.set(el, piece);
    let classes = "";
    if (!empty && !made?.inner) {
      classes += this.pseudo(el, "::before", own) + this.pseudo(el, "::after", own);
      if (scroll.marker) piece.inner.push(scroll.marker);
      this.children(el, name, own, piece.inner);
    } else if (made?.inner && outside === undefined) piece.inner.push(...made.inner);
    if (!empty) classes += this.smallPseudos(el, style, own);
    const names = this.sheet.rule(css) + classes + scroll.classes;
    const kept = KEPT.test(tag) ? attributes(el, KEPT_ATTRIBUTES) : "";
    piece.open = `<${tag}${xmlns} class="${names}"${kept}${attributes(el, ["lang"])}${made?.attributes ?? ""}>`;
    return piece;
  }

  /** The copies of the children in the flat tree. */
  children(el: Element, name: string, own: Inherited, into: Part[]): void {
    const closed = name === "details" && dom.isHtml(el) && dom.attribute(el, "open") === null;
    for (const child of dom.childrenOf(el)) {
      if (dom.isText(child)) {
        if (!closed) into.push(this.selected.text(child, el, own, this.resources, this.sheet));
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
      if (pseudo === SCROLLBAR) continue;
      if (
        pseudo === "::marker"
          ? style.display !== "list-item"
          : pseudo === "::placeholder"
            ? !/^(input|textarea)$/.test(dom.localName(el))
            : !/block|list-item|table-cell|flow-root/.test(style.display)
      )
        continue;
      const of = dom.styleOf(el, pseudo);
      let { css } = inherit(of, own, this.resources.inline);
      if (pseudo !== "::marker") css += box(of, "", this.resources.inline).replace(/display:[^;]*;/, "");
      if (pseudo === "::marker" && of.content !== "normal") css += `content:${this.resources.inline(of.content)};`;
      if (css) classes += " " + this.sheet.rule(css, pseudo);
    }
    return classes;
  }

  /** How a box that scrolls is scrolled. */
  private scroll(el: Element, style: CSSStyleDeclaration): Scroll {
    const none = { css: "", classes: "" };
    if (!/auto|scroll|hidden/.test(style.overflowX + style.overflowY) || !/^(?!inline$|contents)/.test(style.display))
      return none;
    if (dom.namespaceOf(el) !== dom.HTML || this.isViewport(el)) return none;
    const bars = barsOf(el, style);
    const { css, classes } = scrollbars(el, style, bars, this.sheet);
    const left = dom.scrollLeft(el),
      top = dom.scrollTop(el);
    if (!left && !top) return { css, classes, bars };
    const marker = scrolledTo(left, top, dom.clientWidth(el), dom.clientHeight(el), this.sheet);
    return { css: css + (style.position === "static" ? "position:relative;" : ""), classes, bars, marker };
  }

  /** Whether an element's overflow is that of the viewport (CSS Overflow 3, 3.3). */
  private isViewport(el: Element): boolean {
    const root = this.doc.documentElement;
    if (el === root) return true;
    return el === this.doc.body && dom.styleOf(root).overflow === "visible" && dom.styleOf(root).contain === "none";
  }

  /** The top layer, from below: what can be hit is above what cannot, and of two the one that is hit first. */
  private topLayer(): Part[] {
    const hits = this.top.map(({ el }) => {
      const { left, top, width, height } = dom.rectOf(el);
      return dom.hitsOf(this.doc, left + width / 2, top + height / 2);
    });
    const isHit = (i: number): boolean => hits[i].some((el) => this.isIn(el, this.top[i].el));
    const first = (i: number, hit: Element[]): number => hit.findIndex((el) => this.isIn(el, this.top[i].el));
    const order = this.top.map((_, i) => i);
    order.sort((a, b) => {
      if (isHit(a) !== isHit(b)) return isHit(a) ? 1 : -1;
      for (const hit of [hits[a], hits[b]]) {
        const [atA, atB] = [first(a, hit), first(b, hit)];
        if (atA >= 0 && atB >= 0 && atA !== atB) return atB - atA;
      }
      return a - b;
    });
    return order.flatMap((i) => this.top[i].parts);
  }

  private isIn(inner: Element, el: Element): boolean {
    for (let at: Node | null = inner; at; at = dom.parentNode(at)) if (at === el) return true;
    return false;
  }

  private backdrop(el: Element): string {
    const style = dom.styleOf(el, "::backdrop");
    if (!style.display || style.display === "none") return "";
    const { inline } = this.resources;
    const css =
      inherit(style, NOTHING, inline).css + box(style, "block", inline) + place(style) + size(style, undefined, true);
    return `<div class="${this.sheet.rule(css)}"></div>`;
  }

  /** The document in a frame element. */
  frame(el: HTMLIFrameElement): Part[] {
    const doc = documentIn(el);
    const win = doc?.defaultView;
    const style = dom.styleOf(el);
    const width = dom.clientWidth(el) - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
      height = dom.clientHeight(el) - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    if (!(width > 0 && height > 0)) return [];
    const css = `display:block;position:relative;contain:strict;overflow:hidden;width:${width}px;height:${height}px;`;
    if (!doc || !win) return [`<img class="${this.sheet.rule(css)}" src="${this.resources.frame(el)}"/>`];
    if (!doc.documentElement) return [];
    const viewport = { x: win.scrollX, y: win.scrollY, width, height };
    const inner = new Copy(doc, { x: 0, y: 0, width, height }, this.resources.of(doc), this.sheet.of(doc));
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
      const parent =
        around && dom.isElement(around)
          ? inherit(dom.styleOf(around), NOTHING, this.resources.inline).inherited
          : NOTHING;
      text += write(svgElement(el, dom.styleOf(el), parent, this, true));
    }
    this.resources.ids.clear();
    if (!text) return "";
    return `<svg xmlns="${dom.SVG}" class="${this.sheet.rule("display:block;position:absolute;width:0;height:0;overflow:hidden")}"><defs>${text}</defs></svg>`;
  }
}
