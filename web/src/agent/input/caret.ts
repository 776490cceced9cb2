// Keys that move the caret.

import type { Protocol } from "../../cdp";
import { styleOf } from "../../flattree";
import { type TextControl, isTextControl, setCaret } from "./change";
import { modify } from "./editable";
import { modifiersOf } from "./point";

/** On a Mac, Alt and Meta move the caret by words and to edges. Elsewhere no key with them moves it. */
const MAC = /^Mac/.test(navigator.platform);
/** Firefox moves the caret of text controls for a person alone. */
const FIREFOX = navigator.vendor === "";

/** The share of a page that PageUp and PageDown move the caret by, and the most that they leave, as in Chromium. */
const [SHARE, LEFT] = [0.875, 40];

/** Moves the caret, or with Shift the end of the selection. Returns whether the key is one that may do that. */
export function caretKey(el: Element, p: Protocol.Input.DispatchKeyEventRequest): boolean {
  const { shiftKey, ctrlKey, altKey, metaKey } = modifiersOf(p);
  if (!MAC && (altKey || metaKey)) return true;
  const byWord = MAC ? altKey : ctrlKey;
  // For email and number fields selectionStart is null: script cannot ask where the caret is.
  if (FIREFOX && isTextControl(el) && el.selectionStart !== null) {
    inControl(el, logical(el, p.key), shiftKey, byWord, metaKey);
    return true;
  }
  const across = metaKey ? "lineboundary" : byWord ? "word" : "character";
  const edge = ctrlKey ? "documentboundary" : "lineboundary";
  const upright = byWord ? "paragraph" : "line";
  const units: Record<string, [string, string]> = {
    ArrowLeft: ["left", across],
    ArrowRight: ["right", across],
    ArrowUp: ["backward", upright],
    ArrowDown: ["forward", upright],
    Home: ["backward", edge],
    End: ["forward", edge],
    PageUp: ["backward", "line"],
    PageDown: ["forward", "line"],
  };
  const unit = units[p.key ?? ""];
  if (!unit) return false;
  const pages = p.key?.startsWith("Page");
  const times = pages ? linesOfPage(el) : 1;
  if (!times) return false;
  modify(el, shiftKey ? "extend" : "move", unit[0], unit[1], { pages, times });
  return true;
}

/** How many lines PageUp and PageDown move by. */
function linesOfPage(el: Element): number {
  if (el.localName === "input") return 0;
  const { lineHeight, fontSize } = styleOf(el);
  const height = Math.min(el.clientHeight, (el.ownerDocument.defaultView ?? window).innerHeight);
  const line = parseFloat(lineHeight) || 1.2 * parseFloat(fontSize);
  return Math.max(Math.ceil(Math.max(height * SHARE, height - LEFT) / line), 1);
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
