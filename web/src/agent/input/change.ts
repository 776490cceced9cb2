// Text controls, and the change event, which comes when an edited one is left.

import { send } from "./point";

const TEXT_TYPES = new Set(["text", "search", "url", "tel", "email", "password", "number", ""]);

export type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Whether it is an input or a textarea that text is typed into. */
export function isTextControl(el: Element): el is TextControl {
  return el.localName === "textarea" || (el.localName === "input" && TEXT_TYPES.has((el as HTMLInputElement).type));
}

/** For each type of event: whether the page must not see one of the browser's, as the agent fires its own instead. */
export const withheld: Partial<Record<"change" | "input" | "select", (e: Event, el: Element) => boolean>> = {};

const withhold = (e: Event): void => {
  if (e.isTrusted && withheld[e.type as "change"]?.(e, e.composedPath()[0] as Element)) e.stopImmediatePropagation();
};

/** Listens before the page does. Again for a shadow root, which change and select do not leave. */
export function listenForEdits(root: EventTarget): void {
  for (const type of ["change", "input", "select"]) root.addEventListener(type, withhold, true);
}

/** The value that each edited control had when `change` was last due. */
const before = new WeakMap<Element, string>();
/** The value for which the agent has fired `change`. The browser does not know, and fires its own when el is left. */
const told = new WeakMap<Element, string>();

withheld.change = (_, el) => {
  before.delete(el);
  const repeated = told.get(el) === (el as TextControl).value;
  told.delete(el);
  return repeated;
};

/** Remembers a control's value. Called before the value changes. */
export function note(el: Element): void {
  if (isTextControl(el) && !before.has(el)) before.set(el, el.value);
}

/** Forgets the value: `change` has been fired for it. */
export function settle(el: Element): void {
  before.delete(el);
}

/** Fires `change` when an edited control is left or Enter is pressed, unless the browser has fired it. */
export function changed(el: Element): void {
  const old = before.get(el);
  before.delete(el);
  const { value } = el as TextControl;
  if (old === undefined || value === old) return;
  notify(el, "change");
  told.set(el, value);
}

/** Fires `input` or `change` for a value that the agent has set, or `select` for a selection. */
export function notify(el: Element, type: "input" | "change" | "select"): void {
  const { Event } = el.ownerDocument.defaultView ?? window;
  send(el, new Event(type, { bubbles: true, composed: type === "input" }));
}

/** Places the caret in, or selects a part of, a text control that allows it. */
export function setCaret(el: TextControl, from: number, to = from, backward = false): void {
  if (el.selectionStart === null) return; // email and number fields have no offsets
  el.setSelectionRange(from, to, backward ? "backward" : "forward");
}
