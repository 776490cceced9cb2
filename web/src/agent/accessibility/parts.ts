// The inner parts of controls. They are in the browser's own shadow trees, which script cannot reach, so they are
// rebuilt from the control's state.

import { addDateFields } from "./dates";
import { isDisabled } from "./focus";
import { append, type Item } from "./item";
import { isListbox } from "./roles";
import { valueOf } from "./values";

const EDITORS = /^(text|email|tel|url|password|search|number)$/;

/** Adds the parts of a control, or returns false for an element whose children are its own. */
export function addParts(item: Item, el: Element, hidden: boolean): boolean {
  switch (el.localName) {
    case "input":
      addInput(item, el as HTMLInputElement, hidden);
      break;
    case "meter":
      append(append(item, "generic", { ignored: hidden }), "generic", { ignored: hidden });
      break;
    case "select":
      addSelect(item, el as HTMLSelectElement, hidden);
      break;
    case "textarea":
      addEditor(item, el as HTMLTextAreaElement, hidden);
      break;
    case "iframe":
    case "embed":
    case "img":
    case "progress":
    case "audio":
    case "video":
      break;
    default:
      return false;
  }
  return true;
}

function addInput(item: Item, input: HTMLInputElement, hidden: boolean): void {
  if (EDITORS.test(input.type)) return addEditor(item, input, hidden);
  if (/^(date|datetime-local|month|time|week)$/.test(input.type)) return addDateFields(item, input, hidden);
  if (!/^(button|submit|reset)$/.test(input.type)) return;
  const text = input.value || (input.type === "button" ? "" : input.type === "submit" ? "Submit" : "Reset");
  if (text) append(item, "StaticText", { text, ignored: hidden });
}

/** The editable box in a text field, with its lines. */
function addEditor(item: Item, el: HTMLInputElement | HTMLTextAreaElement, hidden: boolean): void {
  const editable = el.readOnly || isDisabled(el) ? undefined : "plaintext";
  const inner = append(item, "generic", { ignored: hidden, editable });
  const value = el.localName === "textarea" ? el.value : String(valueOf(item) ?? "");
  if (!value) return;
  const lines = value.split("\n");
  lines.forEach((text, i) => {
    if (i > 0) append(inner, "LineBreak", { text: "\n", ignored: hidden, editable });
    if (text) append(inner, "StaticText", { text, ignored: hidden, editable });
  });
  if (lines[lines.length - 1] === "") append(inner, "LineBreak", { text: "\n", ignored: hidden, editable });
}

/** The options: in a popup of their own, unless the control shows them all. */
function addSelect(item: Item, select: HTMLSelectElement, hidden: boolean): void {
  const list = isListbox(select) ? item : append(item, "MenuListPopup", { ignored: hidden });
  for (const child of select.children) addOption(list, child, hidden);
}

function addOption(parent: Item, el: Element, hidden: boolean): void {
  if (el.localName === "option") append(parent, "option", { node: el, el, ignored: hidden });
  if (el.localName === "hr") append(parent, "separator", { node: el, el, ignored: hidden });
  if (el.localName !== "optgroup") return;
  const group = append(parent, "group", { node: el, el, ignored: hidden });
  for (const child of el.children) addOption(group, child, hidden);
}
