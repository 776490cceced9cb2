// Moves the caret of text controls in Firefox, where Selection.modify does not reach it.

import { type TextControl, setCaret } from "./change";
import { lengthBeside } from "./editcontext";
import { styleOf } from "../../flattree";

/** What Selection.modify does, in a text control. */
export function modifyField(el: TextControl, extend: boolean, direction: string, unit: string): void {
  const { selectionStart, selectionEnd, selectionDirection, value } = el;
  if (selectionStart === null || selectionEnd === null) return;
  const rtl = styleOf(el).direction === "rtl";
  const forward = direction === "forward" || direction === (rtl ? "left" : "right");
  const backward = selectionDirection === "backward";
  const head = backward ? selectionStart : selectionEnd;
  const anchor = backward ? selectionEnd : selectionStart;
  // An arrow first collapses a selection to its side.
  if (!extend && selectionStart !== selectionEnd && unit === "character")
    return setCaret(el, forward ? selectionEnd : selectionStart);
  const to = target(value, head, forward, unit);
  if (!extend) return setCaret(el, to);
  setCaret(el, Math.min(anchor, to), Math.max(anchor, to), to < anchor);
}

function target(value: string, at: number, forward: boolean, unit: string): number {
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const end = value.indexOf("\n", at) < 0 ? value.length : value.indexOf("\n", at);
  switch (unit) {
    case "character":
    case "word": {
      const length = lengthBeside(value, at, forward, unit === "word" ? "word" : "grapheme");
      return forward ? at + length : at - length;
    }
    case "lineboundary":
      return forward ? end : start;
    case "line": {
      if (forward) {
        if (end === value.length) return end;
        const below = value.indexOf("\n", end + 1);
        return Math.min(end + 1 + at - start, below < 0 ? value.length : below);
      }
      if (start === 0) return 0;
      const above = value.lastIndexOf("\n", start - 2) + 1;
      return Math.min(above + at - start, start - 1);
    }
    default:
      return forward ? value.length : 0;
  }
}
