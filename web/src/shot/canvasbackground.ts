// The background of the root element, or else that of the body, is painted on the whole canvas (CSS Backgrounds 3,
// 2.11). In a picture the root is a box like any other, so a box behind it stands for the canvas.

import { styleOf } from "../flattree";

const PARTS = ["color", "image", "position", "size", "repeat"].map((part) => `background-${part}`);
const SIDES = ["Top", "Right", "Bottom", "Left"] as const;

/** What Chromium shows behind a page whose colour scheme is dark. */
const DARK = "#121212";

/** Puts the canvas behind the copy of a root element. The picture ends before the distance `far` from the root. */
export function addCanvasBackground(root: HTMLElement, copies: ReadonlyMap<Node, HTMLElement>, far: number): void {
  const body = root.ownerDocument.body as HTMLElement | null;
  const candidates = body && contains(root, body) ? [root] : [root, body];
  const source = candidates.find((el) => el && copies.has(el) && painted(el));
  const copy = source && copies.get(source),
    copyOfRoot = copies.get(root);
  if (!source || !copy || !copyOfRoot) return;
  const canvas = root.ownerDocument.createElement("div");
  const { left, top, width, height } = area(root, styleOf(source).backgroundAttachment);
  canvas.style.cssText =
    `position:absolute;z-index:-1;left:${left - far}px;top:${top - far}px;padding:${far}px;` +
    `width:${width}px;height:${height}px;box-sizing:content-box;background-origin:content-box`;
  for (const part of PARTS) canvas.style.setProperty(part, styleOf(source).getPropertyValue(part));
  const { backgroundImage } = copy.style; // snapdom has inlined the images
  if (backgroundImage) canvas.style.backgroundImage = backgroundImage;
  copy.style.background = "none";
  copyOfRoot.style.isolation = "isolate";
  if (styleOf(root).position === "static") copyOfRoot.style.position = "relative";
  // A box with a negative z-index is painted over the border of its parent, so the border is painted again above the
  // canvas.
  copyOfRoot.prepend(canvas, border(root));
}

/** The colour where a document paints nothing. */
export function blank(doc: Document): string {
  const { colorScheme } = styleOf(doc.documentElement);
  if (!colorScheme?.includes("dark")) return "white";
  return colorScheme.includes("light") && !matchMedia("(prefers-color-scheme: dark)").matches ? "white" : DARK;
}

/** The background positioning area of the canvas: the padding box of the root, or the viewport. */
function area(root: HTMLElement, attachment: string): { left: number; top: number; width: number; height: number } {
  if (attachment !== "fixed") {
    const style = styleOf(root);
    const [above, right, below, left] = SIDES.map((side) => parseFloat(style[`border${side}Width`]));
    return { left: 0, top: 0, width: root.offsetWidth - left - right, height: root.offsetHeight - above - below };
  }
  const { left, top } = root.getBoundingClientRect();
  const { innerWidth, innerHeight } = root.ownerDocument.defaultView ?? window;
  return { left: -left - root.clientLeft, top: -top - root.clientTop, width: innerWidth, height: innerHeight };
}

/** A box with only the border of the root. */
function border(root: HTMLElement): HTMLElement {
  const style = styleOf(root);
  const box = root.ownerDocument.createElement("div");
  box.style.cssText = "position:absolute;z-index:-1;box-sizing:border-box";
  for (const side of SIDES) {
    const name = side.toLowerCase();
    const width = style[`border${side}Width`];
    box.style.setProperty(name, `-${width}`);
    box.style.setProperty(`border-${name}`, `${width} ${style[`border${side}Style`]} ${style[`border${side}Color`]}`);
  }
  return box;
}

/**
 * Whether one of the elements has containment: then the body's background is not propagated (CSS Containment 2, 3.3).
 */
function contains(...elements: Element[]): boolean {
  return elements.some((el) => !/^(none|)$/.test(styleOf(el).contain ?? ""));
}

function painted(el: Element): boolean {
  const style = styleOf(el);
  return (
    style.display !== "none" && (style.backgroundImage !== "none" || !/^rgba\(.*, 0\)$/.test(style.backgroundColor))
  );
}
