// Text for an EditContext: the browser changes its text and selection and says so, and the page draws it.

/** The EditContext API, as far as it is used. Monaco and others take their text by it. */
export interface EditContext extends EventTarget {
  text: string;
  selectionStart: number;
  selectionEnd: number;
  updateText(from: number, to: number, text: string): void;
  updateSelection(from: number, to: number): void;
}
declare global {
  interface HTMLElement {
    editContext?: EditContext | null;
  }
}

/** An element's EditContext, which gets its text in the place of the element. */
export function contextOf(el: Element): EditContext | undefined {
  return (el as HTMLElement).editContext ?? undefined;
}

type TextUpdateInit = {
  updateRangeStart: number;
  updateRangeEnd: number;
  text: string;
  selectionStart: number;
  selectionEnd: number;
};
type Win = Window & { TextUpdateEvent: new (type: string, init: TextUpdateInit & EventInit) => Event };

/** The EditContext of an element as something to edit. */
export function contextIn(el: Element, context: EditContext) {
  const { selectionStart, selectionEnd } = context;
  const [from, to] = [Math.min(selectionStart, selectionEnd), Math.max(selectionStart, selectionEnd)];
  const replace = (start: number, end: number, text: string): void => {
    const caret = start + text.length;
    context.updateText(start, end, text);
    context.updateSelection(caret, caret);
    const { TextUpdateEvent } = el.ownerDocument.defaultView as unknown as Win;
    const init = { updateRangeStart: start, updateRangeEnd: end, text, selectionStart: caret, selectionEnd: caret };
    context.dispatchEvent(new TextUpdateEvent("textupdate", { ...init, cancelable: true, composed: true }));
  };
  return {
    /** Replaces the selection. */
    insert: (text: string): void => replace(from, to, text),
    /** Deletes the selection, or else the character or word before or after the caret. */
    erase(forward: boolean, unit: "grapheme" | "word"): void {
      if (from !== to) return replace(from, to, "");
      const length = lengthBeside(context.text, from, forward, unit);
      if (length) forward ? replace(from, from + length, "") : replace(from - length, from, "");
    },
  };
}

/** The length of the character or word before or after an offset. A word has the space with it that is between. */
export function lengthBeside(text: string, offset: number, forward: boolean, unit: "grapheme" | "word"): number {
  const part = forward ? text.slice(offset) : text.slice(0, offset);
  const segments = Array.from(new Intl.Segmenter(undefined, { granularity: unit }).segment(part), (s) => s.segment);
  if (!forward) segments.reverse();
  let length = segments[0]?.length ?? 0;
  if (unit === "word" && /^\s+$/.test(segments[0] ?? "")) length += segments[1]?.length ?? 0;
  return length;
}
