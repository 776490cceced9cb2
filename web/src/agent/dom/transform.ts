// Elements that CSS transforms turn or scale.

import { type Box, type Quad, quad } from "./geometry";
import { enclosing, styleOf } from "../../flattree";

/** What the transforms of an element and of all around it do to a vector; undefined when they leave it as it is. */
function turnOf(el: Element): DOMMatrix | undefined {
  let turn = new DOMMatrix();
  for (let at: Element | null = el; at; at = enclosing(at)) {
    const { transform, rotate, scale } = styleOf(at);
    if (transform !== "none" && transform) turn = new DOMMatrix(transform).multiply(turn);
    const [sx, sy] = (scale || "none").split(" ").map(Number);
    if (sx) turn = new DOMMatrix().scale(sx, sy ?? sx).multiply(turn);
    if (/^[-\d.e]+deg$/.test(rotate || "")) turn = new DOMMatrix().rotate(parseFloat(rotate)).multiply(turn);
  }
  const { a, b, c, d } = turn;
  return turn.is2D && (a !== 1 || b !== 0 || c !== 0 || d !== 1) ? turn : undefined;
}

/**
 * The border box of an element as it is laid out, before transforms, around the centre of `bounds`, the rectangle
 * that it is drawn in. `at` maps a box in that space to its quad. The centre of a transformed box is that of its
 * bounds, so no transform-origin is needed.
 */
export function untransformed(el: Element, bounds: Box): { box: Box; at: (b: Box) => Quad } {
  const { offsetWidth: w, offsetHeight: h } = el as HTMLElement;
  const turn = w === undefined ? undefined : turnOf(el);
  if (!turn) return { box: bounds, at: quad };
  const x = (bounds.left + bounds.right) / 2;
  const y = (bounds.top + bounds.bottom) / 2;
  const corner = (dx: number, dy: number): [number, number] => [
    x + turn.a * dx + turn.c * dy,
    y + turn.b * dx + turn.d * dy,
  ];
  return {
    box: { left: x - w / 2, top: y - h / 2, right: x + w / 2, bottom: y + h / 2 },
    at: (b) => {
      const q = quad(b);
      return [0, 2, 4, 6].flatMap((i) => corner(q[i] - x, q[i + 1] - y));
    },
  };
}
