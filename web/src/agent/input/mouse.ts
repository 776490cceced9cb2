// Input.dispatchMouseEvent: pointer and mouse events, focus, clicks, hover.

import { serveClipboard } from "./clipboard";
import type { Protocol } from "../../cdp";
import { allowCapture, endCapture, updateCapture } from "./capture";
import { closeByPress } from "./dismiss";
import { dragMoved, dragPressed, dragPressedText, dragReleased, isDragging } from "./drag";
import { BUTTONS, type ButtonParams, type MouseParams, mouse, pointer, state } from "./events";
import { focusFromPress } from "./focus";
import { hover } from "./hover";
import { type Spot, inViewportOf, isDisabled, spotAt } from "./point";
import { pathOf } from "../../flattree";
import {
  chooseOption,
  dragSelection,
  endSelection,
  forgetSelection,
  keepSelection,
  pressedText,
  startSelection,
} from "./selection";
import { textOf } from "./textdrag";
import { grabSlider, releaseSlider, slide } from "./slider";
import { macrotask } from "./macrotask";
import { wheel } from "./wheel";

const MASKS = [1, 4, 2, 8, 16];

/** The element on which each button was pressed, and its ancestors. */
const pressed = new Map<number, Element[]>();
/**
 * Whether pointerdown was cancelled. Then no mouse events follow until the button is released (Pointer Events,
 * "compatibility mouse events").
 */
let silenced = false;

/** Input.dispatchMouseEvent. */
export async function dispatchMouseEvent(p: Protocol.Input.DispatchMouseEventRequest): Promise<void> {
  const spot = spotAt(p.x, p.y);
  // Outside of the viewport, wheel events go to the root element, as in Chromium.
  if (p.type === "mouseWheel") return wheel(spot ?? inViewportOf(document.documentElement, p.x, p.y), p);
  if (p.type === "mouseMoved") moved(spot, p);
  else if (p.type === "mousePressed") await press(spot, p);
  else if (p.type === "mouseReleased") await release(spot, p);
  state.x = p.x;
  state.y = p.y;
}

// ------------------------------------------------------------------ moving

function moved(under: Spot | undefined, p: MouseParams): void {
  const holder = updateCapture(p);
  const spot = holder ?? under;
  if (!isDragging()) {
    if (!holder) hover(under, p);
    if (spot) move(spot, p);
  }
  if (under) dragMoved(under, p);
}

function move(spot: Spot, p: MouseParams): void {
  const moving: MouseParams = { ...p, button: "none" };
  pointer("pointermove", spot, moving, { button: -1 });
  if (!silenced) mouse("mousemove", spot, moving);
  if (!(state.held & 1)) return;
  slide(spot);
  dragSelection(spot);
}

// ---------------------------------------------------------------- pressing

async function press(spot: Spot | undefined, p: Protocol.Input.DispatchMouseEventRequest): Promise<void> {
  const button = BUTTONS[p.button ?? "left"] ?? 0;
  const first = state.held === 0;
  state.held |= MASKS[button] ?? 0;
  if (!spot) return;
  hover(spot, p);
  allowCapture(spot.win);
  serveClipboard(spot.win);
  pressed.set(button, pathOf(spot.el));
  const detail = p.clickCount ?? 1;
  silenced = !pointer(first ? "pointerdown" : "pointermove", spot, p);
  await macrotask();
  if (!silenced && isDisabled(spot.el)) focusFromPress(spot.el);
  else if (!silenced && mouse("mousedown", spot, p, { detail })) {
    await macrotask();
    pressAction(spot, p, button, detail);
  }
  if (button === 2) pointer("contextmenu", spot, p, { pressure: 0 });
}

/** The default action of a press: it moves the focus, the caret, a slider, or the selection of a list. */
function pressAction(spot: Spot, p: MouseParams, button: number, detail: number): void {
  keepSelection(spot, () => focusFromPress(spot.el));
  if (button === 0 && (grabSlider(spot) || chooseOption(spot.el, p))) return;
  // A press on something draggable does not begin a selection.
  if (button === 0 && dragPressed(spot)) return;
  startSelection(spot, p, detail);
  const text = pressedText();
  if (button === 0 && text) dragPressedText(spot, text.node, textOf(text.el));
}

// --------------------------------------------------------------- releasing

async function release(under: Spot | undefined, p: Protocol.Input.DispatchMouseEventRequest): Promise<void> {
  const button = BUTTONS[p.button ?? "left"] ?? 0;
  const holder = updateCapture(p);
  state.held &= ~(MASKS[button] ?? 0);
  const from = pressed.get(button) ?? [];
  pressed.delete(button);
  if (isDragging()) {
    forgetSelection();
    endCapture(p);
    return dragReleased(under, p);
  }
  dragReleased(undefined, p);
  const spot = holder ?? under;
  if (!spot) return releaseSlider();
  const detail = p.clickCount ?? 1;
  pointer(state.held === 0 ? "pointerup" : "pointermove", spot, p);
  await macrotask();
  if (button === 0) closeByPress(from, spot);
  if (!silenced) {
    mouse("mouseup", spot, p, { detail });
    await macrotask();
  }
  silenced = silenced && state.held !== 0;
  if (button === 0) releaseSlider();
  if (state.held === 0) endCapture(p);
  const target = holder?.el ?? commonAncestor(from, spot.el);
  if (target?.isConnected) click({ ...spot, el: target }, p, button, detail);
  if (button === 0) endSelection();
  if (holder) hover(under, p);
}

/**
 * The innermost element of `from` that encloses `el`: the target of a click whose press and release hit different
 * elements.
 */
function commonAncestor(from: Element[], el: Element): Element | undefined {
  if (!from[0]?.isConnected) return undefined;
  const around = pathOf(el);
  return from.find((e) => around.includes(e));
}

function click(spot: Spot, p: MouseParams, button: number, detail: number): void {
  if (button !== 0) return void pointer("auxclick", spot, p, { detail });
  if (isDisabled(spot.el)) return;
  pointer("click", spot, p, { detail });
  if (detail === 2) mouse("dblclick", spot, p, { detail });
}

/** Fires the mouse events and the click that follow a tap. */
export function tap(spot: Spot, p: ButtonParams): void {
  const as: MouseParams = { ...p, ...spot.at, button: "left" };
  hover(spot, as);
  mouse("mousemove", spot, as);
  state.held = 1;
  if (mouse("mousedown", spot, as, { detail: 1 })) focusFromPress(spot.el);
  state.held = 0;
  mouse("mouseup", spot, as, { detail: 1 });
  click(spot, as, 0, 1);
}
