// Selects text and options of lists by pressing and dragging the mouse.

import { pathOf, styleOf } from "../../flattree";
import { type TextControl, isTextControl, notify } from "./change";
import {
  downstream,
  endsIn,
  isCaret,
  isEditable,
  mayStart,
  selectBetween,
  selectInControl,
  selectionIn,
  textsAround,
  upstream,
  wordAt,
} from "./editable";
import { notifyChange } from "./editing";
import { focused } from "./focus";
import type { MouseParams } from "./events";
import { type Spot, modifiersOf } from "./point";

/** Where the selection by the mouse began. */
let anchor: { field: TextControl; at: number } | { node: Node; offset: number } | undefined;
/** A press in what is selected: if the mouse does not drag that, its release places the caret. */
let pressedInside: Spot | undefined;
/** The text control that is being selected in. */
let selected: TextControl | undefined;

/** Places the caret. A second press selects the word, a third the line, and Shift extends the selection. */
export function startSelection(spot: Spot, p: MouseParams, detail: number): void {
  anchor = pressedInside = selected = undefined;
  const { shiftKey } = modifiersOf(p);
  const inside = isInSelection(spot);
  if (inside && p.button === "right") return;
  if (inside && detail === 1 && !shiftKey) pressedInside = spot;
  else if (isTextControl(spot.el)) inField(spot.el, spot, detail, shiftKey);
  else if (!keepsSelection(spot.el)) inDocument(spot, detail, shiftKey);
}

/** Extends the selection to the mouse, while its button is down. */
export function dragSelection(spot: Spot): void {
  if (!anchor) return;
  if ("field" in anchor) {
    const { field, at } = anchor;
    if (!field.isConnected || field.ownerDocument !== spot.win.document) return;
    const to = offsetIn(field, spot);
    selectInControl(field, Math.min(at, to), Math.max(at, to), to < at);
    return;
  }
  const { node, offset } = anchor;
  const doc = spot.win.document;
  const to = caretAt(doc, spot);
  const selection = doc.getSelection();
  if (selection && to && node.isConnected && node.ownerDocument === doc)
    selectBetween(selection, [node, offset], [to.node, to.offset]);
}

/**
 * The button was released, and click has been fired: the selection by the mouse ends. Only now Chromium fires select
 * for what is selected in a text control.
 */
export function endSelection(): void {
  const spot = pressedInside;
  if (spot?.el.isConnected) {
    if (!isEditable(spot.el)) spot.win.document.getSelection()?.removeAllRanges();
    else if (isTextControl(spot.el)) inField(spot.el, spot, 1, false);
    else inDocument(spot, 1, false, true);
  }
  if (selected && !isCaret(selected)) notify(selected, "select");
  forgetSelection();
}

/** Moves the focus without the caret: script's focus() places one in what is editable. */
export function keepSelection({ win }: Spot, move: () => void): void {
  const selection = win.document.getSelection();
  const anchorNode = selection?.anchorNode;
  const anchorOffset = selection?.anchorOffset ?? 0;
  const focusNode = selection?.focusNode;
  const focusOffset = selection?.focusOffset ?? 0;
  move();
  const { designMode, body } = win.document;
  if (designMode === "on" && focused() === body) body.focus({ preventScroll: true });
  const now = focused();
  if (!selection || isTextControl(now) || !isEditable(now)) return;
  if (selection.anchorNode === anchorNode && selection.anchorOffset === anchorOffset) return;
  if (anchorNode && focusNode) selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  else selection.removeAllRanges();
}

/** The button was released after a drag. */
export function forgetSelection(): void {
  anchor = pressedInside = selected = undefined;
}

/** The node, and what has the focus, if the mouse is pressed in selected text. */
export function pressedText(): { node: Node; el: Element } | undefined {
  if (!pressedInside) return undefined;
  const { el, win } = pressedInside;
  if (isTextControl(el)) return el.type === "password" ? undefined : { node: el, el };
  const node = caretAt(win.document, pressedInside)?.node;
  return node && { node, el: focused() };
}

/** Whether a point is in the selected text. */
function isInSelection(spot: Spot): boolean {
  if (isTextControl(spot.el)) {
    if (isCaret(spot.el) || focusedIn(spot) !== spot.el) return false;
    const [anchor, head] = endsIn(spot.el);
    const at = offsetIn(spot.el, spot);
    return at >= Math.min(anchor, head) && at <= Math.max(anchor, head);
  }
  const selection = selectionIn(spot.el);
  if (!selection?.rangeCount || selection.isCollapsed) return false;
  return isIn(selection.getRangeAt(0), spot);
}

