// Forwards Input commands to the agents of child frames of other origins.

import { added } from "../base/added";
import type { Protocol } from "../../cdp";
import type { Answer, Json } from "../../wire/cdp";
import type { Nested } from "../link/nested";
import { type Point, agentAt, giveKeysTo, inViewportOfAgent, takeKeys, updateKeyTarget } from "../link/route";
import { hover } from "./hover";
import { spotAt } from "./point";

/**
 * The frame below the pointer. While a button or finger is down, `pointerOwner` is the frame where it was pressed.
 */
let hovered: Nested | undefined;
let pointerOwner: { by: Nested | undefined } | undefined;

function route(method: string, p: Json, sessionId: string): Promise<Answer> | undefined {
  switch (method) {
    case "Input.dispatchMouseEvent":
      return mouse(method, p as unknown as Protocol.Input.DispatchMouseEventRequest, sessionId);
    case "Input.dispatchTouchEvent":
      return touch(method, p as unknown as Protocol.Input.DispatchTouchEventRequest, sessionId);
    case "Input.dispatchDragEvent":
    case "Input.synthesizeTapGesture": {
      const n = agentAt(spotAt((p as Point).x, (p as Point).y));
      return n?.call(method, { ...p, ...inViewportOfAgent(n, p as Point) }, sessionId);
    }
    case "Input.dispatchKeyEvent":
    case "Input.insertText":
    case "Input.imeSetComposition":
      return updateKeyTarget()?.call(method, p, sessionId);
    default:
      return undefined;
  }
}

function mouse(
  method: string,
  p: Protocol.Input.DispatchMouseEventRequest,
  sessionId: string,
): Promise<Answer> | undefined {
  const spot = spotAt(p.x, p.y);
  const n = pointerOwner ? pointerOwner.by : agentAt(spot);
  if (p.type === "mousePressed") pointerOwner ??= { by: n };
  else if (p.type === "mouseReleased") pointerOwner = undefined;
  const left = hovered !== n ? hovered : undefined;
  hovered = n;
  if (p.type === "mousePressed") takeKeys();
  if (left?.frame.agent) void left.call(method, { ...p, type: "mouseMoved", button: "none", x: -1, y: -1 }, sessionId);
  if (!n?.frame.owner || n.frame.agent !== n) return undefined;
  if (p.type === "mouseMoved") hover(spot, p);
  if (p.type === "mousePressed") giveKeysTo(n);
  return n.call(method, { ...p, ...inViewportOfAgent(n, p) }, sessionId);
}

function touch(
  method: string,
  p: Protocol.Input.DispatchTouchEventRequest,
  sessionId: string,
): Promise<Answer> | undefined {
  const first = p.touchPoints?.[0];
  if (p.type === "touchStart") pointerOwner = { by: first && agentAt(spotAt(first.x, first.y)) };
  const n = pointerOwner?.by;
  if (p.type === "touchEnd" || p.type === "touchCancel") pointerOwner = undefined;
  if (!n || n.frame.agent !== n) return undefined;
  return n.call(
    method,
    { ...p, touchPoints: (p.touchPoints ?? []).map((t) => ({ ...t, ...inViewportOfAgent(n, t) })) },
    sessionId,
  );
}

added.routeInput = route;
