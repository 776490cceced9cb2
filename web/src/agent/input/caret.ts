// Keys that move the caret.

import type { Protocol } from "../../cdp";
import { styleOf } from "../../flattree";
import { type TextControl, isTextControl, setCaret } from "./editing";
import { modifiersOf } from "./point";

/** Moves the caret, or with Shift the end of the selection. */
export function caretKey(el: Element, p: Protocol.Input.DispatchKeyEventRequest): void {
  const { shiftKey, ctrlKey, altKey, metaKey } = modifiersOf(p);
  const byWord = ctrlKey || altKey;
  // For email and number fields selectionStart is null: script cannot ask where the caret is.
  if (isTextControl(el) && el.selectionStart !== null)
    return inControl(el, logical(el, p.key), shiftKey, byWord, metaKey);
  const units: Record<string, [string, string]> = {
    ArrowLeft: ["left", metaKey ? "lineboundary" : byWord ? "word" : "character"],
    ArrowRight: ["right", metaKey ? "lineboundary" : byWord ? "word" : "character"],
    ArrowUp: ["backward", "line"],
    ArrowDown: ["forward", "line"],
    Home: ["backward", byWord ? "documentboundary" : "lineboundary"],
    End: ["forward", byWord ? "documentboundary" : "lineboundary"],
    PageUp: ["backward", "paragraph"],
    PageDown: ["forward", "paragraph"],
  };
  const unit = units[p.key ?? ""];
  if (unit) el.ownerDocument.getSelection()?.modify(shiftKey ? "extend" : "move", unit[0], unit[1]);
}

/** The key that does in text from left to right what this key does in the element's. */
function logical(el: Element, key = ""): string {
  if (styleOf(el).direction !== "rtl") return key;
  return key === "ArrowLeft" ? "ArrowRight" : key === "ArrowRight" ? "ArrowLeft" : key;
}

function inControl(el: TextControl, key: string, extend: boolean, byWord: boolean, toEdge: boolean): void {
  const { selectionStart, selectionEnd, selectionDirection, value } = el;
  if (selectionStart === null || selectionEnd === null) return;
  const backward = selectionDirection === "backward";
  const head = backward ? selectionStart : selectionEnd;
  const anchor = backward ? selectionEnd : selectionStart;
  // Without Shift an arrow first collapses the selection to its side.
  if (!extend && selectionStart !== selectionEnd && /Left|Right/.test(key) && !byWord) {
    return setCaret(el, key === "ArrowLeft" ? selectionStart : selectionEnd);
  }
  const to = target(value, head, key, byWord, toEdge);
  if (!extend) return setCaret(el, to);
  setCaret(el, Math.min(anchor, to), Math.max(anchor, to), to < anchor);
}

function target(value: string, at: number, key: string, byWord: boolean, toEdge: boolean): number {
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const end = value.indexOf("\n", at) < 0 ? value.length : value.indexOf("\n", at);
  switch (key) {
    case "ArrowLeft":
      if (toEdge) return start;
      return byWord
        ? at - (/\w*\W*$/.exec(value.slice(0, at))?.[0].length ?? 0)
        : Math.max(at - width(value, at, -1), 0);
    case "ArrowRight":
      if (toEdge) return end;
      return byWord
        ? at + (/^\W*\w*/.exec(value.slice(at))?.[0].length ?? 0)
        : Math.min(at + width(value, at, 1), value.length);
    case "Home":
      return byWord ? 0 : start;
    case "End":
      return byWord ? value.length : end;
    case "ArrowUp": {
      if (start === 0) return 0;
      const above = value.lastIndexOf("\n", start - 2) + 1;
      return Math.min(above + at - start, start - 1);
    }
    case "ArrowDown": {
      if (end === value.length) return end;
      const below = value.indexOf("\n", end + 1);
      return Math.min(end + 1 + at - start, below < 0 ? value.length : below);
    }
    case "PageUp":
      return 0;
    default:
      return value.length;
  }
}

/** The length of the character before or after an offset: two for a surrogate pair. */
function width(value: string, at: number, step: number): number {
  const code = value.charCodeAt(step < 0 ? at - 1 : at);
  const pair = step < 0 ? code >= 0xdc00 && code <= 0xdfff : code >= 0xd800 && code <= 0xdbff;
  return pair ? 2 : 1;
}
