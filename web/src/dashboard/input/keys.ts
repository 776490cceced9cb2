// Converts events of this page's keyboard and mouse to the params of Input.dispatchKeyEvent and dispatchMouseEvent.

import type { KeyInput, MouseInput } from "../api/wire";

type Modifiers = Pick<MouseEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/** The part of a KeyboardEvent that is used. */
export type Key = Modifiers &
  Pick<KeyboardEvent, "key" | "code" | "keyCode" | "location" | "repeat" | "isComposing" | "getModifierState">;

/** The modifiers, as the bits of Input.dispatchKeyEvent. */
export function modifiers(e: Modifiers): number {
  return (e.altKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);
}

/**
 * Whether the browser must turn this key into text first: an input method, a dead key, an on-screen keyboard, which
 * sends no codes (229, UI Events, 7.3), or a paste.
 */
export function leavesToBrowser(e: Key): boolean {
  return e.isComposing || e.keyCode === 229 || e.key === "Dead" || e.key === "Process" || isPaste(e);
}

function isPaste(e: Key): boolean {
  const control = (e.ctrlKey || e.metaKey) && !e.altKey;
  return (control && e.key.toLowerCase() === "v") || (e.shiftKey && e.key === "Insert");
}

export function keyInput(type: "keyDown" | "keyUp", e: Key): KeyInput {
  const text = type === "keyDown" ? textOf(e) : "";
  return {
    kind: "key",
    type,
    key: e.key,
    code: e.code,
    ...(text && { text, unmodifiedText: text }),
    windowsVirtualKeyCode: e.keyCode,
    nativeVirtualKeyCode: e.keyCode,
    modifiers: modifiers(e),
    autoRepeat: e.repeat,
    isKeypad: e.location === 3,
    location: e.location,
  };
}

/**
 * The text that a key types. With Control or Meta it is a command, except where AltGr is reported as Control and Alt.
 */
function textOf(e: Key): string {
  if (e.key === "Enter") return "\r";
  const command = (e.ctrlKey || e.metaKey) && !e.getModifierState("AltGraph");
  return !command && [...e.key].length === 1 ? e.key : "";
}

const BUTTONS = ["left", "middle", "right", "back", "forward"];

/** The part of a MouseEvent that is used. */
type Mouse = Modifiers & Pick<MouseEvent, "button" | "buttons" | "detail">;

export function mouseInput(type: MouseInput["type"], at: { x: number; y: number }, e: Mouse): MouseInput {
  const pressed = type === "mousePressed" || type === "mouseReleased";
  return {
    kind: "mouse",
    type,
    ...at,
    button: pressed ? (BUTTONS[e.button] ?? "none") : heldButton(e.buttons),
    buttons: e.buttons,
    clickCount: pressed ? Math.max(e.detail, 1) : 0,
    deltaX: 0,
    deltaY: 0,
    modifiers: modifiers(e),
  };
}

/** A move names the button that is held, as Chromium's own events do. */
function heldButton(buttons: number): string {
  if (buttons & 1) return "left";
  if (buttons & 2) return "right";
  return buttons & 4 ? "middle" : "none";
}

/** The part of a WheelEvent that is used. */
type Wheel = Mouse & Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode">;

/** Pixels of a line and of a page (WheelEvent.deltaMode 1 and 2). */
const LINE = 40;

export function wheelInput(at: { x: number; y: number }, e: Wheel, page: number): MouseInput {
  const unit = [1, LINE, page][e.deltaMode] ?? 1;
  return { ...mouseInput("mouseWheel", at, e), button: "none", deltaX: e.deltaX * unit, deltaY: e.deltaY * unit };
}
