// Names and descriptions. What authors wrote (labels, references, captions,
// legends) is read by dom-accessibility-api after the Accessible Name and
// Description Computation 1.2; names from contents are put together from the
// objects of the tree itself, so that they agree with what is rendered.

import { computeAccessibleDescription, computeAccessibleName } from "dom-accessibility-api";
import { styleOf } from "../../flattree";
import { ancestor, type Item } from "./item";
import { isNamedByContents as takesContents, isNameless } from "./ariaroles";
import { valueText } from "./values";

const READING = {
  computedStyleSupportsPseudoElements: true,
  getComputedStyle: (el: Element, pseudo?: string | null) => styleOf(el, pseudo ?? undefined),
};

/** Roles of Chromium that are named by their contents, and the role term. */
const NAMED_BY_CONTENTS = new Set(["DisclosureTriangle", "DisclosureTriangleGrouped", "LayoutTableCell", "term"]);

/** Controls that contribute their value to the name of an element around them. */
const READ_BY_VALUE = /^(textbox|searchbox|combobox|spinbutton|slider|scrollbar|progressbar|meter)$/;

/** Folds white space as HTML does; spaces at the ends are folded, not taken away. */
function fold(text: string): string {
  return text.replace(/[ \t\n\r\f]+/g, " ");
}

/** The accessible name, computed once. */
export function nameOf(item: Item): string {
  if (item.name === undefined) {
    item.name = ""; // ends the recursion of circular references
    item.name = item.text ?? (item.el ? elementName(item, item.el) : "");
  }
  return item.name;
}

/** The name an author gave by ARIA, or undefined. */
export function ariaName(el: Element): string | undefined {
  if (references(el, "aria-labelledby")) return computeAccessibleName(el, READING) || undefined;
  const label = el.getAttribute("aria-label");
  return label?.trim() ? fold(label) : undefined;
}

/** The elements that an IDREF attribute names, or undefined where none is there. */
export function references(el: Element, attribute: string): Element[] | undefined {
  const ids = el.getAttribute(attribute)?.split(/\s+/).filter(Boolean);
  if (!ids?.length) return undefined;
  const root = el.getRootNode() as Document | ShadowRoot;
  const found = ids.map((id) => root.getElementById?.(id)).filter((e): e is HTMLElement => !!e);
  return found.length > 0 ? found : undefined;
}

function elementName(item: Item, el: Element): string {
  const given = ariaName(el) ?? nativeName(item, el);
  if (given !== undefined) return given;
  if (isNamedByContents(item)) {
    const text = fold(contents(item));
    if (/[^ ]/.test(text)) return text; // a no-break space is a name
  }
  const title = namedByTitle(item) ? el.getAttribute("title") : null;
  return fold(title || el.getAttribute("placeholder") || el.getAttribute("aria-placeholder") || "");
}

/** Whether the title is a description, because naming is prohibited for the role. */
function namedByTitle(item: Item): boolean {
  return item.role !== "LabelText" && !isNameless(item.role);
}

/** The name that HTML gives: labels, captions, alternative texts. */
function nativeName(item: Item, el: Element): string | undefined {
  if ((el as HTMLInputElement).labels?.length) {
    const name = computeAccessibleName(el, READING);
    if (name) return name;
  }
  switch (el.localName) {
    case "abbr":
      return el.getAttribute("title") ?? undefined;
    case "area":
    case "img":
      return el.hasAttribute("alt") ? fold((el as HTMLImageElement).alt) : undefined;
    case "fieldset":
      return legendName(item);
    case "input":
      return buttonName(el as HTMLInputElement);
    case "optgroup":
      return (el as HTMLOptGroupElement).label;
    case "option":
      return (el as HTMLOptionElement).label;
    case "svg":
    case "g":
      return el.querySelector(":scope > title")?.textContent?.trim() || undefined;
    case "table":
      return tableName(el as HTMLTableElement);
  }
  return item.role === "MenuListPopup" ? "" : undefined;
}

function buttonName(input: HTMLInputElement): string | undefined {
  switch (input.type) {
    case "button":
      return input.value || undefined;
    case "submit":
      return input.value || "Submit";
    case "reset":
      return input.value || "Reset";
    case "file":
      return input.multiple ? "Choose Files" : "Choose File";
    case "image":
      return input.alt || input.title || "Submit";
  }
  return undefined;
}

function legendName(fieldset: Item): string | undefined {
  const legend = fieldset.children.find((c) => c.role === "Legend");
  return legend && fold(contents(legend)).trim();
}

function tableName(table: HTMLTableElement): string | undefined {
  return table.caption ? computeAccessibleName(table, READING) : table.summary || undefined;
}

function isNamedByContents(item: Item): boolean {
  if (NAMED_BY_CONTENTS.has(item.role)) return true;
  if (item.role === "rowgroup") return false; // ARIA 1.1 allowed it
  if (item.role === "row")
    return /grid/.test(ancestor(item.parent, (i) => /^(table|grid|treegrid)$/.test(i.role))?.role ?? "");
  return takesContents(item.role);
}

/** The text of an object's contents, with a space where a block begins or ends. */
function contents(item: Item): string {
  let text = "";
  let last: Item | undefined;
  for (const child of item.children) {
    if (item.role === "treeitem" && child.role === "group") continue;
    const part = read(child);
    if (!part) continue;
    if (
      last &&
      (child.gap || last.block !== child.block || isApart(last) || isApart(child)) &&
      !/[ \n]$/.test(text) &&
      !/^[ \n]/.test(part)
    ) {
      text += " ";
    }
    text += part;
    last = child;
  }
  return text;
}

/** Whether a name has a space before and after this part of it. */
function isApart(item: Item): boolean {
  return item.apart === true || (!item.ignored && item.el !== undefined && ariaName(item.el) !== undefined);
}

/** What an object adds to the name of an object around it. */
function read(item: Item): string {
  if (item.silent || (item.ignored && item.text !== undefined)) return "";
  if (item.text !== undefined) return item.text;
  if (item.ignored) return contents(item);
  if (item.role === "Abbr") return contents(item);
  if (READ_BY_VALUE.test(item.role)) return valueText(item) || ((item.el && ariaName(item.el)) ?? "");
  return nameOf(item) || contents(item);
}

/** The accessible description, empty where there is none. */
export function descriptionOf(item: Item): string {
  const el = item.el;
  if (!el) return "";
  if (references(el, "aria-describedby")) return computeAccessibleDescription(el, READING);
  const described = el.getAttribute("aria-description");
  if (described) return fold(described);
  const title = el.getAttribute("title");
  if (title && (fold(title) !== nameOf(item) || ariaName(el) !== undefined)) return fold(title);
  return nativeDescription(item, el);
}

function nativeDescription(item: Item, el: Element): string {
  switch (el.localName) {
    case "ruby":
      return Array.from(el.querySelectorAll("rt"), (rt) => rt.textContent ?? "").join("");
    case "svg":
      return el.querySelector(":scope > desc")?.textContent ?? "";
    case "table": {
      const summary = (el as HTMLTableElement).summary;
      return summary !== nameOf(item) ? summary : "";
    }
  }
  return "";
}
