// The values of controls.

import { isEditingHost } from "./focus";
import type { Item } from "./item";

/** Roles whose value is a number of a range. */
export const RANGES = /^(slider|spinbutton|scrollbar|progressbar|meter|separator)$/;

const TEXT_WIDGETS = /^(textbox|searchbox|combobox)$/;

/** The value as the protocol has it: a string, a number, or nothing. */
export function valueOf(item: Item): string | number | undefined {
  const el = item.el;
  if (!el) return item.value;
  switch (el.localName) {
    case "input":
      return inputValue(item, el as HTMLInputElement);
    case "meter":
      return Math.fround((el as HTMLMeterElement).value); // a float in Chromium
    case "progress":
      return el.hasAttribute("value") ? Math.fround((el as HTMLProgressElement).value) : undefined;
    case "select":
      return item.role === "combobox" ? selected(el as HTMLSelectElement) : undefined;
    case "textarea":
      return (el as HTMLTextAreaElement).value || undefined;
  }
  if (RANGES.test(item.role)) return ariaNumber(el, "aria-valuenow");
  if (isEditingHost(el)) return (el as HTMLElement).innerText || undefined;
  return TEXT_WIDGETS.test(item.role) ? el.textContent || undefined : undefined;
}

/** The value as it is read aloud. */
export function valueText(item: Item): string {
  return item.el?.getAttribute("aria-valuetext") ?? String(valueOf(item) ?? "");
}

/** A number from an ARIA attribute. */
export function ariaNumber(el: Element, attribute: string): number | undefined {
  const text = el.getAttribute(attribute);
  const n = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(n) ? n : undefined;
}

function selected(select: HTMLSelectElement): string | undefined {
  return select.selectedOptions[0]?.label || undefined;
}

function inputValue(item: Item, input: HTMLInputElement): string | number | undefined {
  switch (input.type) {
    case "button":
    case "submit":
    case "reset":
    case "image":
    case "checkbox":
    case "radio":
      return undefined;
    case "password":
      return "•".repeat(input.value.length) || undefined; // never the password itself
    case "file":
      return fileNames(input);
  }
  if (item.role === "slider" || item.role === "spinbutton") return input.value === "" ? undefined : input.valueAsNumber;
  return input.value || undefined;
}

function fileNames(input: HTMLInputElement): string {
  const files = input.files ?? [];
  if (files.length === 0) return "No file chosen";
  return files.length === 1 ? files[0].name : `${files.length} files`;
}
