// Input.dispatchMouseEvent: pointer and mouse events, focus, clicks, hover.

import type { Json } from "../../protocol";
import { dragMoved, dragReleased, dragPressed, isDragging } from "./drag";
import { isTextControl, setCaret, told } from "./editing";
import { focusFromPress } from "./focus";
import { type Spot, isDisabled, modifiersOf, pathOf, send, spotAt } from "./point";
import { wheel } from "./wheel";

const BUTTONS: Record<string, number> = { none: -1, left: 0, middle: 1, right: 2, back: 3, forward: 4 };
const MASKS = [1, 4, 2, 8, 16];

/** What the mouse is over, and what each button was pressed on. */
let over: Spot | undefined;
const pressed = new Map<number, Element>();
let held = 0;
/** pointerdown was cancelled, so that no mouse events follow until the button is up. */
let silenced = false;
let last = { x: 0, y: 0 };

/** The properties of one mouse event. */
function init(spot: Spot, p: Json, more: Json = {}): Json {
  const button = BUTTONS[p.button ?? "none"] ?? -1;
  return {
    bubbles: true, cancelable: true, composed: true, view: spot.win,
    clientX: spot.x, clientY: spot.y, screenX: spot.win.screenX + spot.at.x, screenY: spot.win.screenY + spot.at.y,
    movementX: spot.at.x - last.x, movementY: spot.at.y - last.y,
    button: Math.max(button, 0), buttons: held, ...modifiersOf(p), ...more,
  };
}

function pointer(type: string, spot: Spot, p: Json, more: Json = {}, el: Element = spot.el): boolean {
  const { PointerEvent } = spot.win;
  const common = { pointerId: 1, pointerType: p.pointerType ?? "mouse", isPrimary: true, width: 1, height: 1, pressure: held ? 0.5 : 0 };
  return send(el, new PointerEvent(type, { ...init(spot, p, common), ...more }));
}

function mouse(type: string, spot: Spot, p: Json, more: Json = {}, el: Element = spot.el): boolean {
  if (isDisabled(el)) return false;
  return send(el, new spot.win.MouseEvent(type, init(spot, p, more)));
}

/** Input.dispatchMouseEvent. */
export function dispatchMouseEvent(p: Json): void {
  if (p.type === "mouseWheel") {
    const spot = spotAt(p.x, p.y);
    if (spot) wheel(spot, p);
    return;
  }
  const spot = spotAt(p.x, p.y);
  if (p.type === "mouseMoved") moved(spot, p);
  else if (p.type === "mousePressed") press(spot, p);
  else if (p.type === "mouseReleased") release(spot, p);
  last = { x: p.x, y: p.y };
}

// ------------------------------------------------------------------ moving

function moved(spot: Spot | undefined, p: Json): void {
  if (!isDragging()) hover(spot, p);
  if (!spot) return;
  const moving = { ...p, button: "none" };
  if (!isDragging()) {
    pointer("pointermove", spot, moving, { button: -1 });
    if (!silenced) mouse("mousemove", spot, moving);
  }
  dragMoved(spot, p);
}

/** Sends what leaving one element and entering another brings. */
function hover(spot: Spot | undefined, p: Json): void {
  const from = over?.el.isConnected ? over : undefined;
  if (from?.el === spot?.el) {
    over = spot;
    return;
  }
  const quiet = { ...p, button: "none" };
  const [leaving, entering] = [pathOf(from?.el), pathOf(spot?.el)];
  if (from) {
    const to = { relatedTarget: spot?.el ?? null };
    both("out", from, quiet, to, from.el);
    for (const el of leaving) if (!entering.includes(el)) both("leave", from, quiet, { ...to, bubbles: false, cancelable: false }, el);
  }
  over = spot;
  if (!spot) return;
  const back = { relatedTarget: from?.el ?? null };
  both("over", spot, quiet, back, spot.el);
  for (const el of entering.reverse()) if (!leaving.includes(el)) both("enter", spot, quiet, { ...back, bubbles: false, cancelable: false }, el);
}

function both(kind: string, spot: Spot, p: Json, more: Json, el: Element): void {
  pointer(`pointer${kind}`, spot, p, { ...more, button: -1 }, el);
  mouse(`mouse${kind}`, spot, p, more, el);
}

// ---------------------------------------------------------------- pressing

