// Selects text and options of lists by pressing and dragging the mouse.

import { pathOf, styleOf } from "../../flattree";
import { type TextControl, isTextControl, setCaret, notifyChange } from "./editing";
import type { MouseParams } from "./events";
import { type Spot, modifiersOf } from "./point";

/** Where the selection by the mouse began. */
let anchor: { field: TextControl; at: number } | { node: Node; offset: number } | undefined;

/** Places the caret. A second press selects the word, a third the line, and Shift extends the selection. */
export function startSelection(spot: Spot, p: MouseParams, detail: number): void {
  anchor = undefined;
  const { shiftKey } = modifiersOf(p);
  if (isTextControl(spot.el)) inField(spot.el, spot, detail, shiftKey);
  else if (!keepsSelection(spot.el)) inDocument(spot, detail, shiftKey);
}

/** Extends the selection to the mouse, while its button is down. */
export function dragSelection(spot: Spot): void {
  if (!anchor) return;
  if ("field" in anchor) {
    const { field, at } = anchor;
    if (!field.isConnected || field.ownerDocument !== spot.win.document) return;
    const to = offsetIn(field, spot);
    setCaret(field, Math.min(at, to), Math.max(at, to), to < at);
    return;
  }
  const { node, offset } = anchor;
  const doc = spot.win.document;
  const to = caretAt(doc, spot);
  if (to && node.isConnected && node.ownerDocument === doc)
    doc.getSelection()?.setBaseAndExtent(node, offset, to.node, to.offset);
}

/** The button was released: the selection by the mouse ends. */
export function endSelection(): void {
  anchor = undefined;
}

/** Whether a press leaves the selection as it is: on a control, or on text with user-select: none. */
function keepsSelection(el: Element): boolean {
  const { userSelect, webkitUserSelect } = styleOf(el); // Safari has only webkitUserSelect
  return (userSelect ?? webkitUserSelect) === "none" || pathOf(el).some((e) => e.matches("button, input, select"));
}

function inField(field: TextControl, spot: Spot, detail: number, extend: boolean): void {
  if (detail >= 3) return field.select();
  const at = offsetIn(field, spot);
  if (detail === 2) {
    const start = field.value.slice(0, at).search(/\w+$/);
    return setCaret(field, start < 0 ? at : start, at + (/^\w+/.exec(field.value.slice(at))?.[0].length ?? 0));
  }
  const { selectionStart, selectionEnd, selectionDirection } = field;
  const from = (extend ? (selectionDirection === "backward" ? selectionEnd : selectionStart) : at) ?? at;
  anchor = { field, at: from };
  setCaret(field, Math.min(from, at), Math.max(from, at), at < from);
}

function inDocument(spot: Spot, detail: number, extend: boolean): void {
  const doc = spot.win.document;
  const selection = doc.getSelection();
  const caret = caretAt(doc, spot);
  if (!selection || !caret) return;
  if (detail === 1) {
    if (extend && selection.anchorNode) selection.extend(caret.node, caret.offset);
    else selection.collapse(caret.node, caret.offset);
    if (selection.anchorNode) anchor = { node: selection.anchorNode, offset: selection.anchorOffset };
    return;
  }
  selection.collapse(caret.node, caret.offset);
  const unit = detail === 2 ? "word" : "paragraphboundary";
  selection.modify("move", "backward", unit);
  selection.modify("extend", "forward", unit);
}

interface CaretDocument {
  caretPositionFromPoint?(
    x: number,
    y: number,
    options?: { shadowRoots: ShadowRoot[] },
  ): { offsetNode: Node; offset: number } | null;
  caretRangeFromPoint?(x: number, y: number): Range | null;
}

/** The position in the text at a point, by whichever API the browser has. */
function caretAt(doc: Document & CaretDocument, { el, x, y }: Spot): { node: Node; offset: number } | undefined {
  const shadowRoots = pathOf(el)
    .map((e) => e.getRootNode())
    .filter((r): r is ShadowRoot => "host" in r);
  const position = doc.caretPositionFromPoint?.(x, y, { shadowRoots });
  if (position) return { node: position.offsetNode, offset: position.offset };
  const range = doc.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** The offset in a control's text that is nearest to a point: above all lines the beginning, below them the end. */
function offsetIn(field: TextControl, spot: Spot): number {
  const box = field.getBoundingClientRect();
  const top = box.top - field.scrollTop;
  if (field.localName === "textarea" && spot.y < top) return 0;
  if (field.localName === "textarea" && spot.y > top + Math.max(field.scrollHeight, box.height))
    return field.value.length;
  const x = Math.min(Math.max(spot.x, box.left + 1), box.right - 1);
  const y = Math.min(Math.max(spot.y, box.top + 1), box.bottom - 1);
  const caret = caretAt(spot.win.document, { ...spot, el: field, x, y });
  return caret?.node === field ? caret.offset : field.value.length;
}

/** The option that Shift selects from, for each list. */
const listAnchors = new WeakMap<HTMLSelectElement, number>();

/** Handles a press on an option of a list box. Returns false if it was on none. */
export function chooseOption(el: Element, p: MouseParams): boolean {
  const option = el.closest("option");
  const select = option?.closest("select");
  if (!option || !select || option.disabled || select.disabled) return false;
  const { ctrlKey, metaKey, shiftKey } = modifiersOf(p);
  const start = select.multiple && shiftKey ? (listAnchors.get(select) ?? option.index) : option.index;
  if (!shiftKey) listAnchors.set(select, option.index);
  if (select.multiple && (ctrlKey || metaKey)) option.selected = !option.selected;
  else {
    const [low, high] = [Math.min(start, option.index), Math.max(start, option.index)];
    for (const o of select.options) o.selected = o.index >= low && o.index <= high && !o.disabled;
  }
  notifyChange(select);
  return true;
}
