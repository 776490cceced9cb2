// Which elements get an object of their own.

import type { Box } from "./boxes";
import { isFocusable } from "./focus";
import type { Item } from "./item";

const UNREMARKABLE = /^(generic|paragraph|caption)$/;

/** Whether Chromium exposes the element rather than its children alone. */
export function isInteresting(item: Item, el: Element, box: Box): boolean {
  if (!UNREMARKABLE.test(item.role) && el.localName !== "address") return true;
  const tag = el.localName;
  if (tag === "html") return false;
  if (isBoxAmongOthers(el, box)) return true;
  if (tag !== "span" && (item.holdsLines || box.positioned)) return true;
  if (el.id || (tag === "a" && el.hasAttribute("name"))) return true;
  if (tag === "section" || tag === "aside" || (tag === "text" && box.kind === "out")) return true;
  return hasMeaningfulAttribute(el) || isClickable(el) || (tag !== "span" && scrolls(el, box)) || isFocusable(el);
}

/** A box in a line, such as an inline-block, counts unless it is alone in its parent. */
function isBoxAmongOthers(el: Element, box: Box): boolean {
  return box.kind === "atomic" && el.parentNode?.childElementCount !== 1;
}

/** ARIA attributes, a tooltip or an access key make any element count. */
function hasMeaningfulAttribute(el: Element): boolean {
  for (const { name, value } of el.attributes) {
    if (name.startsWith("aria-") || name === "accesskey") return true;
    if ((name === "title" || name === "role") && value) return true;
  }
  return false;
}

/** Whether an element has click handlers. Script cannot see those of addEventListener. */
function isClickable(el: Element): boolean {
  const { onclick, onmousedown, onmouseup } = el as HTMLElement;
  return !!(onclick ?? onmousedown ?? onmouseup);
}

function scrolls(el: Element, box: Box): boolean {
  return box.scrolls && (el.scrollHeight > el.clientHeight || el.scrollWidth > el.clientWidth);
}

/**
 * Whether a label adds nothing to its checkbox or radio button, which it names:
 * it has no other element in it.
 */
export function isRedundantLabel(item: Item, el: Element, box: Box): boolean {
  if (item.role !== "LabelText" || isBoxAmongOthers(el, box)) return false;
  const input = (el as HTMLLabelElement).control as HTMLInputElement | null;
  if (input?.localName !== "input" || !/^(checkbox|radio)$/.test(input.type)) return false;
  if (el.hasAttribute("aria-label") || input.hasAttribute("aria-label") || input.hasAttribute("aria-labelledby"))
    return false;
  return el.childElementCount === 0 || (el.childElementCount === 1 && el.firstElementChild === input);
}
