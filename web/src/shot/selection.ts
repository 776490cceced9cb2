// The text that is selected, which a browser paints in colours of its own.

import { box, inherit, type Inherited } from "./declare";
import * as dom from "./dom";
import type { Resources } from "./resources";
import type { Sheet } from "./sheet";
import { escape } from "./text";

/** What Chromium 156 paints behind selected text in a window without the focus. */
const INACTIVE = "background-color:#c8c8c8;";
const ACTIVE = "background-color:Highlight;color:HighlightText;-webkit-text-fill-color:currentcolor;";

export class Selected {
  private readonly range: Range | undefined;
  private readonly active: boolean;

  constructor(doc: Document) {
    const selection = doc.getSelection();
    this.range = selection?.type === "Range" ? selection.getRangeAt(0) : undefined;
    this.active = doc.hasFocus();
  }

  /** The text of a node, with what is selected of it in a box of its own. */
  text(node: Text, parent: Element, inherited: Inherited, resources: Resources, sheet: Sheet): string {
    const text = dom.textOf(node);
    if (!this.range?.intersectsNode(node) || parent.namespaceURI !== dom.HTML) return escape(text);
    const { startContainer, startOffset, endContainer, endOffset } = this.range;
    const from = startContainer === node ? startOffset : 0,
      to = endContainer === node ? endOffset : text.length;
    if (from === to || !/\S/.test(text)) return escape(text);
    const style = dom.styleOf(parent, "::selection");
    const own = inherit(style, inherited, resources.inline).css + box(style, "", resources.inline);
    const css =
      style.backgroundColor === "rgba(0, 0, 0, 0)" && style.color === dom.styleOf(parent).color
        ? this.active
          ? ACTIVE
          : INACTIVE
        : own.replace(/display:[^;]*;/, "");
    const selected = `<span class="${sheet.rule(css)}">${escape(text.slice(from, to))}</span>`;
    return escape(text.slice(0, from)) + selected + escape(text.slice(to));
  }
}
