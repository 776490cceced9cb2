// Keys that move the caret.

import { isMac } from "../base/engine";
import type { Protocol } from "../../cdp";
import { styleOf } from "../../flattree";
import { modify } from "./editable";
import { modifiersOf } from "./point";

/** The share of a page that PageUp and PageDown move the caret by, and the most that they leave, as in Chromium. */
const [SHARE, LEFT] = [0.875, 40];

/** Moves the caret, or with Shift the end of the selection. Returns whether the key is one that may do that. */
export function caretKey(el: Element, p: Protocol.Input.DispatchKeyEventRequest): boolean {
  const { shiftKey, ctrlKey, altKey, metaKey } = modifiersOf(p);
  // On a Mac, Alt and Meta move the caret by words and to edges. Elsewhere no key with them moves it.
  if (!isMac && (altKey || metaKey)) return true;
  const byWord = isMac ? altKey : ctrlKey;
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
