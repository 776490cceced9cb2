// Keys on lists, radio groups, sliders and number fields.

import { changed, notify } from "./change";
import { isEditable } from "./editable";
import { announce, notifyChange, setValue } from "./editing";
import { moveFocus, radiosOf } from "./focus";

/** The options that a key has selected last, for each list: from where, and to where. */
const spans = new WeakMap<HTMLSelectElement, { from: number; to: number }>();

/** Moves the selection of a list by a key. With Shift, one that allows several options extends it. */
export function choose(select: HTMLSelectElement, key: string, step: number, shift: boolean): void {
  const open = [...select.options].filter((o) => !o.disabled);
  const first = open.indexOf(select.selectedOptions[0]);
  const span = spans.get(select);
  const now = span && open[span.to]?.selected ? span : { from: Math.max(first, 0), to: first };
  const last = open.length - 1;
  const to = key === "Home" ? 0 : key === "End" ? last : Math.min(Math.max(now.to + step, 0), last);
  const from = shift && select.multiple ? now.from : to;
  spans.set(select, { from, to });
  pick(select, open.slice(Math.min(from, to), Math.max(from, to) + 1));
}

function pick(select: HTMLSelectElement, chosen: (HTMLOptionElement | undefined)[]): void {
  if (!chosen[0] || (chosen.every((o) => o?.selected) && select.selectedOptions.length === chosen.length)) return;
  for (const o of select.options) o.selected = chosen.includes(o);
  notifyChange(select);
}

/** Letters belong to one word if they follow each other within this time, in milliseconds. */
const PAUSE = 1000;

let word = { text: "", at: 0 };

/** Chooses the option that begins with the typed text. */
export function typeAhead(select: HTMLSelectElement, letter: string): void {
  const now = Date.now();
  word = { text: (now - word.at < PAUSE ? word.text : "") + letter.toLowerCase(), at: now };
  const options = [...select.options];
  // Repeating one letter goes to the next option that begins with it.
  const repeated = [...word.text].every((c) => c === letter.toLowerCase());
  const start = Math.max(select.selectedIndex, 0) + (repeated ? 1 : 0);
  const text = repeated ? letter.toLowerCase() : word.text;
  const inOrder = [...options.slice(start), ...options.slice(0, start)];
  pick(select, [inOrder.find((o) => !o.disabled && o.label.trim().toLowerCase().startsWith(text))]);
}

/** Moves to the next radio button of a group and checks it. */
export function nextRadio(radio: HTMLInputElement, step: number): void {
  const group = radiosOf(radio);
  const next = group[(group.indexOf(radio) + step + group.length) % group.length];
  moveFocus(next);
  if (!next.checked) next.click();
}

/** Steps a slider or a number field. */
export function stepValue(input: HTMLInputElement, key: string): void {
  if (!isEditable(input) && input.type === "number") return;
  const old = input.value;
  const next = input.cloneNode() as HTMLInputElement;
  next.value = old;
  if (key === "Home") next.value = input.min || "0";
  else if (key === "End") next.value = input.max || "100";
  else {
    const up = /Up|Right/.test(key);
    const steps = key.startsWith("Page") ? pageOf(input) : 1;
    if (input.step === "any")
      next.value = String(bounded(Number(old) + (up ? steps : -steps) * freeStep(input), input));
    else if (up) next.stepUp(steps);
    else next.stepDown(steps);
  }
  if (next.value === old) return;
  if (input.type === "number" && !announce(input, { inputType: "insertText", data: next.value })) return;
  setValue(input, next.value);
  if (input.type !== "number") return notifyChange(input);
  notify(input, "input");
  changed(input); // which hides the event of the browser for what was typed before
}

/**
 * The step of an input with step="any", for which stepUp() throws: a hundredth of a slider's length, and 1 for a
 * number.
 */
function freeStep(input: HTMLInputElement): number {
  return input.type === "range" ? lengthOf(input) / 100 : 1;
}

function bounded(value: number, { min, max }: HTMLInputElement): number {
  return Math.min(Math.max(value, min === "" ? -Infinity : Number(min)), max === "" ? Infinity : Number(max));
}

function lengthOf(input: HTMLInputElement): number {
  return Number(input.max || 100) - Number(input.min || 0);
}

/** The steps of one page of a slider: a tenth of its length. */
function pageOf(input: HTMLInputElement): number {
  const step = input.step === "any" ? freeStep(input) : Number(input.step) || 1;
  return Math.max(Math.floor(lengthOf(input) / 10 / step), 1);
}
