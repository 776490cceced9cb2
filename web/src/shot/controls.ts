// Elements that are drawn by more than their style: fields, images, frames.

import type { DocumentCopy, Part } from "./piece";
import * as dom from "./dom";
import { drawn, imageOf } from "./resources";
import { scrolledTo } from "./scroll";
import { attributes, escape, escapeValue } from "./text";

export interface Control {
  /** The name of the copy. */
  tag?: string;
  attributes?: string;
  /** What is in the copy, in the place of the copies of the children. */
  inner?: Part[];
  css?: string;
  /** Whether it has its size by itself, whatever it is in. */
  replaced?: boolean;
}

/** What a control's copy is; undefined for other elements. */
export function control(
  el: Element,
  name: string,
  style: CSSStyleDeclaration,
  copy: DocumentCopy,
): Control | undefined {
  if (!dom.isHtml(el)) return undefined;
  switch (name) {
    case "input":
      return input(el, style, copy);
    case "textarea":
      return textarea(el, style, copy);
    case "select":
      return select(el, copy);
    case "progress":
    case "meter":
      return { tag: name, attributes: attributes(el, METER), inner: [], replaced: true };
    case "img":
      return image(el as HTMLImageElement, style, copy);
    case "canvas":
      return picture(drawn(el as HTMLCanvasElement, dom.own(el, "width"), dom.own(el, "height")), style);
    case "video":
      return video(el as HTMLVideoElement, style, copy);
    case "iframe":
    case "frame":
      return {
        inner: copy.frame(el as HTMLIFrameElement),
        css: inlineBlock(style) + "overflow:hidden;",
        replaced: true,
      };
    case "object":
    case "embed":
      return embedded(el, style, copy);
    case "audio":
      return { inner: [], css: inlineBlock(style), replaced: true };
    case "br":
    case "wbr":
      return { inner: [] };
  }
  return undefined;
}

const METER = ["value", "max", "min", "low", "high", "optimum"];
const INPUT = ["type", "placeholder", "disabled", "readonly", "min", "max", "step", "multiple", "size"];
const TEXTS = /^(text|search|email|url|tel|password)$/;

const inlineBlock = (style: CSSStyleDeclaration): string => (style.display === "inline" ? "display:inline-block;" : "");

/** A box that is neither ticked nor not is so by script alone. */
const MIXED =
  "vertical-align:-3px;appearance:none;border-radius:2px;background:linear-gradient(#fff,#fff) center/9px 2px no-repeat #0075ff;";

function input(el: Element, style: CSSStyleDeclaration, copy: DocumentCopy): Control {
  const type = dom.own<string>(el, "type");
  const checked = dom.own<boolean>(el, "checked") ? ' checked="checked"' : "";
  if (type === "image") return picture(copy.resources.address(dom.own<string>(el, "src")), style);
  const isLabel = /^(submit|reset)$/.test(type) && dom.attribute(el, "value") === null; // the browser's own word
  const value = type === "file" || isLabel ? "" : ` value="${escapeValue(dom.own<string>(el, "value"))}"`;
  // An image that is scrolled cannot be had: a negative indent moves the text in its place.
  const left = TEXTS.test(type) ? dom.scrollLeft(el) : 0;
  const mixed = type === "checkbox" && dom.own<boolean>(el, "indeterminate") && style.appearance !== "none";
  return {
    tag: "input",
    attributes: attributes(el, INPUT) + checked + value,
    inner: [],
    css: (left ? `text-indent:${-left}px;` : "") + (mixed ? MIXED : ""),
    replaced: true,
  };
}

function textarea(el: Element, style: CSSStyleDeclaration, copy: DocumentCopy): Control {
  const text = dom.own<string>(el, "value");
  const top = dom.scrollTop(el),
    left = dom.scrollLeft(el);
  if (!top && !left)
    return {
      tag: "textarea",
      attributes: attributes(el, ["placeholder", "disabled"]),
      inner: [escape(`${text}`)],
      replaced: true,
    };
  // What a textarea shows cannot be scrolled from outside: a box in its place.
  const marker = scrolledTo(left, top, dom.clientWidth(el), dom.clientHeight(el), copy.sheet);
  const end = /\n$/.test(text) || !text ? "\u200b" : "";
  return {
    tag: "div",
    inner: [marker, escape(text + end)],
    css: `display:inline-block;appearance:none;${style.position === "static" ? "position:relative;" : ""}`,
    replaced: true,
  };
}

