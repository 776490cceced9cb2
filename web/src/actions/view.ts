// Whether an element is visible, and where.

import { flatChildren } from "../agent/accessibility/boxes";
import { pathOf, styleOf } from "../flattree";
import { stringify } from "../stringify";
import { nameOf, roleOf } from "./aria";
import { attributeOf, redactText } from "./redact";
import { byId, cut, documentOf, frameAround, isElement, isText, squash } from "./tree";

export type Box = { x: number; y: number; width: number; height: number };

/** Whether an element or an ancestor is not rendered, so that its text is not visible. */
export function isHidden(el: Element): boolean {
  if (el.checkVisibility) {
    return (
      !el.checkVisibility({ visibilityProperty: true, checkVisibilityCSS: true } as CheckVisibilityOptions) &&
      styleOf(el).display !== "contents"
    );
  }
  return styleOf(el).visibility !== "visible" || pathOf(el).some((e) => styleOf(e).display === "none");
}

/** Whether an element can be seen: it has a size, and its style does not hide it. */
export function isVisible(el: Element): boolean {
  if (isHidden(el)) return false;
  if (styleOf(el).display === "contents") {
    return flatChildren(el).some((c) => (isElement(c) ? isVisible(c) : isText(c) && isTextVisible(c)));
  }
  if (el.localName === "option" || el.localName === "optgroup") {
    const select = el.closest("select");
    return select !== null && isVisible(select);
  }
  const { width, height } = el.getBoundingClientRect();
  return width > 0 && height > 0;
}

function isTextVisible(text: Text): boolean {
  const range = text.ownerDocument.createRange();
  range.selectNode(text);
  const { width, height } = range.getBoundingClientRect();
  return width > 0 && height > 0;
}

/** Whether a control is disabled. */
export function isDisabled(el: Element): boolean {
  if (el.matches(":disabled") || pathOf(el).some((e) => e.getAttribute("aria-disabled") === "true")) return true;
  return el.localName === "label" && !!(el as HTMLLabelElement).control?.matches(":disabled");
}

export function isReadOnly(el: Element): boolean {
  return (el as HTMLInputElement).readOnly === true || el.getAttribute("aria-readonly") === "true";
}

export function isEditable(el: Element): boolean {
  return /^(input|textarea|select)$/.test(el.localName) || (el as HTMLElement).isContentEditable;
}

/** The innermost focused element, inside of shadow roots and reachable frames. */
export function focusedIn(doc: Document): Element | undefined {
  let el = doc.activeElement;
  for (;;) {
    const inner = el?.shadowRoot?.activeElement ?? (el && documentOf(el)?.activeElement);
    if (!inner) return el ?? undefined;
    el = inner;
  }
}

/** The offset of a document's viewport in that of the outermost document of the same origin. */
export function offsetOf(doc: Document): { x: number; y: number } {
  let [x, y] = [0, 0];
  for (let frame = frameAround(doc); frame; frame = frameAround(frame.ownerDocument)) {
    const box = frame.getBoundingClientRect();
    const style = styleOf(frame);
    x += box.x + frame.clientLeft + (parseFloat(style.paddingLeft) || 0);
    y += box.y + frame.clientTop + (parseFloat(style.paddingTop) || 0);
  }
  return { x, y };
}

/** The box around an element, in the viewport of the outermost document of the same origin. */
export function boxOf(el: Element): Box {
  const { x, y, width, height } = el.getBoundingClientRect();
  const by = offsetOf(el.ownerDocument);
  return { x: x + by.x, y: y + by.y, width, height };
}

/** Whether a part of an element is in its document's viewport. */
export function meetsViewport(el: Element): boolean {
  const win = el.ownerDocument.defaultView ?? window;
  const r = el.getBoundingClientRect();
  return r.bottom > 0 && r.right > 0 && r.top < win.innerHeight && r.left < win.innerWidth;
}

/** The element at a point of a document's viewport, inside of open shadow roots. */
export function hitAt(doc: Document, x: number, y: number): Element | undefined {
  let root: DocumentOrShadowRoot = doc;
  let hit: Element | undefined;
  for (;;) {
    const el: Element | null = root.elementFromPoint(x, y);
    if (!el || el === hit) return hit;
    hit = el;
    if (!el.shadowRoot) return hit;
    root = el.shadowRoot;
  }
}

/** The longest name of an element in an error. */
const LONGEST_WORDS = 80;

/** An element in an error, as snapshots have it: its role and name, and its tag where it has none. */
export function describe(el: Element): string {
  const attribute = (name: string): string => {
    const v = attributeOf(el, name);
    return v ? ` ${name}="${v.slice(0, 40)}"` : "";
  };
  const role = roleOf(el);
  // Nobody reads the name of what is hidden, but it is what the caller has looked for.
  const name = nameOf(el, role) || redactText(el, squash(el.textContent ?? ""));
  if (/^(generic|none)$/.test(role))
    return `<${el.localName}${attribute("id")}${attribute("class")}${attribute("role")}>`;
  return name
    ? `${role} ${stringify(cut(name, LONGEST_WORDS))}`
    : `${role} <${el.localName}${attribute("id")}${attribute("class")}>`;
}

/** The elements of an attribute with a list of ids. */
export function referenced(el: Element, attribute: string): Element[] {
  const ids = el.getAttribute(attribute)?.split(/\s+/) ?? [];
  return ids.map((id) => byId(el, id)).filter((e): e is Element => e !== null);
}
