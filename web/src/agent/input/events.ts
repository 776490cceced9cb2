// The pointer and mouse events of the one mouse that Clients move.

import type { Protocol } from "../../cdp";
import { type Spot, initAt, isDisabled, send } from "./point";

/** The button numbers of DOM events by CDP's names. */
export const BUTTONS: Record<string, number> = { none: -1, left: 0, middle: 1, right: 2, back: 3, forward: 4 };

/** Where the mouse was last, in the Target's viewport, and the buttons that are down, as in MouseEvent.buttons. */
export const state = { x: 0, y: 0, held: 0 };

/**
 * Events that a disabled form control does not get. It does get the events of a passing mouse (HTML, section
 * 4.10.18.5).
 */
const WITHHELD = new Set(["mousedown", "mouseup", "click", "dblclick"]);

/**
 * The params of Input.dispatchMouseEvent that appear in its events. Other commands of the Input domain have some of
 * them.
 */
export type ButtonParams = Pick<Protocol.Input.DispatchMouseEventRequest, "modifiers" | "button" | "force"> & {
  pointerType?: "mouse" | "pen" | "touch";
};
/** The same params with a point of the Target's viewport. */
export type MouseParams = ButtonParams & { x: number; y: number };

/** The properties of one mouse event. */
function init<More extends PointerEventInit>(spot: Spot, p: ButtonParams, more: More): MouseEventInit & More {
  const button = BUTTONS[p.button ?? "none"] ?? -1;
  return {
    ...initAt(spot, p),
    screenX: spot.win.screenX + spot.at.x,
    screenY: spot.win.screenY + spot.at.y,
    movementX: spot.at.x - state.x,
    movementY: spot.at.y - state.y,
    button: button < 0 && state.held ? 0 : button, // -1 is read as 0, but `which` is 0 then, too
    buttons: state.held,
    ...more,
  };
}

/** Dispatches a PointerEvent. Returns whether its default action may happen. */
export function pointer(
  type: string,
  spot: Spot,
  p: ButtonParams,
  more: PointerEventInit = {},
  el: Element = spot.el,
): boolean {
  const common = {
    pointerId: 1,
    pointerType: p.pointerType ?? "mouse",
    isPrimary: true,
    width: 1,
    height: 1,
    pressure: state.held ? p.force || 0.5 : 0,
  };
  const { button, ...rest } = init(spot, p, common);
  return send(el, new spot.win.PointerEvent(type, { ...rest, button: Math.max(button ?? 0, 0), ...more }));
}

/** Dispatches a MouseEvent. Returns whether its default action may happen. */
export function mouse(
  type: string,
  spot: Spot,
  p: ButtonParams,
  more: PointerEventInit = {},
  el: Element = spot.el,
): boolean {
  if (WITHHELD.has(type) && isDisabled(el)) return false;
  return send(el, new spot.win.MouseEvent(type, init(spot, p, more)));
}
