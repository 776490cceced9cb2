// Pointer capture (Pointer Events, section 4.1). The browser grants capture only for pointers that it sees pressed,
// so the agent keeps track of it for its own pointer.

import { type MouseParams, pointer, state } from "./events";
import { type Spot, inViewportOf } from "./point";

/** The pointerId of the agent's pointer. */
const OWN = 1;

let holder: Element | undefined;
/** The element that has received gotpointercapture. */
let notified: Element | undefined;

const prepared = new WeakSet<object>();

const isOwn = (id: number): boolean => id === OWN && state.held !== 0;

/** Lets elements of a window capture the agent's pointer. To be called before each press in it. */
export function allowCapture(win: Window & typeof globalThis): void {
  if (prepared.has(win)) return;
  prepared.add(win);
  wrapFunctions(() => wrapCapture(win.Element.prototype, win));
}

/** Wraps functions of a window. Where the page has put a getter in their place that throws, it stays. */
export function wrapFunctions(wrap: () => void): void {
  try {
    wrap();
  } catch {
    // see above
  }
}

function wrapCapture(proto: Element, win: Window & typeof globalThis): void {
  const { setPointerCapture, releasePointerCapture, hasPointerCapture } = proto;
  proto.setPointerCapture = function (id) {
    if (!isOwn(id)) return setPointerCapture.call(this, id);
    if (!this.isConnected) throw new win.DOMException("InvalidStateError", "InvalidStateError");
    holder = this;
  };
  proto.releasePointerCapture = function (id) {
    if (!isOwn(id)) return releasePointerCapture.call(this, id);
    if (holder === this) holder = undefined;
  };
  proto.hasPointerCapture = function (id) {
    return isOwn(id) ? holder === this : hasPointerCapture.call(this, id);
  };
}

/**
 * Fires the events for elements that capture or lose the pointer. Returns the element that gets the events at a point:
 * the one that has captured the pointer, if there is one.
 */
export function updateCapture(p: MouseParams): Spot | undefined {
  if (!holder?.isConnected) holder = undefined;
  if (notified !== holder) {
    const [lost, got] = [notified, holder];
    notified = holder;
    if (lost?.isConnected) tell("lostpointercapture", lost, p);
    if (got) tell("gotpointercapture", got, p);
  }
  return holder && inViewportOf(holder, p.x, p.y);
}

/** Ends the capture, as the last button's release does. */
export function endCapture(p: MouseParams): void {
  holder = undefined;
  updateCapture(p);
}

function tell(type: string, el: Element, p: MouseParams): void {
  const button = type === "gotpointercapture" ? { button: -1 } : {};
  pointer(type, inViewportOf(el, p.x, p.y), p, { ...button, cancelable: false });
}
