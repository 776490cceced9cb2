// HTML drag and drop, by mouse moves or by Input.dispatchDragEvent.

import type { Protocol } from "../../cdp";
import { type Session, allSessions, onSessionEnd } from "../base/session";
import { type MouseParams, pointer, state } from "./events";
import { type Spot, initAt, send, spotAt } from "./point";
import { type DraggedText, dropText, takesText, transferOf } from "./textdrag";
import { effectsOf, newTransfer } from "./transfer";
import { pathOf } from "../../flattree";

/** Pixels that a pressed mouse moves before a drag begins. */
const THRESHOLD = 3;

let source: { el: Node; start: Spot; text?: DraggedText } | undefined;
let drag: { data: DataTransfer; over?: Element; accepted: boolean; text?: DraggedText } | undefined;
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

/** Notes a press on selected text, which may begin a drag. */
export function dragPressedText(start: Spot, el: Node, text: DraggedText): void {
  source = { el, start, text };
}

/** The data of a link or an image that is dragged. */
function ownData(el: Node): DataTransfer {
  const data = newTransfer();
  const url = (el as Partial<HTMLAnchorElement>).href || (el as Partial<HTMLImageElement>).currentSrc;
  if (typeof url === "string" && url !== "") {
    data.setData("text/uri-list", url);
    data.setData("text/plain", url);
    data.setData("text/html", (el as Element).outerHTML);
  }
  return data;
}

/** The mouse has moved with a button down. */
export function dragMoved(spot: Spot, p: MouseParams): void {
  if (drag) return step(spot, p);
  if (!source || Math.hypot(spot.at.x - source.start.at.x, spot.at.y - source.start.at.y) < THRESHOLD) return;
  const { el, start, text } = source;
  source = undefined;
  const data = text ? transferOf(text, "dragstart") : ownData(el);
  if (!fire("dragstart", el, start, p, data)) return;
  // A drag ends the pointer's events (Pointer Events, "pointercancel").
  pointer("pointercancel", spot, p, { cancelable: false, buttons: 0, pressure: 0 });
  dragging = el;
  drag = { data, accepted: false, text };
  fire("drag", el, spot, p, data);
  if (intercepting.size > 0) {
    drag = undefined;
    return intercepted(data);
  }
  if (!text) return step(spot, p);
  entered(spot, p);
  offer("dragover", spot, p);
}

/** Text has been dropped where nothing takes it: its last events are those of a drag that is over. */
let unwanted = false;

/** The item being dragged. */
let dragging: Node | undefined;

function step(spot: Spot, p: MouseParams): void {
  if (!drag) return;
  if (dragging?.isConnected) fire("drag", dragging, spot, p, drag.data);
  // Text that enters another element is over it with the next move.
  if (!entered(spot, p) || !drag.text) offer("dragover", spot, p);
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
  if (drag.text && takesText(spot)) drag.accepted = true;
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
  const { accepted, text } = drag;
  if (text && !accepted) {
    unwanted = true;
    if (dragging?.isConnected) fire("drag", dragging, spot, p, drag.data);
  }
  if (fire(accepted ? "drop" : "dragleave", spot.el, spot, p, drag.data) && accepted && text) dropText(spot, text);
  end(spot, p);
}

function end(spot: Spot, p: MouseParams): void {
  if (drag?.text && !dragging?.isConnected) dragging = drag.text.el; // the drop has taken the text away
  if (drag && dragging?.isConnected) fire("dragend", dragging, spot, p, drag.data);
  drag = dragging = interceptedData = undefined;
  unwanted = false;
}

function fire(type: string, el: Node, spot: Spot, p: MouseParams, data: DataTransfer): boolean {
  const dataTransfer = drag?.text ? transferOf(drag.text, type, unwanted) : data;
  const cancelable = type !== "dragend" && type !== "dragleave";
  return send(
    el,
    new spot.win.DragEvent(type, {
      ...initAt(spot, p),
      cancelable,
      buttons: type === "dragend" || unwanted ? 0 : 1,
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
