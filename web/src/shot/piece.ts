// The parts of a picture's text, and what those who write them need of the copy of the document.

import type { Inherited } from "./declare";
import type { Rect } from "./options";
import type { Resources } from "./resources";
import type { Sheet } from "./sheet";

/** A copied element, which a draft may put another into the place of. */
export interface Piece {
  el: Element;
  parent: Inherited;
  open: string;
  inner: Part[];
  close: string;
}
export type Part = string | Piece;

export const write = (part: Part): string =>
  typeof part === "string" ? part : part.open + part.inner.map(write).join("") + part.close;

/** The copy of a document. */
export interface DocumentCopy {
  readonly doc: Document;
  /** What is in the picture, in the coordinates of the viewport. */
  readonly region: Rect;
  readonly pieces: Map<Element, Piece>;
  readonly resources: Resources;
  readonly sheet: Sheet;
  /** The copy of an element and all in it; "" if it is not drawn. */
  element(el: Element, parent: Inherited): Part;
  /** The document in a frame element. */
  frame(el: HTMLIFrameElement): Part[];
  /** Notes that an SVG element with an id is in the picture. */
  noteId(id: string): void;
}
