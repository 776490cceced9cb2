// What a person types is drawn sooner than the whole page: in the copy of the document that the last whole picture was
// made of, elements are copied again. Where more has changed, there is no draft. The picture that follows a draft is a
// whole one, and shows what the draft could not know of.

import * as dom from "./dom";
import { viewport } from "./options";
import type { Picture } from "./picture";

/** The last whole picture, and where the elements were. */
interface Kept {
  picture: Picture;
  boxes: Map<Element, string>;
  view: string;
}

let kept: Kept | undefined;

export function keep(picture: Picture): void {
  const boxes = new Map<Element, string>();
  for (const el of picture.copy.pieces.keys()) boxes.set(el, boxOf(el));
  kept = { picture, boxes, view: view() };
}

export function forget(): void {
  kept = undefined;
}

/** Maximum number of elements of a draft that are looked at again. */
const MOST = 100;

/** The image of a draft, in which these elements and those in them are as they are now; undefined where none can be. */
export function draft(changed: Iterable<Element>): string | undefined {
  const now = kept;
  kept = undefined; // what stops halfway is no base for another
  if (!now || now.view !== view()) return undefined;
  const { copy } = now.picture;
  let count = 0;
  for (const [el, box] of now.boxes) if (boxOf(el) !== box) return undefined;
  for (const el of changed) {
    count += 1 + el.querySelectorAll("*").length;
    const piece = copy.pieces.get(el);
    if (count > MOST || !piece || el === document.documentElement || el === document.body) return undefined;
    const again = copy.element(el, piece.parent);
    if (typeof again === "string") return undefined;
    piece.open = again.open;
    piece.inner = again.inner;
    copy.pieces.set(el, piece);
  }
  const url = now.picture.again();
  if (url) kept = now;
  return url;
}

function boxOf(el: Element): string {
  const { x, y, width, height } = dom.rectOf(el);
  return `${x} ${y} ${width} ${height} ${dom.scrollLeft(el)} ${dom.scrollTop(el)}`;
}

function view(): string {
  const { x, y, width, height } = viewport();
  return `${x} ${y} ${width} ${height} ${devicePixelRatio}`;
}
