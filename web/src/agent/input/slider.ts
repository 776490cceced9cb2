// Moves the thumb of <input type="range"> by the mouse.

import { styleOf } from "../../flattree";
import { notify } from "./change";
import { setValue } from "./editing";
import type { Spot } from "./point";

/** Half of the thumb's length in Chromium, in CSS pixels: the ends of the track lie that far inside. */
const INSET = 8;

let slider: { input: HTMLInputElement; value: string } | undefined;

/** A press. Returns whether it was on a slider. */
export function grabSlider(spot: Spot): boolean {
  const input = spot.el as HTMLInputElement;
  if (!input.matches("input[type=range]:enabled")) return false;
  slider = { input, value: input.value };
  slide(spot);
  return true;
}

/** The mouse has moved with its button down. */
export function slide(spot: Spot): void {
  const input = slider?.input;
  if (!input?.isConnected || input.ownerDocument !== spot.win.document) return;
  const box = input.getBoundingClientRect();
  const { direction, writingMode } = styleOf(input);
  const upright = writingMode.startsWith("vertical");
  const [from, to, at] = upright ? [box.top, box.bottom, spot.y] : [box.left, box.right, spot.x];
  let share = Math.min(Math.max((at - from - INSET) / Math.max(to - from - 2 * INSET, 1), 0), 1);
  if (direction === "rtl") share = 1 - share;
  const [low, high] = [Number(input.min || 0), Number(input.max || 100)];
  const old = input.value;
  setValue(input, String(low + share * (high - low))); // the browser rounds to the nearest step
  if (input.value !== old) notify(input, "input");
}

/** The button was released. */
export function releaseSlider(): void {
  const moved = slider;
  slider = undefined;
  if (moved && moved.input.value !== moved.value) notify(moved.input, "change");
}
