// Puts text into the focused element, and fires the events that frameworks listen to.

import { send } from "./point";

const TEXT_TYPES = new Set(["text", "search", "url", "tel", "email", "password", "number", ""]);
const VALUE_TYPES = new Set(["date", "datetime-local", "month", "week", "time", "color", "range"]);

export type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Whether it is an input or a textarea that text is typed into. */
export function isTextControl(el: Element): el is TextControl {
  return el.localName === "textarea" || (el.localName === "input" && TEXT_TYPES.has((el as HTMLInputElement).type));
}

/** Whether text can be typed into it. */
export function isEditable(el: Element): boolean {
  if (isTextControl(el)) return !el.readOnly && !el.disabled;
  return (el as HTMLElement).isContentEditable === true || el.ownerDocument.designMode === "on";
}

// ------------------------------------------------------------ change events

/** The value that each edited control had when `change` was last due. */
const before = new WeakMap<Element, string>();

/** Remembers a control's value. Called before the value changes. */
function note(el: Element): void {
  if (!isTextControl(el) || before.has(el)) return;
  before.set(el, el.value);
  el.addEventListener("change", () => before.delete(el), { once: true, capture: true });
}

/** Fires `change` when an edited control is left or Enter is pressed, unless the browser has fired it. */
export function changed(el: Element): void {
  const old = before.get(el);
  before.delete(el);
  const { value } = el as TextControl;
  if (old === undefined || value === old) return;
  notify(el, "change");
  // The browser does not know of this event, and fires its own when the control is left: that one is hidden.
  const win = el.ownerDocument.defaultView ?? window;
  const repeated = (e: Event): void => {
    if (e.composedPath()[0] !== el || !e.isTrusted) return;
    win.removeEventListener("change", repeated, true);
    if ((el as TextControl).value === value) e.stopImmediatePropagation();
  };
  win.addEventListener("change", repeated, true);
}

/** Fires `input` or `change` for a value that the agent has set. */
export function notify(el: Element, type: "input" | "change"): void {
  const { Event } = el.ownerDocument.defaultView ?? window;
  send(el, new Event(type, { bubbles: true, composed: type === "input" }));
}

// ---------------------------------------------------------------- inserting

/** Types text at the caret, and replaces the selection. */
export function insertText(el: Element, text: string, inputType = "insertText"): void {
  if (!isEditable(el)) return setTyped(el, text);
  const data = inputType === "insertLineBreak" ? null : text;
  if (!announce(el, inputType, data) || !announceText(el, inputType, text)) return;
  edit(el, "insertText", text, { inputType, data }, () => replaceSelection(el, text, inputType));
}

/** Carries out an editing command of the document on the focused element. */
export function command(el: Element, name: string, inputType: string, fallback?: () => void): void {
  if (!isEditable(el) || !announce(el, inputType, null)) return;
  edit(el, name, undefined, { inputType, data: null }, fallback ?? (() => {}));
}

/** Fires beforeinput, which execCommand does not. Returns whether the input may happen. */
export function announce(el: Element, inputType: string, data: string | null): boolean {
  const { InputEvent } = el.ownerDocument.defaultView ?? window;
  return send(el, new InputEvent("beforeinput", { inputType, data, bubbles: true, cancelable: true, composed: true }));
}

/**
 * WebKit inserts the text of a textInput event made by script, so the text would be inserted twice (seen in WebKitGTK
 * 2.38).
 */
const insertsItself = (): boolean => navigator.vendor.startsWith("Apple");

/** Fires textInput, the predecessor of beforeinput, if the browser has it. Returns whether the input may happen. */
function announceText(el: Element, inputType: string, text: string): boolean {
  const doc = el.ownerDocument;
  if (insertsItself() || inputType !== "insertText" || !doc.defaultView || !("TextEvent" in doc.defaultView))
    return true;
  const event = doc.createEvent("TextEvent");
  event.initTextEvent("textInput", true, true, doc.defaultView, text);
  return send(el, event);
}

/**
 * Edits by execCommand, so that undo and the listeners of frameworks work, or else by `fallback`. The input event of
 * execCommand names the command, so its inputType and data are corrected on the way.
 */
function edit(
  el: Element,
  name: string,
  value: string | undefined,
  as: { inputType: string; data: string | null },
  fallback: () => void,
): void {
  note(el);
  const win = el.ownerDocument.defaultView ?? window;
  const correct = (e: Event): void => {
    const { inputType } = e as InputEvent;
    if (inputType === as.inputType) return;
    Object.defineProperty(e, "inputType", { value: as.inputType });
    if (inputType === "insertText") Object.defineProperty(e, "data", { value: as.data });
  };
  win.addEventListener("input", correct, true);
  const done = el.ownerDocument.execCommand(name, false, value);
  win.removeEventListener("input", correct, true);
  if (!done) fallback();
}

function replaceSelection(el: Element, text: string, inputType: string): void {
  const { InputEvent } = el.ownerDocument.defaultView ?? window;
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
  send(el, new InputEvent("input", { inputType, data: text, bubbles: true, composed: true }));
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
  const old = input.value;
  setValue(el, text);
  if (input.value !== old) notifyChange(el);
}

/** Fires input and change for a value that was set in one step. */
export function notifyChange(el: Element): void {
  before.delete(el);
  notify(el, "input");
  notify(el, "change");
}

/** Sets the caret in, or selects a part of, a text control that allows it. */
export function setCaret(el: TextControl, from: number, to = from, backward = false): void {
  if (el.selectionStart === null) return; // email and number fields have no offsets
  el.setSelectionRange(from, to, backward ? "backward" : "forward");
}
