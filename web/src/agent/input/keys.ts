// The default actions of keys that type no text.

import type { Protocol } from "../../cdp";
import { caretKey } from "./caret";
import { changed, isTextControl, notify, type TextControl } from "./change";
import { clip, paste } from "./clipboard";
import { endTyping, erase, undoneWord } from "./deleting";
import { closeByKey } from "./dismiss";
import { isEditable, isRich, mayStart, selectInControl, selectionIn } from "./editable";
import { contextOf } from "./editcontext";
import { announce, command, insertText } from "./editing";
import { moveFocus } from "./focus";
import { modifiersOf } from "./point";
import { nextInTabOrder } from "./taborder";
import { scrollFrom } from "./wheel";
import { choose, nextRadio, stepValue } from "./widgets";

/** The params of Input.dispatchKeyEvent. */
export type KeyParams = Protocol.Input.DispatchKeyEventRequest;

type Action = (el: Element, p: KeyParams) => void;

const DOWN: Record<string, Action> = {
  Enter: enter,
  Tab: tab,
  Backspace: (el, p) => erase(el, false, byWord(p)),
  Delete: (el, p) => (modifiersOf(p).shiftKey ? clip(el, "cut") : erase(el, true, byWord(p))),
  Insert: (el, p) => (modifiersOf(p).shiftKey ? paste(el) : modifiersOf(p).ctrlKey ? clip(el, "copy") : undefined),
  " ": space,
  Escape: (el) => closeByKey(el.ownerDocument),
};

const SHORTCUTS: Record<string, Action> = {
  a: selectAll,
  z: (el, p) => history(el, modifiersOf(p).shiftKey),
  y: (el) => history(el, true),
  c: (el) => clip(el, "copy"),
  x: (el) => clip(el, "cut"),
  v: (el, p) => paste(el, modifiersOf(p).shiftKey),
  b: (el) => format(el, "bold", "formatBold"),
  i: (el) => format(el, "italic", "formatItalic"),
  u: (el) => format(el, "underline", "formatUnderline"),
};

const byWord = (p: KeyParams): boolean => modifiersOf(p).ctrlKey || modifiersOf(p).altKey;

function history(el: Element, redo: boolean): void {
  const name = redo ? "redo" : "undo";
  const as = { inputType: redo ? "historyRedo" : "historyUndo", after: redo ? undefined : () => undoneWord(el) };
  if (el.ownerDocument.queryCommandEnabled(name)) command(el, name, as);
}

function format(el: Element, name: string, inputType: string): void {
  if (isRich(el)) command(el, name, { inputType });
}

/** The default action of keydown. */
export function keyDownAction(el: Element, p: KeyParams): void {
  const { ctrlKey, metaKey, altKey } = modifiersOf(p);
  for (const name of p.commands ?? []) if (name === "selectAll") return selectAll(el);
  const key: string = p.key ?? "";
  if ((ctrlKey || metaKey) && !altKey && key.length === 1) return SHORTCUTS[key.toLowerCase()]?.(el, p);
  const action = DOWN[key];
  if (action) action(el, p);
  else if (/^(Arrow|Home|End|Page)/.test(key)) direction(el, p);
}

const SPACE_PRESSES =
  "button, summary, input:is([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=file], [type=image])";

/** The element on which the space bar was pressed, unless its keydown was cancelled. */
let armed: Element | undefined;

/** the space bar clicks the element on which it was pressed */
export function keyUpAction(el: Element, p: KeyParams): void {
  if (p.key !== " ") return;
  if (armed === el) (el as HTMLElement).click();
  armed = undefined;
}

// ---------------------------------------------------------------- Enter

