// Input.dispatchTouchEvent: touch events if the browser has them, then a tap.

import type { Protocol } from "../../cdp";
import { allowCapture, endCapture, updateCapture } from "./capture";
import { type ButtonParams, pointer, state } from "./events";
import { tap } from "./mouse";
import { type Spot, modifiersOf, send, spotAt } from "./point";

let start: Spot | undefined;
let steady = false;

/** Input.dispatchTouchEvent. */
export function dispatchTouchEvent(p: Protocol.Input.DispatchTouchEventRequest): void {
  const point = p.touchPoints?.[0];
  switch (p.type) {
    case "touchStart":
      start = point && spotAt(point.x, point.y);
      if (start) {
        state.held = 1;
        allowCapture(start.win);
        contact("over", "down", start, p);
      }
      steady = start !== undefined && fire("touchstart", start, p, start);
      return;
    case "touchMove": {
      const spot = point && spotAt(point.x, point.y);
      if (start && spot) {
        const taker = updateCapture({ ...p, ...point, pointerType: "touch" });
        pointer(
          "pointermove",
          taker ?? { ...spot, el: start.el },
          { ...p, pointerType: "touch", button: "none" },
          { button: -1, buttons: 1 },
        );
        fire("touchmove", start, p, spot);
      }
      if (start && spot && Math.hypot(spot.at.x - start.at.x, spot.at.y - start.at.y) > 10) steady = false;
      return;
    }
    case "touchEnd":
    case "touchCancel": {
      const spot = start;
      start = undefined;
      if (!spot) return;
      state.held = 0;
      contact(p.type === "touchEnd" ? "up" : "cancel", "out", spot, p);
      endCapture({ ...p, x: spot.at.x, y: spot.at.y, pointerType: "touch" });
      const due = fire(p.type === "touchEnd" ? "touchend" : "touchcancel", spot, p);
      if (due && steady && p.type === "touchEnd") tap(spot, { ...p, pointerType: "touch" });
    }
  }
}

/** Fires the two pointer events of a finger that is put down or lifted. */
function contact(first: string, second: string, spot: Spot, p: Protocol.Input.DispatchTouchEventRequest): void {
  const touch: ButtonParams = { ...p, pointerType: "touch", button: "left" };
  const buttons = first === "over" ? 1 : 0;
  pointer(`pointer${first}`, spot, touch, { buttons });
  pointer(`pointer${second}`, spot, touch, { buttons });
}

/** Dispatches a touch event. It goes to the element where the touch began. */
function fire(type: string, on: Spot, p: Protocol.Input.DispatchTouchEventRequest, at?: Spot): boolean {
  const { Touch, TouchEvent } = on.win as Partial<Window & typeof globalThis>;
  if (!Touch || !TouchEvent) return true; // Firefox on a desktop has no touch events
  const touches = at
    ? [new Touch({ identifier: 0, target: on.el, clientX: at.x, clientY: at.y, screenX: at.at.x, screenY: at.at.y })]
    : [];
  const changed =
    touches.length > 0 ? touches : [new Touch({ identifier: 0, target: on.el, clientX: on.x, clientY: on.y })];
  return send(
    on.el,
    new TouchEvent(type, {
      bubbles: true,
      cancelable: type !== "touchcancel",
      composed: true,
      touches,
      targetTouches: touches,
      changedTouches: changed,
      ...modifiersOf(p),
    }),
  );
}
