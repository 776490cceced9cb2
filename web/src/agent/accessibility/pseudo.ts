// What CSS generates: the contents of ::before and ::after, and the markers of
// list items.

import { styleOf } from "../../flattree";
import { type Boxes, boxOf, isBlockFlow } from "./boxes";
import { append, type Item } from "./item";
import { Line } from "./lines";

/** How an element's children are laid out so far. */
export interface Flow {
  inline: boolean;
  block: boolean;
}

/** Adds what ::before or ::after shows. */
export function addPseudo(
  el: Element,
  which: "::before" | "::after",
  parent: Item,
  line: Line,
  flow: Flow,
  hidden: boolean,
): void {
  const style = styleOf(el, which);
  if (style.content === "none" || style.content === "normal" || style.content === "") return;
  const parts = parseContent(style.content);
  const box = boxOf(style);
  if (box.kind === "none") return;
  flow[box.kind === "block" ? "block" : "inline"] = true;
  if (box.kind === "block") line.end();
  hidden ||= !box.visible;
  const boxed = box.kind === "atomic";
  const own = isBlockFlow(box) && (parts.length > 0 || boxed);
  const item = append(parent, "generic", { ignored: hidden || !own, reason: "uninteresting", apart: boxed });
  if (box.kind === "block" || box.kind === "out") item.block = item;
  const inner = boxed || box.kind === "out" ? new Line() : line;
  for (const part of parts) {
    if (part.image) append(item, "image", { ignored: hidden });
    else inner.text(item, undefined, part.text, box, hidden);
  }
  if (box.kind === "block" || inner !== line) inner.end();
  if (boxed) line.object();
}

/** The pieces of a computed content value; alternative text replaces them all. Counters cannot be read by script. */
function parseContent(content: string): { text: string; image?: boolean }[] {
  const tokens: string[] = content.match(/"(?:[^"\\]|\\.)*"|[a-z-]+\([^)]*\)|\/|[a-z-]+/g) ?? [];
  const slash = tokens.indexOf("/");
  if (slash >= 0) {
    const text = tokens
      .slice(slash + 1)
      .filter((t) => t[0] === '"')
      .map(unquote)
      .join("");
    return text ? [{ text }] : [];
  }
  return tokens.flatMap((t) => {
    if (t[0] === '"') return unquote(t) ? [{ text: unquote(t) }] : [];
    if (t.startsWith("url(") || t.startsWith("image")) return [{ text: "", image: true }];
    return t === "open-quote" ? [{ text: "“" }] : t === "close-quote" ? [{ text: "”" }] : [];
  });
}

function unquote(token: string): string {
  return token
    .slice(1, -1)
    .replace(/\\(["\\])/g, "$1")
    .replace(/\\([0-9a-f]{1,6}) ?/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
}

const SYMBOLS: Record<string, string> = {
  disc: "• ",
  circle: "◦ ",
  square: "■ ",
  "disclosure-open": "▾ ",
  "disclosure-closed": "▸ ",
};

/** Adds the marker of an element displayed as a list item, at the front. */
export function addMarker(el: Element, item: Item, boxes: Boxes, hidden: boolean): void {
  if (!boxes.of(el).display.includes("list-item")) return;
  const text = markerText(el);
  if (!text) return;
  const inside = el.localName === "summary" || styleOf(el).listStylePosition === "inside";
  // In the line of the marker.
  const alone = inside && item.children[0] !== undefined && item.children[0].block !== item.block;
  const role = item.role === "listitem" || item.role.startsWith("Disclosure") ? "ListMarker" : "StaticText";
  item.children.unshift({
    role,
    text: alone ? text.trimEnd() : text,
    silent: true,
    children: [],
    parent: item,
    block: item.block,
    ignored: hidden,
  });
}

function markerText(el: Element): string {
  const content = styleOf(el, "::marker").content;
  if (content && content !== "normal")
    return content === "none"
      ? ""
      : parseContent(content)
          .map((p) => p.text)
          .join("");
  const type = styleOf(el).listStyleType;
  if (type === "none") return "";
  if (type[0] === '"') return unquote(type);
  return SYMBOLS[type] ?? `${counter(ordinal(el), type)}. `;
}

/** The ordinal value of a list item (HTML, section 4.4.8). */
function ordinal(el: Element): number {
  const list = el.closest("ol, ul, menu");
  if (!list) return 1;
  const ol = list as HTMLOListElement;
  const items = Array.from(list.querySelectorAll("li")).filter((li) => li.closest("ol, ul, menu") === list);
  let n = list.localName === "ol" ? (ol.reversed && !ol.hasAttribute("start") ? items.length : ol.start) : 1;
  for (const li of items) {
    if (li.hasAttribute("value")) n = li.value;
    if (li === el) return n;
    n += ol.reversed ? -1 : 1;
  }
  return n;
}

/** A number in a predefined counter style (CSS Counter Styles 3). */
function counter(n: number, style: string): string {
  switch (style) {
    case "decimal-leading-zero":
      return n >= 0 && n < 10 ? `0${n}` : String(n);
    case "lower-alpha":
    case "lower-latin":
      return letters(n, 97, 26);
    case "upper-alpha":
    case "upper-latin":
      return letters(n, 65, 26);
    case "lower-greek":
      return letters(n, 945, 24);
    case "lower-roman":
      return roman(n).toLowerCase();
    case "upper-roman":
      return roman(n);
  }
  return String(n);
}

function letters(n: number, first: number, count: number): string {
  if (n < 1) return String(n);
  let out = "";
  for (let rest = n; rest > 0; rest = Math.floor((rest - 1) / count)) {
    const i = (rest - 1) % count;
    // There is no letter for final sigma.
    out = String.fromCharCode(first + i + (first === 945 && i > 16 ? 1 : 0)) + out;
  }
  return out;
}

const ROMAN: [number, string][] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

function roman(n: number): string {
  if (n < 1 || n > 3999) return String(n);
  let out = "";
  for (const [value, digits] of ROMAN) for (; n >= value; n -= value) out += digits;
  return out;
}
