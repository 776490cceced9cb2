// Boxes painted over the page while a screenshot is taken.

import type { Mark } from "../wire/verbs";

const ID = "cdphub-overlay";

/** Paints the boxes, and removes earlier ones. An empty list removes all. */
export function overlay(marks: Mark[]): void {
  document.getElementById(ID)?.remove();
  if (!marks.length) return;
  const layer = document.createElement("div");
  layer.id = ID;
  layer.setAttribute("aria-hidden", "true");
  layer.style.cssText =
    "all:initial;position:absolute;left:0;top:0;width:0;height:0;z-index:2147483647;pointer-events:none";
  for (const m of marks) layer.append(painted(m));
  document.documentElement.append(layer);
}

function painted(m: Mark): HTMLElement {
  const box = document.createElement("div");
  const at = `position:absolute;left:${m.x + scrollX}px;top:${m.y + scrollY}px`;
  if (m.label === undefined) {
    box.style.cssText = `${at};width:${m.width}px;height:${m.height}px;background:#f0f`;
    return box;
  }
  box.style.cssText = `${at};width:${m.width}px;height:${m.height}px;box-sizing:border-box;border:2px solid #f00;opacity:.8`;
  const badge = document.createElement("div");
  badge.textContent = m.label;
  badge.style.cssText =
    "position:absolute;left:-2px;top:-22px;min-width:20px;height:20px;line-height:20px;padding:0 4px;box-sizing:border-box;" +
    "background:#f00;color:#fff;font:bold 12px sans-serif;text-align:center;white-space:nowrap";
  box.append(badge);
  return box;
}
