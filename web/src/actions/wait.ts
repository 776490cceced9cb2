// Waits until an element is ready for an action (auto-wait).

import type { PointArgs, Query, WaitArgs } from "../wire/verbs";
import { pathOf, styleOf } from "../flattree";
import { Failure, mayPass } from "./failure";
import { findOne, show } from "./locate";
import { forget } from "./redact";
import { documentOf, frameAround } from "./tree";
import { boxOf, describe, hitAt, isDisabled, isEditable, isReadOnly, isVisible, offsetOf } from "./view";

/** The checks of an element. */
type Check = "stable" | StaticCheck;

/** The checks that do not take time. */
export type StaticCheck = "visible" | "enabled" | "editable";

const PAUSES = [0, 20, 50, 100, 100, 250];

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Resolves at the next animation frame, or after 50 ms if the page is not painted. */
function nextFrame(): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(done, 50);
    requestAnimationFrame(() => {
      clearTimeout(late);
      done();
    });
  });
}

/** Retries `attempt` until it succeeds, for at most `wait` ms. Then it throws the last failure. */
export async function until<T>(wait: number, attempt: (n: number) => T | Promise<T>): Promise<T> {
  const start = performance.now();
  for (let n = 0; ; n++) {
    try {
      return await attempt(n);
    } catch (e) {
      const left = wait - (performance.now() - start);
      if (!mayPass(e) || left <= 0) throw e;
      forget();
      await pause(Math.min(PAUSES[Math.min(n, PAUSES.length - 1)], left));
    }
  }
}

/** The element of a locator. Throws if there is none. */
export function present(q: Query): Element {
  const el = findOne(q);
  if (!el) throw new Failure("ElementNotFound", `element not found: ${show(q)}`);
  return el;
}

/** The element of a locator, after it has passed the checks. */
export async function ready(q: Query, checks: Check[]): Promise<Element> {
  const el = present(q);
  for (const check of checks) {
    if (check === "stable") await needStable(el);
    else need(el, [check]);
  }
  return el;
}

/** Throws if an element does not pass the checks now. */
export function need(el: Element, checks: StaticCheck[]): void {
  for (const check of checks) {
    if (check === "visible") needVisible(el);
    else if (check === "enabled") needEnabled(el);
    else needEditable(el);
  }
}

function needVisible(el: Element): void {
  if (!isVisible(el)) throw new Failure("NotVisible", `element not visible: ${describe(el)}`);
}

function needEnabled(el: Element): void {
  if (isDisabled(el)) throw new Failure("NotEnabled", `element disabled: ${describe(el)}`);
}

function needEditable(el: Element): void {
  if (!isEditable(el))
    throw new Failure("InvalidArgument", `bad request: ${describe(el)} is no input, textarea or select, nor editable`);
  if (isReadOnly(el)) throw new Failure("NotEnabled", `element disabled: ${describe(el)} is read-only`);
}

/** Waits until an element has the same box in two animation frames. */
async function needStable(el: Element): Promise<void> {
  for (let before = boxOf(el), n = 0; ; n++) {
    await nextFrame();
    const now = boxOf(el);
    if (el.isConnected && (["x", "y", "width", "height"] as const).every((side) => before[side] === now[side])) return;
    if (!el.isConnected) throw new Failure("NotVisible", `element not visible: ${describe(el)} has left the document`);
    if (n > 30) throw new Failure("NotVisible", `element not visible: ${describe(el)} moves`);
    before = now;
  }
}

// ---------------------------------------------------------------- the point

const BLOCKS: ScrollLogicalPosition[] = ["center", "end", "start", "nearest"];

/**
 * The action point of an element, which is scrolled into view. Each attempt scrolls it to another edge, since
 * something fixed may cover it.
 */