function press(spot: Spot | undefined, p: Json): void {
  const button = BUTTONS[p.button ?? "left"] ?? 0;
  const first = held === 0;
  held |= MASKS[button] ?? 0;
  if (!spot) return;
  hover(spot, p);
  pressed.set(button, spot.el);
  const detail = p.clickCount ?? 1;
  silenced = !pointer(first ? "pointerdown" : "pointermove", spot, p);
  if (!silenced && mouse("mousedown", spot, p, { detail })) pressAction(spot, p, button, detail);
  if (button === 2) pointer("contextmenu", spot, p);
}

/** What a press does by itself: it moves the focus, the caret and the selection of a list. */
function pressAction(spot: Spot, p: Json, button: number, detail: number): void {
  focusFromPress(spot.el);
  if (button !== 0) return;
  if (chooseOption(spot.el, p)) return;
  placeCaret(spot, detail);
  dragPressed(spot);
}

function placeCaret(spot: Spot, detail: number): void {
  const doc = spot.win.document;
  const field = spot.el;
  if (isTextControl(field)) {
    if (detail >= 3) return field.select();
    const at = caretAt(doc, spot)?.offset ?? field.value.length;
    if (detail === 1) return setCaret(field, at);
    const start = field.value.slice(0, at).search(/\w+$/);
    setCaret(field, start < 0 ? at : start, at + (/^\w+/.exec(field.value.slice(at))?.[0].length ?? 0));
    return;
  }
  const selection = doc.getSelection();
  const caret = caretAt(doc, spot);
  if (!selection || !caret) return;
  selection.collapse(caret.node, caret.offset);
  if (detail < 2) return;
  const unit = detail === 2 ? "word" : "paragraphboundary";
  selection.modify("move", "backward", unit);
  selection.modify("extend", "forward", unit);
}

interface CaretDocument {
  caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null;
  caretRangeFromPoint?(x: number, y: number): Range | null;
}

/** The place in the text at a point, by whichever API the browser has. */
function caretAt(doc: Document & CaretDocument, { x, y }: Spot): { node: Node; offset: number } | undefined {
  const position = doc.caretPositionFromPoint?.(x, y);
  if (position) return { node: position.offsetNode, offset: position.offset };
  const range = doc.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** A press on an option of a list that is shown open. */
function chooseOption(el: Element, p: Json): boolean {
  const option = el.closest("option");
  const select = option?.closest("select");
  if (!option || !select || option.disabled || select.disabled) return false;
  const { ctrlKey, metaKey } = modifiersOf(p);
  if (select.multiple && (ctrlKey || metaKey)) option.selected = !option.selected;
  else for (const o of select.options) o.selected = o === option;
  told(select);
  return true;
}

// --------------------------------------------------------------- releasing

function release(spot: Spot | undefined, p: Json): void {
  const button = BUTTONS[p.button ?? "left"] ?? 0;
  held &= ~(MASKS[button] ?? 0);
  const from = pressed.get(button);
  pressed.delete(button);
  if (!spot) return dragReleased(undefined, p);
  if (isDragging()) return dragReleased(spot, p);
  dragReleased(undefined, p);
  const detail = p.clickCount ?? 1;
  pointer(held === 0 ? "pointerup" : "pointermove", spot, p);
  if (!silenced) mouse("mouseup", spot, p, { detail });
  silenced = silenced && held !== 0;
  const target = from?.isConnected ? commonAncestor(from, spot.el) : undefined;
  if (target && !isDisabled(target)) click({ ...spot, el: target }, p, button, detail);
}

function commonAncestor(a: Element, b: Element): Element | undefined {
  const around = pathOf(b);
  return pathOf(a).find((el) => around.includes(el));
}

function click(spot: Spot, p: Json, button: number, detail: number): void {
  if (button !== 0) return void pointer("auxclick", spot, p, { detail });
  pointer("click", spot, p, { detail });
  if (detail === 2) mouse("dblclick", spot, p, { detail });
}

/** A whole click by touch or by a key, where no button goes down and up. */
export function tap(spot: Spot, p: Json): void {
  const as = { ...p, button: "left" };
  hover(spot, as);
  if (mouse("mousedown", spot, as, { detail: 1 })) focusFromPress(spot.el);
  mouse("mouseup", spot, as, { detail: 1 });
  if (!isDisabled(spot.el)) click(spot, as, 0, 1);
}
