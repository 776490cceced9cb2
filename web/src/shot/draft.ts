// What a person types is drawn sooner than the whole page: in the copy of the document that the last whole picture was
// made of, elements get the texts, values and colours of now. Where more has changed, there is no draft. The picture
// that follows a draft is a whole one, and shows what the draft could not know of.

import type { CaptureContext } from "@zumer/snapdom";
import { styleOf } from "../flattree";
import { viewport } from "./options";

/** The last whole picture. */
interface Kept {
  /** The copies of elements, and where the elements were. */
  copies: Map<Element, HTMLElement>;
  boxes: Map<Element, string>;
  /** The copy in its SVG image, and the text of the image before it. */
  root: Element;
  head: string;
  view: string;
}

let kept: Kept | undefined;

/** A plugin of snapdom's that keeps the picture for drafts. */
export const keeper = {
  name: "keeper",
  afterRender({ clone, nodeMap, dataURL }: CaptureContext): void {
    const root = clone?.closest("foreignObject");
    if (!root || !dataURL) return;
    const svg = decodeURIComponent(dataURL.slice(dataURL.indexOf(",") + 1));
    const head = svg.slice(0, svg.indexOf(">", svg.indexOf("<foreignObject")) + 1);
    kept = { copies: new Map(), boxes: new Map(), root, head, view: view() };
    for (const [copy, source] of nodeMap as Map<Node, Node>) {
      if (copy.nodeType !== 1 || source.nodeType !== 1) continue;
      kept.copies.set(source as Element, copy as HTMLElement);
      kept.boxes.set(source as Element, boxOf(source as Element));
    }
  },
};

export function forget(): void {
  kept = undefined;
}

/** Maximum number of elements of a draft that are looked at again. */
const MOST = 100;

/** The image of a draft, in which these elements and those in them are as they are now; undefined where none can be. */
export function draft(changed: Iterable<Element>): string | undefined {
  const now = kept;
  kept = undefined; // what stops halfway is no base for another
  if (!now || now.view !== view()) return undefined;
  const all = new Set<Element>();
  for (const el of changed) for (const inner of [el, ...el.querySelectorAll("*")]) all.add(inner);
  if (all.size > MOST) return undefined;
  for (const [el, box] of now.boxes) if (boxOf(el) !== box) return undefined;
  for (const el of all) if (!refresh(el, now.copies.get(el))) return undefined;
  kept = now;
  const text = new XMLSerializer().serializeToString(now.root);
  const svg = `${now.head}${text.slice(text.indexOf(">") + 1)}</svg>`;
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** Elements that are drawn by more than their styles, or that style others. */
const OTHER =
  /^(HTML|BODY|STYLE|LINK|SCRIPT|IMG|PICTURE|CANVAS|VIDEO|IFRAME|OBJECT|EMBED|SELECT|METER|PROGRESS|SLOT)$/i;
const FIELD = /^(text|search|email|url|tel|password|textarea)$/;
/** Properties that move nothing. */
const PAINTED =
  "color background-color opacity visibility box-shadow text-shadow text-decoration-line text-decoration-color " +
  "border-top-color border-right-color border-bottom-color border-left-color outline-color outline-style outline-width";

/** Brings a copy up to date. Returns false if it cannot. */
function refresh(el: Element, copy: HTMLElement | undefined): boolean {
  if (!copy || el.namespaceURI !== document.documentElement.namespaceURI || OTHER.test(el.localName) || el.shadowRoot)
    return false;
  if (/^(input|textarea)$/.test(el.localName)) return refreshField(el as HTMLInputElement, copy);
  const style = styleOf(el);
  if (el.localName !== "button")
    // it may have its native look
    for (const name of PAINTED.split(" ")) copy.style.setProperty(name, style.getPropertyValue(name));
  if (el.firstElementChild || el.textContent === copy.textContent) return true;
  if (copy.firstElementChild) return false; // a pseudo-element
  copy.textContent = el.textContent;
  return true;
}

function refreshField(field: HTMLInputElement, copy: HTMLElement): boolean {
  if (!FIELD.test(field.type) || field.localName !== copy.localName) return false;
  if (field.placeholder && !field.value !== !valueOf(copy)) return false; // it has a colour of its own
  const text = field.type === "password" ? "•".repeat(field.value.length) : field.value;
  if (field.localName === "textarea") copy.textContent = text;
  else copy.setAttribute("value", text);
  return true;
}

const valueOf = (copy: HTMLElement): string | null => copy.getAttribute("value") || copy.textContent;

function boxOf(el: Element): string {
  const { x, y, width, height } = el.getBoundingClientRect();
  return `${x} ${y} ${width} ${height} ${el.scrollLeft} ${el.scrollTop}`;
}

function view(): string {
  const { x, y, width, height } = viewport();
  return `${x} ${y} ${width} ${height} ${devicePixelRatio}`;
}