export async function aimAt(q: Query, aim: PointArgs, attempt: number): Promise<{ el: Element; x: number; y: number }> {
  const checks: Check[] = aim.force ? [] : aim.disabled ? ["visible", "stable"] : ["visible", "enabled", "stable"];
  const el = await ready(q, checks);
  if (attempt > 0 || !inView(el, aim)) {
    el.scrollIntoView({ block: BLOCKS[attempt % BLOCKS.length], inline: "nearest", behavior: "instant" });
    await nextFrame();
  }
  const at = pointOf(el, aim);
  if (!at) throw new Failure("NotVisible", `element not visible: ${describe(el)} is outside of the viewport`);
  if (!aim.force && !aim.covered) needHit(el, at);
  const by = offsetOf(el.ownerDocument);
  return { el, x: at.x + by.x, y: at.y + by.y };
}

type Spot = { x: number; y: number };

/**
 * The action point in the document's viewport: the given position, or the middle of the visible part of the element's
 * first visible box.
 */
function pointOf(el: Element, aim: PointArgs): Spot | undefined {
  const win = el.ownerDocument.defaultView ?? window;
  if (aim.position) {
    const r = el.getBoundingClientRect();
    const at = { x: r.x + el.clientLeft + aim.position.x, y: r.y + el.clientTop + aim.position.y };
    return at.x >= 0 && at.y >= 0 && at.x < win.innerWidth && at.y < win.innerHeight ? at : undefined;
  }
  for (const r of el.getClientRects()) {
    const [left, top] = [Math.max(r.left, 0), Math.max(r.top, 0)];
    const [right, bottom] = [Math.min(r.right, win.innerWidth), Math.min(r.bottom, win.innerHeight)];
    if (right - left >= 1 && bottom - top >= 1) return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }
  return undefined;
}

/** Whether the action point is visible without scrolling its document. */
function inView(el: Element, aim: PointArgs): boolean {
  const at = pointOf(el, aim);
  if (!at) return false;
  const r = el.getBoundingClientRect();
  const win = el.ownerDocument.defaultView ?? window;
  const fits = r.height <= win.innerHeight ? r.top >= 0 && r.bottom <= win.innerHeight : true;
  const hit = hitAt(el.ownerDocument, at.x, at.y);
  return fits && hit !== undefined && reaches(hit, el);
}

/** Whether the hit target `hit` counts as `el`: it is inside of it, or its label. */
function reaches(hit: Element, el: Element): boolean {
  return pathOf(hit).some((e) => e === el || (e.localName === "label" && (e as HTMLLabelElement).control === el));
}

function needHit(el: Element, at: Spot): void {
  if (styleOf(el).pointerEvents === "none")
    throw new Failure("NotEnabled", `element disabled: ${describe(el)} takes no pointer`);
  let target = el;
  let { x, y } = at;
  for (;;) {
    const hit = hitAt(target.ownerDocument, x, y);
    if (!hit || !reaches(hit, target))
      throw new Failure(
        "Obscured",
        `element covered by ${hit ? describe(hit) : "nothing that can be hit"}, which is in front of ${describe(el)}`,
      );
    const frame = frameAround(target.ownerDocument);
    if (!frame) return;
    const box = boxInParent(frame);
    [x, y, target] = [x + box.x, y + box.y, frame];
  }
}

function boxInParent(frame: Element): Spot {
  const inner = documentOf(frame);
  const by = inner ? offsetOf(inner) : { x: 0, y: 0 };
  const outer = offsetOf(frame.ownerDocument);
  return { x: by.x - outer.x, y: by.y - outer.y };
}

// ---------------------------------------------------------------- states

/**
 * Checks that a locator's element is in a state, and throws otherwise. Returns the element, or undefined if there
 * must be none.
 */
export async function checkState(q: Query, state: WaitArgs["state"]): Promise<Element | undefined> {
  const el = findOne(q);
  if (state === "detached" || (state === "hidden" && !el)) {
    if (el) throw new Failure("NotVisible", `${show(q)} is still there`);
    return undefined;
  }
  if (!el) throw new Failure("ElementNotFound", `element not found: ${show(q)}`);
  if (state === "hidden" && isVisible(el)) throw new Failure("NotVisible", `${describe(el)} is still visible`);
  if (state === "visible") needVisible(el);
  if (state === "enabled") needEnabled(el);
  if (state === "disabled" && !isDisabled(el)) throw new Failure("NotEnabled", `${describe(el)} is not disabled`);
  return el;
}
