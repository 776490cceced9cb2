// Which white space between elements gets an object: Chromium keeps it only where it separates words of one text.

import { enclosing } from "../../flattree";
import { type Boxes, flatChildren } from "./boxes";
import type { Item } from "./item";

const CELLS = /^(cell|gridcell|columnheader|rowheader)$/;

/** Whether a rendered space is exposed. */
export function separates(item: Item, boxes: Boxes): boolean {
  const node = item.node;
  if (!node) return true; // generated content
  const before = sibling(node, -1);
  const after = sibling(node, 1);
  return !!before && !!after && !ignorable(before, -1, boxes) && !ignorable(after, 1, boxes);
}

/** The next node in the flat tree that is not inside this one, climbing where there is none. */
function sibling(node: Node, step: 1 | -1): Node | undefined {
  for (let n: Node | null = node; n; n = enclosing(n)) {
    for (let s = adjacent(n, step); s; s = adjacent(s, step)) if (isLaidOut(s)) return s;
  }
  return undefined;
}

function adjacent(n: Node, step: 1 | -1): Node | null {
  const slot = (n as Element | Text).assignedSlot;
  if (!slot) return step > 0 ? n.nextSibling : n.previousSibling;
  const list = slot.assignedNodes();
  return list[list.indexOf(n) + step] ?? null;
}

function isLaidOut(n: Node): boolean {
  return n.nodeType === Node.ELEMENT_NODE || n.nodeType === Node.TEXT_NODE;
}

/** Whether a space next to this node adds nothing. */
function ignorable(node: Node, step: 1 | -1, boxes: Boxes, depth = 0): boolean {
  if (depth > 3) return false;
  if (node.nodeType === Node.TEXT_NODE) return ignorableText((node as Text).data, step);
  const el = node as Element;
  const box = boxes.of(el);
  if (box.kind === "none") return true;
  if (el.localName === "br") return !el.hasAttribute("role");
  if (el.localName === "img" || (el.localName === "input" && (el as HTMLInputElement).type === "image")) return false;
  if (box.kind !== "inline") return box.kind !== "contents";
  if (CELLS.test(el.getAttribute("role") ?? "")) return true;
  const inside = edge(el, step);
  if (inside) return ignorable(inside, step, boxes);
  const beyond = sibling(el, step);
  return !!beyond && ignorable(beyond, step, boxes, depth + 1);
}

function ignorableText(text: string, step: 1 | -1): boolean {
  if (!text.trim()) return true;
  return /\s/.test(step > 0 ? text[0] : text[text.length - 1]);
}

function edge(el: Element, step: 1 | -1): Node | undefined {
  const list = flatChildren(el);
  for (let i = step > 0 ? 0 : list.length - 1; i >= 0 && i < list.length; i += step) {
    if (isLaidOut(list[i])) return list[i];
  }
  return undefined;
}