function enter(el: Element, p: KeyParams): void {
  if (el.localName === "textarea") return insertText(el, "\n", "insertLineBreak");
  if (
    el.matches(
      "a[href], area[href], button, summary, input:is([type=button], [type=submit], [type=reset], [type=file], [type=image])",
    )
  ) {
    return (el as HTMLElement).click();
  }
  if (el.localName === "input") {
    if (isEditable(el) && !announce(el, { inputType: "insertLineBreak" })) return;
    return submit(el as HTMLInputElement);
  }
  if (!isEditable(el)) return;
  const name = modifiersOf(p).shiftKey || !isRich(el) ? "insertLineBreak" : "insertParagraph";
  command(el, name, { inputType: name, text: "\n" });
  if (name === "insertParagraph") endTyping(el);
}

/** Implicit submission (HTML, section 4.10.21.2). */
function submit(input: HTMLInputElement): void {
  changed(input);
  const form = input.form;
  if (!form) return;
  const buttons = [...form.elements].filter((e) =>
    e.matches("button:not([type=button], [type=reset]), input:is([type=submit], [type=image])"),
  );
  const first = buttons[0] as HTMLButtonElement | undefined;
  if (first) {
    if (!first.disabled) first.click();
    return;
  }
  const blocking = [...form.elements].filter((e) => isTextControl(e) && e.localName === "input");
  if (isTextControl(input) && blocking.length === 1) form.requestSubmit();
}

// ------------------------------------------------------------ other keys

function tab(el: Element, p: KeyParams): void {
  if (el.ownerDocument.designMode === "on") return;
  const next = nextInTabOrder(modifiersOf(p).shiftKey);
  moveFocus(next ?? null);
  if (next && isTextControl(next) && next.localName === "input") selectControl(next);
}

function space(el: Element, p: KeyParams): void {
  if (isEditable(el)) return; // the text of the key event is typed
  armed = el.matches(SPACE_PRESSES) ? el : undefined;
  if (!el.matches("button, input, select, summary, a"))
    scrollFrom(el, 0, (modifiersOf(p).shiftKey ? -1 : 1) * pageHeight(el));
}

const pageHeight = (el: Element): number => (el.ownerDocument.defaultView ?? window).innerHeight * 0.875;

function selectAll(el: Element): void {
  const selection = selectionIn(el);
  if (el.ownerDocument.execCommand("selectAll")) return; // fires selectstart and select as well
  if (isTextControl(el)) return selectControl(el);
  if (!contextOf(el) || !selection || !mayStart(el)) return;
  selection.collapse(el, 0);
  selection.modify("move", "backward", "documentboundary");
  selection.modify("extend", "forward", "documentboundary");
}

function selectControl(el: TextControl): void {
  if (el.selectionStart === null) el.select();
  else selectInControl(el, 0, el.value.length);
  notify(el, "select");
}

// -------------------------------------------------------------- directions

function direction(el: Element, p: KeyParams): void {
  const key = p.key ?? "";
  const step = key === "ArrowDown" || key === "ArrowRight" ? 1 : -1;
  if (el.localName === "select") return choose(el as HTMLSelectElement, key, step, modifiersOf(p).shiftKey);
  if (el.localName === "input") {
    const input = el as HTMLInputElement;
    if (input.type === "radio" && key.startsWith("Arrow")) return nextRadio(input, step);
    if (
      input.type === "range" ||
      (input.type === "number" && (key === "ArrowUp" || (key === "ArrowDown" && !modifiersOf(p).altKey)))
    )
      return stepValue(input, key);
  }
  if (isEditable(el) && caretKey(el, p)) return;
  scrollByKey(el, key);
}

function scrollByKey(el: Element, key: string): void {
  const page = pageHeight(el);
  const by: Record<string, [number, number]> = {
    ArrowDown: [0, 40],
    ArrowUp: [0, -40],
    ArrowRight: [40, 0],
    ArrowLeft: [-40, 0],
    PageDown: [0, page],
    PageUp: [0, -page],
    End: [0, 1e9],
    Home: [0, -1e9],
  };
  const [left, top] = by[key] ?? [0, 0];
  scrollFrom(el, left, top);
}
