// Text as it is rendered: white space collapsed over the boundaries of
// elements (CSS Text 3, section 4.1), and transformed.

import type { Box } from "./boxes";
import { append, type Item, remove } from "./item";

/** One run of inline content, up to the end of its block or a forced break. */
export class Line {
  private last?: Item; // ends in a space that goes away at the end of the line
  private start = true;
  private spaced = false;

  /** Adds a text node; nothing is made of text that collapses away. */
  text(parent: Item, node: Text | undefined, data: string, box: Box, hidden: boolean): void {
    const text = this.collapse(data, box);
    if (!text) return;
    const item = append(parent, "StaticText", {
      node,
      text: transform(text, box.transform),
      space: box.collapse !== "preserve" && text === " ",
      ignored: hidden || !box.visible, // hidden text takes part in the layout all the same
    });
    this.last = this.spaced ? item : undefined;
  }

  private collapse(data: string, box: Box): string {
    if (box.collapse === "preserve") {
      this.start = this.spaced = false;
      return data;
    }
    let text =
      box.collapse === "breaks"
        ? data.replace(/[ \t\r\f]*\n[ \t\r\f]*/g, "\n").replace(/[ \t\r\f]+/g, " ")
        : data.replace(/[ \t\n\r\f]+/g, " ");
    if ((this.start || this.spaced) && text.startsWith(" ")) text = text.slice(1);
    if (text) {
      this.start = false;
      this.spaced = text.endsWith(" ");
    }
    return text;
  }

  /** Something that is not text stands in the line. */
  object(): void {
    this.last = undefined;
    this.start = this.spaced = false;
  }

  /** The line ends: a space at its end is not rendered. */
  end(): void {
    const last = this.last;
    if (last?.text?.endsWith(" ")) {
      last.text = last.text.slice(0, -1);
      if (!last.text) remove(last);
    }
    this.last = undefined;
    this.start = true;
    this.spaced = false;
  }
}

/** CSS text-transform. */
function transform(text: string, how: string): string {
  if (how.includes("uppercase")) return text.toUpperCase();
  if (how.includes("lowercase")) return text.toLowerCase();
  if (how.includes("capitalize"))
    return text.replace(/(^|[\s\-(])(\p{L})/gu, (_, before: string, c: string) => before + c.toUpperCase());
  if (how.includes("math-auto") && [...text].length === 1) return mathItalic(text);
  return text;
}

/** A single letter as MathML shows an identifier: U+1D434 and on. */
function mathItalic(c: string): string {
  if (c === "h") return "\u210e";
  const code = c.charCodeAt(0);
  if (code >= 65 && code <= 90) return String.fromCodePoint(0x1d434 + code - 65);
  if (code >= 97 && code <= 122) return String.fromCodePoint(0x1d44e + code - 97);
  return c;
}
