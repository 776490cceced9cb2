// HTML drag and drop, by mouse moves or by Input.dispatchDragEvent.

import type { Protocol } from "../../cdp";
import { type Session, allSessions, onSessionEnd } from "../base/session";
import { type MouseParams, pointer, state } from "./events";
import { type Spot, initAt, send, spotAt } from "./point";
import { pathOf } from "../../flattree";

/** Pixels that a pressed mouse moves before a drag begins. */
const THRESHOLD = 3;

let source: { el: Element; start: Spot } | undefined;
let drag: { data: DataTransfer; over?: Element; accepted: boolean } | undefined;
const intercepting = new Set<Session>();
onSessionEnd((s) => intercepting.delete(s));

export function isDragging(): boolean {
  return drag !== undefined;
}

/** Notes a press, which may begin a drag. Returns whether something draggable is there. */
export function dragPressed(spot: Spot): boolean {
  const el = pathOf(spot.el).find((e) => (e as HTMLElement).draggable);
  source = el && { el, start: spot };
  return el !== undefined;
}

const EFFECTS = /^(none|copy|link|move)$/;
const ALLOWED = /^(none|copy|link|move|copyLink|copyMove|linkMove|all|uninitialized)$/;

/** The properties that newTransfer defines. No script can replace them. */
interface Effects {
  effectAllowed: string;
  dropEffect: string;
}
const effectsOf = (data: DataTransfer): Effects => data as unknown as Effects;

/**
 * A DataTransfer with settable effects, like that of the browser's own drags. Those of a DataTransfer made by script
 * stay "none".
 */
function newTransfer(): DataTransfer {
  const data = new DataTransfer();
  const hold = (name: string, value: string, form: RegExp): void => {
    Object.defineProperty(data, name, {
      get: () => value,
      set: (v) => form.test(v) && (value = String(v)),
    });
  };
  hold("effectAllowed", "uninitialized", ALLOWED);
  hold("dropEffect", "none", EFFECTS);
  return data;
}

/** The data of a link or an image that is dragged. */
function ownData(el: Element): DataTransfer {
  const data = newTransfer();
  const url = (el as Partial<HTMLAnchorElement>).href || (el as Partial<HTMLImageElement>).currentSrc;
  if (typeof url === "string" && url !== "") {
    data.setData("text/uri-list", url);
    data.setData("text/plain", url);
    data.setData("text/html", el.outerHTML);
  }
  return data;
}

/** The mouse has moved with a button down. */
export function dragMoved(spot: Spot, p: MouseParams): void {
  if (drag) return step(spot, p);
  if (!source || Math.hypot(spot.at.x - source.start.at.x, spot.at.y - source.start.at.y) < THRESHOLD) return;
  const { el, start } = source;
  source = undefined;
  const data = ownData(el);
  if (!fire("dragstart", el, start, p, data)) return;
  // A drag ends the pointer's events (Pointer Events, "pointercancel").
  pointer("pointercancel", spot, p, { cancelable: false });
  fire("drag", el, spot, p, data);
  dragging = el;
  if (intercepting.size > 0) return intercepted(data);
  drag = { data, accepted: false };
  step(spot, p);
}

/** The item being dragged. */
let dragging: Element | undefined;

function step(spot: Spot, p: MouseParams): void {
  if (!drag) return;
  if (dragging?.isConnected) fire("drag", dragging, spot, p, drag.data);
  entered(spot, p);
  offer("dragover", spot, p);
}

/** Asks the element below the mouse whether it accepts a drop. Its dropEffect must be one that the source allows. */
function offer(type: string, spot: Spot, p: MouseParams): void {
  if (!drag) return;
  const { data } = drag;
  const allowed = /^(all|uninitialized)$/.test(effectsOf(data).effectAllowed)
    ? "copylinkmove"
    : effectsOf(data).effectAllowed.toLowerCase();
  effectsOf(data).dropEffect = (["copy", "link", "move"] as const).find((e) => allowed.startsWith(e)) ?? "none";
  drag.accepted =
    !fire(type, spot.el, spot, p, data) && allowed !== "none" && allowed.includes(effectsOf(data).dropEffect);
  if (!drag.accepted) effectsOf(data).dropEffect = "none";
}

/** Fires the events for moving over another element. Returns false if the element is the same. */
function entered(spot: Spot, p: MouseParams): boolean {
  if (!drag || drag.over === spot.el) return false;
  offer("dragenter", spot, p);
  if (drag.over?.isConnected) fire("dragleave", drag.over, spot, p, drag.data);
  drag.over = spot.el;
  return true;
}

/** The button was released: fires drop if it is accepted, and dragend in any case. */
export function dragReleased(spot: Spot | undefined, p: MouseParams): void {
  source = undefined;
  if (!drag || !spot) {
    drag = undefined;
    return;
  }
  fire(drag.accepted ? "drop" : "dragleave", spot.el, spot, p, drag.data);
  end(spot, p);
}

function end(spot: Spot, p: MouseParams): void {
  if (drag && dragging?.isConnected) fire("dragend", dragging, spot, p, drag.data);
  drag = dragging = interceptedData = undefined;
}

function fire(type: string, el: Element, spot: Spot, p: MouseParams, dataTransfer: DataTransfer): boolean {
  const cancelable = type !== "dragend" && type !== "dragleave";
  return send(
    el,
    new spot.win.DragEvent(type, {
      ...initAt(spot, p),
      cancelable,
      screenX: spot.at.x,
      screenY: spot.at.y,
      dataTransfer,
    }),
  );
}

// ------------------------------------------------- drags that a Client makes

/** Input.setInterceptDrags. */
export function setInterceptDrags(p: Protocol.Input.SetInterceptDragsRequest, s: Session): void {
  if (p.enabled) intercepting.add(s);
  else intercepting.delete(s);
}

let interceptedData: DataTransfer | undefined;

function intercepted(transfer: DataTransfer): void {
  interceptedData = transfer;
  const items = [...transfer.types].map((mimeType) => ({ mimeType, data: transfer.getData(mimeType) }));
  const data = { items, dragOperationsMask: 1 };
  for (const s of allSessions()) if (intercepting.has(s)) s.emit("Input.dragIntercepted", { data });
}

/**
 * Input.dispatchDragEvent. As in Chromium, each call fires either dragenter (for another element) or dragover. The end
 * of the drag is that of the press: no release follows.
 */
export function dispatchDragEvent(p: Protocol.Input.DispatchDragEventRequest): void {
  const spot = spotAt(p.x, p.y);
  if (!spot) return;
  const data = interceptedData ?? newTransfer();
  if (!interceptedData) for (const item of p.data?.items ?? []) data.setData(item.mimeType, item.data);
  drag ??= { data, accepted: false };
  if (/^drop|Cancel/.test(p.type)) state.held = 0;
  if (p.type === "dragCancel") return end(spot, p);
  if (!entered(spot, p)) offer("dragover", spot, p);
  if (p.type === "drop") dragReleased(spot, p);
}
