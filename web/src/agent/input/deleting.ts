// Backspace and Delete.

import { isTextControl } from "./change";
import { type Ends, isCaret, isEditable, isRich, modify, selectInControl, selectionIn, textBeside } from "./editable";
import { contextIn, contextOf, lengthBeside } from "./editcontext";
import { announce, command, edit, type Edit, eraseByHand } from "./editing";

/** Deletes the selection, or else a character or word. */
export function erase(el: Element, forward: boolean, word: boolean): void {
  if (!isEditable(el)) return;
  const caret = isCaret(el);
  const direction = forward ? "Forward" : "Backward";
  const as: Edit = { inputType: `delete${word && caret ? "Word" : "Content"}${direction}` };
  const context = contextOf(el);
  if (context) {
    if (announce(el, { ...as, ranges: [] })) contextIn(el, context).erase(forward, word ? "word" : "grapheme");
    return;
  }
  const name = forward ? "forwardDelete" : "delete";
  const byHand = (): void => eraseByHand(el, forward, as);
  if (!caret) return command(el, name, as, byHand);
  if (!word) return command(el, name, { ...as, ranges: isRich(el) ? [beside(el, forward)] : [] }, byHand);
  if (!announce(el, { ...as, ranges: isRich(el) ? [reach(el, forward, "word")] : [] })) return;
  modify(el, "extend", forward ? "forward" : "backward", "word", { silent: true });
  words.push({ el, forward, text: `${selectionIn(el)}` });
  edit(el, name, undefined, as, byHand);
}

/** The words that have been deleted, for undo. The last are kept. */
const words: { el: Element; forward: boolean; text: string }[] = [];

/** After an undo: a word that is there again is not selected in Chromium, as the agent had to do. */
export function undoneWord(el: Element): void {
  const selection = selectionIn(el);
  const word = words.at(-1);
  if (!selection || !word || word.el !== el || isCaret(el) || `${selection}` !== word.text) return;
  words.pop();
  if (!isTextControl(el)) word.forward ? selection.collapseToStart() : selection.collapseToEnd();
  else selectInControl(el, (word.forward ? el.selectionStart : el.selectionEnd) ?? 0);
}

/** Lets the text that is typed next be another step of undo. */
export function endTyping(el: Element): void {
  const selection = selectionIn(el);
  if (!isTextControl(el) && selection?.anchorNode) selection.collapse(selection.anchorNode, selection.anchorOffset);
}

/** The character before or after the caret. The selection stays as it is: undo would stop there. */
function beside(el: Element, forward: boolean): Ends {
  const { anchorNode: node, anchorOffset: offset } = selectionIn(el)!;
  if (node?.nodeType !== 3) return reach(el, forward, "character");
  const inside = forward ? offset < (node as Text).length : offset > 0;
  const text = inside ? (node as Text) : textBeside(node, !forward);
  if (!text) return reach(el, forward, "character");
  const from = inside ? offset : forward ? 0 : text.length;
  const length = lengthBeside(text.data, from, forward, "grapheme");
  const [startOffset, endOffset] = forward ? [from, from + length] : [from - length, from];
  return { startContainer: text, startOffset, endContainer: text, endOffset };
}

/** What the caret passes when it moves by a unit. */
function reach(el: Element, forward: boolean, unit: string): Ends {
  const selection = selectionIn(el)!;
  const { anchorNode, anchorOffset } = selection;
  modify(el, "extend", forward ? "forward" : "backward", unit, { silent: true });
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  selection.collapse(anchorNode, anchorOffset);
  return { startContainer, startOffset, endContainer, endOffset };
}
