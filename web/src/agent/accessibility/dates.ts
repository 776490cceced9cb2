// The fields inside date and time inputs, as Chromium 156 lays them out in the page's language. They are in the
// browser's own shadow tree. Clients can read them here; an action on a field is done to the input.

import type { Protocol } from "../../cdp";
import { isDisabled } from "./focus";
import { append, FOCUSABLE, type Item, property } from "./item";
import { nameOf } from "./names";

/** One field: its name, its bounds and what it shows while it is empty. */
interface Field {
  name: string;
  min: number;
  max: number;
  empty: string;
}

const FIELDS: Partial<Record<Intl.DateTimeFormatPartTypes | "week", Field>> = {
  day: { name: "Day", min: 1, max: 31, empty: "dd" },
  dayPeriod: { name: "AM/PM", min: 1, max: 2, empty: "--" },
  hour: { name: "Hours", min: 1, max: 12, empty: "--" },
  minute: { name: "Minutes", min: 0, max: 59, empty: "--" },
  month: { name: "Month", min: 1, max: 12, empty: "mm" },
  second: { name: "Seconds", min: 0, max: 59, empty: "--" },
  week: { name: "Week", min: 1, max: 53, empty: "--" },
  year: { name: "Year", min: 1, max: 275760, empty: "yyyy" },
};

const DATE: Intl.DateTimeFormatOptions = { year: "numeric", month: "2-digit", day: "2-digit" };
const TIME: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  date: DATE,
  "datetime-local": { ...DATE, ...TIME },
  month: { year: "numeric", month: "long" },
  time: TIME,
};
const PICKERS: Record<string, string> = {
  date: "date",
  "datetime-local": "local date and time",
  month: "month",
  time: "time",
  week: "week",
};

/** A piece of the input: a field, or the text between two. */
interface Piece {
  type: string;
  text: string;
  value: number;
}

/** Adds the fields and the button of a date or time input. */
export function addDateFields(item: Item, input: HTMLInputElement, hidden: boolean): void {
  const usable = !isDisabled(input) && !input.readOnly;
  // Chromium puts the input's name in front of the field's.
  const label = nameOf(item) === "" ? (name: string) => name : (name: string) => `${name} ${name}`;
  const box = append(append(item, "generic", { ignored: hidden }), "generic", { ignored: hidden });
  for (const piece of piecesOf(input)) {
    const field = FIELDS[piece.type as "day"];
    const holder = field
      ? append(box, "spinbutton", {
          name: label(field.name),
          value: piece.value,
          properties: bounds(field, usable),
          ignored: hidden,
          handle: input,
        })
      : box;
    append(holder, "StaticText", {
      text: field && input.value === "" ? emptyText(field, input.type) : piece.text,
      ignored: hidden,
    });
  }
  const name = label(`Show ${PICKERS[input.type]} picker`);
  append(item, "button", { name, properties: picker(usable), ignored: hidden, handle: input });
}

function piecesOf(input: HTMLInputElement): Piece[] {
  if (input.type === "week") return weekPieces(input.value);
  const known = input.value ? new Date(toDate(input.type, input.value)) : new Date(0);
  const format = new Intl.DateTimeFormat(navigator.language, { ...FORMATS[input.type], timeZone: "UTC" });
  return format.formatToParts(known).map(({ type, value }, i, all) => ({
    type,
    text: value === " " && all[i + 1]?.type === "dayPeriod" ? "\u202f" : value, // Intl has it as a plain space
    value: input.value ? numberOf(type, value, known) : 0,
  }));
}

function toDate(type: string, value: string): string {
  if (type === "time") return `1970-01-01T${value}Z`;
  return type === "month" ? `${value}-01` : type === "date" ? value : `${value}Z`;
}

function numberOf(type: string, text: string, date: Date): number {
  if (type === "month") return date.getUTCMonth() + 1;
  if (type === "dayPeriod") return date.getUTCHours() < 12 ? 1 : 2;
  return Number(text);
}

function weekPieces(value: string): Piece[] {
  const [year, week] = value ? value.split("-W") : ["0", "0"];
  return [
    { type: "literal", text: "Week ", value: 0 },
    { type: "week", text: week, value: Number(week) },
    { type: "literal", text: ", ", value: 0 },
    { type: "year", text: year, value: Number(year) },
  ];
}

function emptyText(field: Field, type: string): string {
  return type === "month" && field.name === "Month" ? "---------" : field.empty;
}

function bounds(field: Field, usable: boolean): Protocol.Accessibility.AXProperty[] {
  return [
    ...(usable ? [FOCUSABLE] : []),
    property("settable", "booleanOrUndefined", true),
    property("required", "boolean", false),
    property("valuemin", "number", field.min),
    property("valuemax", "number", field.max),
    property("valuetext", "string", ""),
  ];
}

function picker(usable: boolean): Protocol.Accessibility.AXProperty[] {
  return [...(usable ? [FOCUSABLE] : []), property("hasPopup", "token", "menu")];
}
