// Puts text into the focused element, and fires the events that frameworks listen to.

import { isWebKit } from "../base/engine";
import { isTextControl, listenForEdits, note, notify, setCaret, settle, type TextControl, withheld } from "./change";
import { contextIn, contextOf } from "./editcontext";
import { type Ends, isEditable, isRich, selectedIn } from "./editable";
import { send } from "./point";

const VALUE_TYPES = new Set(["date", "datetime-local", "month", "week", "time", "color", "range"]);

/** What an edit says of itself: by beforeinput, and then by input. */
export interface Edit {
  inputType: string;
  data?: string | null;
  dataTransfer?: DataTransfer;
  /** What it is going to change. */
  ranges?: Ends[];
  /** The text of textInput, the predecessor of beforeinput, if it has one. */
  text?: string;
  /** Where beforeinput and textInput go; the edited element by default. */
  target?: Element;
  /** What else changes, before the page hears of input. */
  after?: () => void;
}

// ---------------------------------------------------------------- inserting

/** Types text at the caret, and replaces the selection. */
export function insertText(el: Element, text: string, inputType = "insertText"): void {
  if (isTextControl(el) && el.readOnly && !el.disabled) return void announce(el, { inputType, data: text, text });
  if (!isEditable(el)) return setTyped(el, text);
  const breaks = inputType !== "insertText";
  if (!announce(el, { inputType, data: breaks ? null : text, text })) return;
  const context = contextOf(el);
  if (!context) edit(el, breaks ? inputType : "insertText", text, { inputType, data: breaks ? null : text });
  else if (!breaks) contextIn(el, context).insert(text);
}

/** Carries out an editing command of the document on the focused element. */
export function command(el: Element, name: string, as: Edit, fallback?: () => void): void {
  if (isEditable(el) && announce(el, as) && !contextOf(el)) edit(el, name, undefined, as, fallback);
}

/** Fires beforeinput, which execCommand does not, and textInput. Returns whether the input may happen. */
export function announce(el: Element, as: Edit): boolean {
  const target = as.target ?? el;
  const ends = selectedIn(el);
  const { inputType, data = null, dataTransfer } = as;
  const ranges = as.ranges ?? (ends ? [ends] : []);
  const { InputEvent } = el.ownerDocument.defaultView ?? window;
  const targetRanges = isRich(el) ? ranges.map((r) => new StaticRange(r)) : []; // Chromium has none for plain text
  const init: InputEventInit = { inputType, data, targetRanges, bubbles: true, cancelable: true, composed: true };
  if (dataTransfer) init.dataTransfer = dataTransfer;
  return (
    send(target, new InputEvent("beforeinput", init)) && (contextOf(el) !== undefined || announceText(target, as.text))
  );
}

/**
 * Fires textInput if the browser has it. Returns whether the input may happen. WebKit inserts the text of such an event
 * made by script, so the text would be inserted twice (seen in WebKitGTK 2.38).
 */
export function announceText(el: Element, text: string | undefined): boolean {
  const doc = el.ownerDocument;
  if (isWebKit || text === undefined || !doc.defaultView || !("TextEvent" in doc.defaultView)) return true;
  const event = doc.createEvent("TextEvent");
  event.initTextEvent("textInput", true, true, doc.defaultView, text);
  return send(el, event);
}

/** The command that is being carried out, and where its input event was to go. */
let running: { as: Edit; withheld?: Element } | undefined;

withheld.input = (e, el) => {
  if (!running) return false;
  const { inputType, data, dataTransfer } = e as InputEvent;
  const { as } = running;
  if (as.data && isTextControl(el) && !/\n/.test(as.data)) as.data = data; // what the control takes of it
  as.after?.();
  if (inputType === as.inputType && data === (as.data ?? null) && dataTransfer === (as.dataTransfer ?? null))
    return false;
  running.withheld = el;
  return true;
};

/**
 * Edits by execCommand, so that undo and the listeners of frameworks work, or else by `fallback`. Its input event names
 * the command, and comes for each line of a text: if it does not say what was done, one that does is fired instead.
 */
export function edit(el: Element, name: string, value: string | undefined, as: Edit, fallback?: () => void): void {
  note(el);
  listenForEdits(el.getRootNode());
  const outer = running;
  const own: typeof running = (running = { as });
  const done = el.ownerDocument.execCommand(name, false, value);
  running = outer;
  if (own.withheld) tellInput(own.withheld, as);
  if (done) return;
  if (fallback) fallback();
  else if (value !== undefined) replaceSelection(el, value, as);
}

/** Fires input. */
function tellInput(el: Element, { inputType, data = null, dataTransfer }: Edit): void {
  const { InputEvent } = el.ownerDocument.defaultView ?? window;
  const init: InputEventInit = { inputType, data, bubbles: true, composed: true };
  if (dataTransfer) init.dataTransfer = dataTransfer;
  send(el, new InputEvent("input", init));
}

function replaceSelection(el: Element, text: string, as: Edit): void {
  if (isTextControl(el)) {
    const { value, selectionStart: from, selectionEnd: to, maxLength } = el;
    const at = from ?? value.length;
    const rest = value.slice(to ?? at);
    const room = maxLength < 0 ? text.length : Math.max(maxLength - at - rest.length, 0);
    const taken = text.slice(0, room);
    if (taken === "" && text !== "") return;
    setValue(el, value.slice(0, at) + taken + rest);
    if (from !== null) el.setSelectionRange(at + taken.length, at + taken.length);
  } else {
    const range = el.ownerDocument.getSelection()?.getRangeAt(0);
    range?.deleteContents();
    range?.insertNode(el.ownerDocument.createTextNode(text));
    range?.collapse(false);
  }
  tellInput(el, as);
}

/**
 * Sets a control's value with the native setter. A framework such as React may have put a setter of its own over it.
 */
export function setValue(el: Element, value: string): void {
  note(el);
  const win = el.ownerDocument.defaultView ?? window;
  const proto =
    el.localName === "textarea"
      ? win.HTMLTextAreaElement.prototype
      : el.localName === "select"
        ? win.HTMLSelectElement.prototype
        : win.HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(proto, "value")?.set?.call(el, value);
}

/** Types into a control that has a value but no caret, such as a date. The text must be a whole value. */
function setTyped(el: Element, text: string): void {
  const input = el as HTMLInputElement;
  if (el.localName !== "input" || !VALUE_TYPES.has(input.type) || input.disabled || input.readOnly) return;
  const tried = input.cloneNode() as HTMLInputElement;
  tried.value = text;
  if (tried.value === input.value || !tried.value) return; // the same, or none for such a control
  setValue(el, text);
  notifyChange(el);
}

/** Fires input and change for a value that was set in one step. */
export function notifyChange(el: Element): void {
  settle(el);
  notify(el, "input");
  notify(el, "change");
}

/** Deletes by hand what the browser's own command does not. */
export function eraseByHand(el: Element, forward: boolean, as: Edit): void {
  if (!isTextControl(el)) return;
  const { value } = el;
  let from = el.selectionStart ?? value.length;
  let to = el.selectionEnd ?? value.length;
  if (from === to) forward ? to++ : from--;
  if (from < 0 || to > value.length) return;
  setValue(el, value.slice(0, from) + value.slice(to));
  setCaret(el as TextControl, from);
  tellInput(el, as);
}