/** Whether a part of a document is at a point. */
function isIn(range: Range, { x, y }: Spot): boolean {
  return [...range.getClientRects()].some((b) => x >= b.left && x < b.right && y >= b.top && y < b.bottom);
}

const focusedIn = ({ el }: Spot): Element | null => (el.getRootNode() as Document).activeElement;

/** Whether a press leaves the selection as it is: on a control, or on text with user-select: none. */
function keepsSelection(el: Element): boolean {
  const { userSelect, webkitUserSelect } = styleOf(el); // Safari has only webkitUserSelect
  return (userSelect ?? webkitUserSelect) === "none" || pathOf(el).some((e) => e.matches("button, input, select"));
}

function inField(field: TextControl, spot: Spot, detail: number, extend: boolean): void {
  const at = offsetIn(field, spot);
  if (detail >= 2) {
    const { value } = field;
    const all = detail > 2 && field.localName === "input";
    const whole: [number, number] = [0, value.length];
    const [from, to] = all || field.type === "password" ? whole : detail > 2 ? lineAt(value, at) : wordAt(value, at);
    selectInControl(field, from, to);
    selected = field;
    return;
  }
  const from = extend ? endsIn(field)[0] : at;
  anchor = { field, at: from };
  selected = field;
  selectInControl(field, Math.min(from, at), Math.max(from, at), at < from);
}

/** The line at an offset, with its end. */
function lineAt(text: string, offset: number): [from: number, to: number] {
  const end = text.indexOf("\n", offset);
  return [text.lastIndexOf("\n", offset - 1) + 1, end < 0 ? text.length : end + 1];
}

function inDocument(spot: Spot, detail: number, extend: boolean, released = false): void {
  const selection = selectionIn(spot.el);
  const caret = caretAt(spot.win.document, spot);
  if (!selection || !caret) return;
  const { node, offset } = caret;
  if (!released && !mayStart(isOverText(node, spot) ? node : spot.el)) return;
  const own = selection.anchorNode;
  if (detail === 1 && extend && own) {
    anchor = { node: own, offset: selection.anchorOffset };
    selectBetween(selection, [own, selection.anchorOffset], [node, offset]);
  } else if (detail === 1) {
    anchor = { node, offset };
    selectBetween(selection, [node, offset], [node, offset]);
  } else if (detail === 2 && node.nodeType === 3) selectWord(selection, node as Text, offset);
  else {
    selection.collapse(node, offset);
    selection.modify("move", "backward", "paragraphboundary");
    selection.modify("extend", "forward", "paragraphboundary");
    withParagraphEnd(selection);
  }
}

/** Whether a text, and not the space beside it, is at a point. */
function isOverText(node: Node, spot: Spot): boolean {
  const range = node.ownerDocument!.createRange();
  range.selectNodeContents(node);
  return node.nodeType === 3 && isIn(range, spot);
}

/** Selects the word at a place, which may be in several texts; at the end of a paragraph that end, if another follows. */
function selectWord(selection: Selection, text: Text, offset: number): void {
  const texts = textsAround(text);
  const before = texts.slice(0, texts.indexOf(text)).reduce((n, t) => n + t.length, 0);
  const whole = texts.map((t) => t.data).join("");
  const [from, to] = wordAt(whole, before + offset);
  const place = (at: number): [Node, number] => {
    for (const t of texts) {
      if (at <= t.length) return [t, at];
      at -= t.length;
    }
    return [text, text.length];
  };
  if (before + offset === whole.length) {
    selection.collapse(text, offset);
    return withParagraphEnd(selection);
  }
  selection.setBaseAndExtent(...downstream(place(from)), ...upstream(place(to)));
}

/** Chromium selects a paragraph up to the beginning of the next. */
function withParagraphEnd(selection: Selection): void {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  selection.modify("extend", "forward", "character");
  const next = selection.focusNode;
  if (!anchorNode || !focusNode || !next || (next === focusNode && selection.focusOffset === focusOffset)) return;
  const block = next.nodeType === 3 ? next.parentElement : (next as Element);
  if (block && selection.focusOffset === 0 && block !== focusNode.parentElement && styleOf(block).display !== "inline")
    selection.setBaseAndExtent(anchorNode, anchorOffset, block, 0);
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
export function caretAt(doc: Document & CaretDocument, { el, x, y }: Spot): { node: Node; offset: number } | undefined {
  const shadowRoots = pathOf(el)
    .map((e) => e.getRootNode())
    .filter((r): r is ShadowRoot => "host" in r);
  const position = doc.caretPositionFromPoint?.(x, y, { shadowRoots });
  if (position) return { node: position.offsetNode, offset: position.offset };
  const range = doc.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** The offset in a control's text that is nearest to a point: above all lines the beginning, below them the end. */
export function offsetIn(field: TextControl, spot: Spot): number {
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
