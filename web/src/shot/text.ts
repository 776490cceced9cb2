// Text of XML. The picture is an SVG image, which XML has to be able to express.

import * as dom from "./dom";

/** What XML 1.0 has no place for (2.2): control characters and halves of surrogate pairs. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

export const escape = (text: string): string =>
  text.replace(NOT_IN_XML, "\ufffd").replace(/[&<>"\r]/g, (char) => ESCAPES[char]);

/** An attribute's value, in which line breaks are kept. */
export const escapeValue = (text: string): string => escape(text).replace(/\n/g, "&#10;").replace(/\t/g, "&#9;");

/** The attributes of an element that have one of the names. */
export function attributes(el: Element, names: readonly string[]): string {
  let all = "";
  for (const name of names) {
    const value = dom.attribute(el, name);
    if (value !== null) all += ` ${name}="${escapeValue(value)}"`;
  }
  return all;
}