function select(el: Element, copy: DocumentCopy): Control {
  const listed = dom.own<number>(el, "size") > 1 || dom.own<boolean>(el, "multiple");
  const options: Part[] = [];
  let group: Node | null = null;
  const endGroup = (): void => void (group && options.push("</optgroup>"));
  for (const option of dom.own<HTMLOptionsCollection>(el, "options")) {
    const chosen = dom.own<boolean>(option, "selected");
    if (!listed && !chosen) continue;
    const around = dom.parentNode(option);
    if (listed && around !== (group ?? el)) {
      endGroup();
      group = around !== el && around && dom.isElement(around) && dom.isHtml(around, "optgroup") ? around : null;
      if (group)
        options.push(
          `<optgroup class="${copy.sheet.rule("all:revert")}"${attributes(group as Element, ["label", "disabled"])}>`,
        );
    }
    const label = escapeValue(dom.own<string>(option, "label"));
    const style = dom.styleOf(option);
    if (listed && style.display === "none") continue;
    const colours =
      listed && !chosen ? copy.sheet.rule(`color:${style.color};background-color:${style.backgroundColor}`) : "";
    const state = (chosen ? ' selected="selected"' : "") + attributes(option, ["disabled"]);
    options.push(`<option label="${label}"${state} class="${copy.sheet.rule(OPTION)} ${colours}"></option>`);
  }
  endGroup();
  return {
    tag: "select",
    attributes: attributes(el, ["size", "multiple", "disabled"]),
    inner: options,
    replaced: true,
  };
}

const OPTION = "all:revert;font:inherit";

/** An image by another name. */
function embedded(el: Element, style: CSSStyleDeclaration, copy: DocumentCopy): Control | undefined {
  if (style.width === "auto" && style.display === "inline") return undefined; // it shows what is in it instead
  const url = dom.own<string>(el, dom.isHtml(el, "object") ? "data" : "src");
  const isImage = /^image\//.test(dom.own<string>(el, "type")) || /\.(svg|png|jpe?g|gif|webp|avif)([?#]|$)/i.test(url);
  return picture(url && isImage ? copy.resources.address(url) : undefined, style);
}

/** A box that shows an image. */
function picture(data: string | undefined, style: CSSStyleDeclaration): Control {
  if (data === undefined) return { inner: [], css: inlineBlock(style), replaced: true };
  return { tag: "img", attributes: ` src="${escapeValue(data)}"`, inner: [], css: fit(style), replaced: true };
}

function fit(style: CSSStyleDeclaration): string {
  let css = "";
  if (style.objectFit !== "fill") css += `object-fit:${style.objectFit};`;
  if (style.objectPosition !== "50% 50%") css += `object-position:${style.objectPosition};`;
  const box = style.getPropertyValue("object-view-box");
  if (box && box !== "none") css += `object-view-box:${box};`;
  return css;
}

function image(img: HTMLImageElement, style: CSSStyleDeclaration, copy: DocumentCopy): Control {
  const data = imageOf(img, copy.resources);
  if (data !== undefined) return picture(data, style);
  const alt = dom.attribute(img, "alt");
  const broken = dom.own<boolean>(img, "complete") && dom.attribute(img, "src");
  if (!broken) return picture(undefined, style);
  // A browser shows the alternative text in the place of an image that it has not got.
  return {
    tag: "img",
    attributes: ` src="data:,"${alt === null ? "" : ` alt="${escapeValue(alt)}"`}`,
    inner: [],
    replaced: style.display !== "inline" || dom.attribute(img, "width") !== null,
  };
}

function video(el: HTMLVideoElement, style: CSSStyleDeclaration, copy: DocumentCopy): Control {
  const poster = dom.attribute(el, "poster");
  const begun = dom.own<number>(el, "currentTime") > 0 || !dom.own<boolean>(el, "paused");
  if (poster && !begun) return picture(copy.resources.address(new URL(poster, copy.doc.baseURI).href), style);
  const width = dom.own<number>(el, "videoWidth"),
    height = dom.own<number>(el, "videoHeight");
  return picture(width ? drawn(el, width, height) : undefined, style);
}

/** The backgrounds that a browser gives to fields, buttons and their disabled kinds, light and dark. */
const GROUNDS =
  /^(rgb\(255, 255, 255\)|rgb\(239, 239, 239\)|rgb\(59, 59, 59\)|rgb\(107, 107, 107\)|rgba\(0, 0, 0, 0\)|rgba\(239, 239, 239, 0\.3\)|rgba\(59, 59, 59, 0\.3\)|rgba\(19, 1, 1, 0\.3\)|rgba\(255, 255, 255, 0\.3\)|light-dark\(.*\))$/;

/** Whether the browser draws a control in its native look. With a border or background set by the page it does not. */
export function isNative(name: string, style: CSSStyleDeclaration): boolean {
  if (!/^(input|textarea|button|select|progress|meter)$/.test(name) || style.appearance === "none") return false;
  if (/^(progress|meter)$/.test(name)) return true;
  const isUsual =
    /^(inset|outset)$/.test(style.borderTopStyle) ||
    (name === "select" && /^1px solid rgb\((118, 118, 118|133, 133, 133)\)$/.test(style.border));
  return isUsual && style.backgroundImage === "none" && GROUNDS.test(style.backgroundColor);
}
