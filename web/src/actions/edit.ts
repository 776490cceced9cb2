// Sets values of fields by the native setters. Frameworks such as React define a property of their own over `value`,
// and ignore a change made through it.

import type { ScrollArgs, Upload } from "../wire/verbs";
import { Failure } from "./failure";
import { squash } from "./tree";
import { describe, isDisabled } from "./view";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function windowOf(el: Element): Window & typeof globalThis {
  return el.ownerDocument.defaultView ?? window;
}

/** Sets a property of a field by the native setter. */
function setNative(el: Field, property: "value" | "checked", value: string | boolean): void {
  const win = windowOf(el);
  const proto = { input: win.HTMLInputElement, textarea: win.HTMLTextAreaElement, select: win.HTMLSelectElement }[
    el.localName
  ]!.prototype;
  Object.getOwnPropertyDescriptor(proto, property)!.set!.call(el, value);
}

function fire(el: Element, type: "input" | "change"): void {
  el.dispatchEvent(new (windowOf(el).Event)(type, { bubbles: true, composed: type === "input" }));
}

/** Input types whose value the browser refuses when it is malformed. */
const FORMATTED = /^(color|date|datetime-local|month|number|range|time|week)$/;
const WITHOUT_TEXT = /^(button|checkbox|file|hidden|image|radio|reset|submit)$/;

/** Replaces the contents of a field or an editable element. */
export function fill(el: Element, value: string): void {
  if (el.localName === "select") return void choose(el as HTMLSelectElement, [value]);
  if (el.localName !== "input" && el.localName !== "textarea") return fillEditable(el as HTMLElement, value);
  const field = el as HTMLInputElement;
  if (field.localName === "input" && WITHOUT_TEXT.test(field.type)) {
    throw new Failure("InvalidArgument", `bad request: an input of type ${field.type} takes no text`);
  }
  field.focus();
  const before = field.value;
  const text = field.type === "color" ? value.toLowerCase() : value;
  setNative(field, "value", text);
  if (FORMATTED.test(field.type) && field.value !== text.trim()) {
    setNative(field, "value", before);
    throw new Failure(
      "InvalidArgument",
      `bad request: ${JSON.stringify(value)} is no value for an input of type ${field.type}`,
    );
  }
  fire(field, "input");
  fire(field, "change");
}

function fillEditable(el: HTMLElement, value: string): void {
  el.focus();
  selectAll(el);
  const { ownerDocument: doc } = el;
  if (value) doc.execCommand("insertText", false, value);
  else doc.execCommand("delete");
}

function selectAll(el: HTMLElement): void {
  const range = el.ownerDocument.createRange();
  range.selectNodeContents(el);
  const selection = el.ownerDocument.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** Focuses an element and, in a field, puts the caret at the end. */
export function focus(el: Element, atEnd: boolean): void {
  (el as HTMLElement).focus();
  if (!atEnd) return;
  const field = el as HTMLInputElement;
  if (field.localName === "input" || field.localName === "textarea") {
    try {
      field.setSelectionRange(field.value.length, field.value.length);
    } catch {
      // email and number fields have no caret offsets
      el.ownerDocument.getSelection()?.modify("move", "forward", "documentboundary");
    }
  } else if (field.isContentEditable) {
    selectAll(field);
    el.ownerDocument.getSelection()?.collapseToEnd();
  }
}

/** Selects the options with these values or labels, and no others. Returns the selected values. */
export function choose(el: Element, wanted: string[]): string[] {
  if (el.localName !== "select") throw new Failure("InvalidArgument", `bad request: ${describe(el)} is no select`);
  const select = el as HTMLSelectElement;
  if (!select.multiple && wanted.length > 1)
    throw new Failure("InvalidArgument", "bad request: this select takes one value only");
  const options = [...select.options];
  const chosen = wanted.map((w) => {
    const option = options.find((o) => o.value === w) ?? options.find((o) => squash(o.label) === squash(w));
    if (!option)
      throw new Failure("ElementNotFound", `element not found: no option ${JSON.stringify(w)} in ${describe(el)}`);
    if (isDisabled(option)) throw new Failure("NotEnabled", `element disabled: the option ${JSON.stringify(w)}`);
    return option;
  });
  select.focus();
  if (select.multiple) for (const o of options) o.selected = chosen.includes(o);
  else if (chosen[0]) select.selectedIndex = options.indexOf(chosen[0]);
  else select.selectedIndex = -1;
  fire(select, "input");
  fire(select, "change");
  return chosen.map((o) => o.value);
}
/** Puts files into a file input. */
export function setFiles(el: Element, files: Upload[]): void {
  const control = (el.localName === "label" ? (el as HTMLLabelElement).control : el) as HTMLInputElement | null;
  if (control?.localName !== "input" || control.type !== "file")
    throw new Failure("InvalidArgument", `bad request: ${describe(el)} is no file input`);
  if (files.length > 1 && !control.multiple)
    throw new Failure("InvalidArgument", "bad request: this input takes one file only");
  const win = windowOf(control);
  const transfer = new win.DataTransfer();
  for (const f of files) {
    const bytes = Uint8Array.from(atob(f.data), (c) => c.charCodeAt(0));
    transfer.items.add(new win.File([bytes], f.name, { type: f.type }));
  }
  control.files = transfer.files;
  fire(control, "input");
  fire(control, "change");
}

/** Scrolls an element, or its nearest ancestor that can scroll in that direction, or the page. */
export function scroll(el: Element | undefined, by: ScrollArgs): void {
  const page = document.scrollingElement ?? document.documentElement;
  const box = scroller(el, by) ?? page;
  if (by.end) return box.scrollTo({ top: by.end === "top" ? 0 : box.scrollHeight, behavior: "instant" });
  const unit = by.pages ? (by.dx ? box.clientWidth : box.clientHeight) * by.pages : 1;
  box.scrollBy({ left: (by.dx ?? 0) * unit, top: (by.dy ?? 0) * unit, behavior: "instant" });
}

function scroller(el: Element | undefined, by: ScrollArgs): Element | undefined {
  for (let e = el; e; e = e.parentElement ?? ((e.getRootNode() as ShadowRoot).host as Element | undefined)) {
    const style = windowOf(e).getComputedStyle(e);
    const down = e.scrollHeight > e.clientHeight && /auto|scroll|hidden/.test(style.overflowY) && (by.dy || by.end);
    const across = e.scrollWidth > e.clientWidth && /auto|scroll|hidden/.test(style.overflowX) && by.dx;
    if ((down || across) && e !== e.ownerDocument.documentElement && e !== e.ownerDocument.body) return e;
  }
  return el ? (el.ownerDocument.scrollingElement ?? undefined) : undefined;
}
