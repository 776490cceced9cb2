// Dragging selected text, which a drop on something editable moves there.

import { selectedMarkup, selectedText } from "./clipboard";
import { isTextControl } from "./change";
import { type Ends, isEditable, isRich, selectedIn, selectInControl, selectionIn } from "./editable";
import { contextOf } from "./editcontext";
import { announce, announceText, command, edit, type Edit } from "./editing";
import { caretAt, offsetIn } from "./selection";
import type { Spot } from "./point";
import { effectsOf, newTransfer } from "./transfer";

/** What is selected where the mouse was pressed. */
export interface DraggedText {
  /** The text control, or the focused element. */
  el: Element;
  plain: string;
  html: string;
}

export function textOf(el: Element): DraggedText {
  return { el, plain: selectedText(el), html: selectedMarkup(el) };
}

/** The data of an event of such a drag: its text can be read at the ends alone, and a target may take any copy of it. */
export function transferOf({ plain, html }: DraggedText, type: string, over = false): DataTransfer {
  const data = newTransfer();
  const own = /^drag(start|end)?$/.test(type);
  const put: [string, string][] = [["text/plain", plain]];
  if (html) put.push(["text/html", html]);
  for (const [kind, text] of own ? put.reverse() : put) data.setData(kind, text);
  if (!over && /^drag(enter|over|leave)$/.test(type)) effectsOf(data).effectAllowed = "all";
  if (type !== "dragstart" && type !== "drop") Object.defineProperty(data, "getData", { value: () => "" });
  return data;
}

/** The element that text is dropped into at a point, if it takes text. */
function takerAt({ el }: Spot): Element | undefined {
  for (let at: Element | null = el; at; at = at.parentElement) {
    if (isTextControl(at) || contextOf(at)) return isEditable(at) ? at : undefined;
    if ((at as HTMLElement).isContentEditable && !(at.parentElement as HTMLElement | null)?.isContentEditable)
      return at;
  }
  return el.ownerDocument.designMode === "on" ? el.ownerDocument.body : undefined;
}

export const takesText = (spot: Spot): boolean => takerAt(spot) !== undefined;

/** The default action of drop: moves the text from where it is selected. */
export function dropText(spot: Spot, text: DraggedText): void {
  const taker = takerAt(spot);
  if (!taker) return;
  const dataTransfer = transferOf(text, "drop");
  const rich = isRich(taker) && text.html !== "";
  if (isTextControl(taker)) return dropInControl(taker, spot, text);
  const place = caretAt(spot.win.document, spot);
  if (!place) return;
  const at = place.node.ownerDocument!.createRange();
  at.setStart(place.node, place.offset);
  const old = text.el.contains(place.node) ? selectedIn(text.el) : undefined;
  if (old?.isPointInRange(place.node, place.offset)) return;
  if (!announceText(spot.el, rich ? "" : text.plain)) return;
  removeText(text, spot.el);
  const selection = selectionIn(taker);
  selection?.collapse(at.startContainer, at.startOffset);
  const as: Edit = { inputType: "insertFromDrop", dataTransfer };
  const ranges: Ends[] = [new StaticRange(at)];
  const first: Edit = isRich(taker) ? as : { inputType: "insertFromDrop", data: text.plain };
  if (!announce(taker, { ...first, ranges, target: spot.el }) || contextOf(taker)) return;
  const after = (): void => {
    const node = selection?.focusNode;
    const end = selection?.focusOffset ?? 0;
    const from = node?.nodeType === 3 ? end - text.plain.length : -1;
    if (node && from >= 0) selection?.setBaseAndExtent(node, from, node, end);
    else if (node) selection?.setBaseAndExtent(at.startContainer, at.startOffset, node, end);
  };
  edit(taker, rich ? "insertHTML" : "insertText", rich ? text.html : text.plain, { ...as, after });
}

function dropInControl(field: Parameters<typeof selectInControl>[0], spot: Spot, text: DraggedText): void {
  const { selectionStart: from, selectionEnd: to } = field;
  let at = offsetIn(field, spot);
  if (text.el === field && from !== null && to !== null) {
    if (at >= from && at <= to) return;
    if (at > to) at -= to - from;
  }
  if (!announceText(field, text.plain)) return;
  removeText(text, field);
  field.focus({ preventScroll: true });
  selectInControl(field, at);
  const as: Edit = { inputType: "insertFromDrop", data: text.plain };
  if (!announce(field, as)) return;
  edit(field, "insertText", text.plain, { ...as, after: () => selectInControl(field, at, at + text.plain.length) });
}

/** Takes the text away from where it was, if that is editable. */
function removeText({ el }: DraggedText, target: Element): void {
  command(el, "delete", { inputType: "deleteByDrag", target });
}
