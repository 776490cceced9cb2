// The back of a box that is turned round. A browser leaves a box out whose back is hidden when it composes the page of
// layers, which an SVG image has none of.

import type { Inherited } from "./declare";

/** Whether a box shows its back, and the back is hidden. `parent` says how the boxes around it are turned. */
export function isTurned(style: CSSStyleDeclaration, parent: Inherited): boolean {
  return style.backfaceVisibility === "hidden" && matrixOf(style, parent).m33 < 0;
}

/** How a box is turned together with those that it shares a space with (CSS Transforms 2, 4). */
export function matrixOf(style: CSSStyleDeclaration, parent: Inherited): DOMMatrix {
  const { transform, rotate } = style;
  let own = new DOMMatrix(transform === "none" ? "" : transform);
  if (rotate && rotate !== "none") own = rotation(rotate).multiply(own);
  return parent.space ? parent.space.multiply(own) : own;
}

function rotation(value: string): DOMMatrix {
  const words = value.split(" ");
  const angle = parseFloat(words[words.length - 1]);
  if (words.length === 1) return new DOMMatrix().rotate(angle);
  const axes: Record<string, [number, number, number]> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
  const [x, y, z] = axes[words[0]] ?? words.slice(0, 3).map(Number);
  return new DOMMatrix().rotateAxisAngle(x, y, z, angle);
}
