// The events of the mouse leaving one element and entering another, in each document that the mouse crosses.

import { type MouseParams, mouse, pointer } from "./events";
import { markHovered } from "./hoverstyle";
import { type Spot, inViewportOf } from "./point";
import { pathOf } from "../../flattree";

/**
 * The elements under the mouse at its last position: for each document, the outermost first, the element and its
 * ancestors.
 */
let hovered: Element[][] = [];

/** Fires over, enter, out and leave for a mouse that is now at `spot`, or outside of the viewport. */
export function hover(spot: Spot | undefined, p: MouseParams): void {
  const noButton: MouseParams = { ...p, button: "none" };
  const now: Spot[] = [];
  for (let s = spot; s; s = s.outer) now.unshift(s);
  const old = hovered;
  hovered = now.map((s) => pathOf(s.el));
  markHovered(hovered);
  const same = (i: number): boolean => old[i]?.[0].ownerDocument === now[i]?.el.ownerDocument;
  for (let i = old.length - 1; i >= 0; i--) if (!same(i)) cross(old[i], undefined, noButton);
  now.forEach((s, i) => {
    cross(same(i) ? old[i] : [], s, noButton);
  });
}

function cross(from: Element[], to: Spot | undefined, p: MouseParams): void {
  const left = from.find((el) => el.isConnected);
  if (from[0] === to?.el) return;
  const entered = pathOf(to?.el);
  const leaving = from.filter((el) => el.isConnected && !entered.includes(el));
  const entering = entered.filter((el) => !from.includes(el)).reverse();
  // The element that was left may have been removed: then no out event is fired.
  const out = left && left === from[0] ? inViewportOf(left, p.x, p.y) : undefined;
  for (const [kind, fire] of [
    ["pointer", pointer],
    ["mouse", mouse],
  ] as const) {
    if (kind === "pointer" && p.pointerType === "touch") continue; // contact() in touch.ts has fired these
    const button = kind === "pointer" ? { button: -1 } : {};
    const self = { ...button, bubbles: false, cancelable: false, composed: false };
    const there = { relatedTarget: to?.el ?? null };
    const back = { relatedTarget: left ?? null };
    if (out) fire(`${kind}out`, out, p, { ...button, ...there });
    for (const el of leaving) fire(`${kind}leave`, inViewportOf(el, p.x, p.y), p, { ...self, ...there });
    if (!to) continue;
    fire(`${kind}over`, to, p, { ...button, ...back });
    for (const el of entering) fire(`${kind}enter`, to, p, { ...self, ...back }, el);
  }
}
