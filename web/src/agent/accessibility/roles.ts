// The role of an element: the role attribute by WAI-ARIA 1.2 (section 8.1),
// else the one HTML-AAM gives its tag, in the names Chromium 156 uses.

import { isRole, overrulesNone } from "./ariaroles";
import { byWord, ROLES_OF_INPUTS, ROLES_OF_TAGS, SECTIONING } from "./htmlroles";
import { ancestor, type Item } from "./item";
import { isDataTable } from "./tables";

/** Roles that Chromium names by other words than ARIA, or that ARIA 1.2 does not have yet. */
const NAMED: Record<string, string> = {
  img: "image",
  image: "image",
  presentation: "none",
  directory: "list",
  sectionheader: "sectionheader",
  sectionfooter: "sectionfooter",
  comment: "comment",
  suggestion: "suggestion",
};

const BY_TAG: Record<string, string> = {
  ...ROLES_OF_TAGS,
  ...byWord({
    Abbr: "abbr acronym",
    Audio: "audio",
    DescriptionList: "dl",
    EmbeddedObject: "embed",
    Figcaption: "figcaption",
    Iframe: "iframe",
    LabelText: "label",
    Legend: "legend",
    PluginObject: "object",
    Ruby: "ruby",
    Video: "video",
    deletion: "s strike",
    form: "form",
    group: "address hgroup",
    listitem: "li",
    mark: "mark",
  }),
};

const BY_INPUT_TYPE: Record<string, string> = {
  ...ROLES_OF_INPUTS,
  ...byWord({ ColorWell: "color", Date: "date", DateTime: "datetime-local month week", InputTime: "time" }),
};

const BY_MATH_TAG: Record<string, string> = {
  math: "MathMLMath",
  mfrac: "MathMLFraction",
  mi: "MathMLIdentifier",
  mmultiscripts: "MathMLMultiscripts",
  mn: "MathMLNumber",
  mo: "MathMLOperator",
  mover: "MathMLOver",
  mroot: "MathMLRoot",
  mrow: "MathMLRow",
  ms: "MathMLStringLiteral",
  msqrt: "MathMLSquareRoot",
  msub: "MathMLSub",
  msubsup: "MathMLSubSup",
  msup: "MathMLSup",
  mtable: "MathMLTable",
  mtd: "MathMLTableCell",
  mtext: "MathMLText",
  mtr: "MathMLTableRow",
  munder: "MathMLUnder",
  munderover: "MathMLUnderOver",
};

const GRIDS = /^(grid|treegrid)$/;
const TABLES = /^(table|grid|treegrid|LayoutTable)$/;

/** The role of an element below this parent; named says whether an author gave it a name. */
export function roleOf(el: Element, parent: Item, named: () => boolean, focusable: () => boolean): string {
  const explicit = explicitRole(el);
  if (explicit === "none") {
    return focusable() || overrulesNone(el) ? nativeRole(el, parent, named) : "none";
  }
  if ((explicit === "region" || explicit === "form") && !named()) return "generic";
  return explicit ?? nativeRole(el, parent, named);
}

/** The first role of the attribute that is one, if any. */
function explicitRole(el: Element): string | undefined {
  const attribute = el.getAttribute("role");
  if (!attribute) return undefined;
  for (const token of attribute.toLowerCase().split(/\s+/)) {
    if (NAMED[token]) return NAMED[token];
    if (isRole(token)) return token;
  }
  return undefined;
}

function nativeRole(el: Element, parent: Item, named: () => boolean): string {
  const tag = el.localName;
  if (el.namespaceURI === "http://www.w3.org/1998/Math/MathML") return BY_MATH_TAG[tag] ?? "generic";
  if (el.namespaceURI === "http://www.w3.org/2000/svg") return svgRole(el);
  switch (tag) {
    case "a":
    case "area":
      return el.hasAttribute("href") ? "link" : "generic";
    case "aside":
      return named() || !el.parentElement?.closest("article,aside,nav,section") ? "complementary" : "generic";
    case "canvas":
      return "Canvas";
    case "footer":
      return el.parentElement?.closest(SECTIONING) ? "sectionfooter" : "contentinfo";
    case "header":
      return el.parentElement?.closest(SECTIONING) ? "sectionheader" : "banner";
    case "img":
      return el.getAttribute("alt") === "" && !el.hasAttribute("aria-label") && !el.hasAttribute("title")
        ? "none"
        : "image";
    case "input":
      return inputRole(el as HTMLInputElement);
    case "li":
      return parent.role === "none" ? "none" : "listitem";
    case "rt":
    case "rp":
      return "none";
    case "section":
      return named() ? "region" : "generic";
    case "select":
      return isListbox(el as HTMLSelectElement) ? "listbox" : "combobox";
    case "summary":
      return summaryRole(el);
    case "table":
      return isDataTable(el as HTMLTableElement) ? "table" : "LayoutTable";
    case "tbody":
      return "none";
    case "thead":
    case "tfoot":
    case "tr":
    case "td":
    case "th":
      return tableRole(el, parent);
  }
  return BY_TAG[tag] ?? "generic";
}

/** A select that shows its options in a list rather than a popup. */
export function isListbox(el: HTMLSelectElement): boolean {
  return el.multiple || el.size > 1;
}

function inputRole(el: HTMLInputElement): string {
  if (/^(text|search|url|tel|email|number)$/.test(el.type) && el.hasAttribute("list")) return "combobox";
  return BY_INPUT_TYPE[el.type] ?? "textbox";
}

function summaryRole(el: Element): string {
  const details = el.parentElement;
  if (details?.localName !== "details" || details.querySelector(":scope > summary") !== el) return "generic";
  return details.hasAttribute("name") ? "DisclosureTriangleGrouped" : "DisclosureTriangle";
}

function svgRole(el: Element): string {
  switch (el.localName) {
    case "svg":
      return "SvgRoot";
    case "a":
      return el.hasAttribute("href") || el.hasAttribute("xlink:href") ? "link" : "generic";
    case "image":
      return "image";
    case "g":
      return el.querySelector(":scope > title") ? "group" : "generic";
  }
  return "generic";
}

function tableRole(el: Element, parent: Item): string {
  const table = ancestor(parent, (i) => i.el?.localName === "table" || TABLES.test(i.role));
  if (!table || table.role === "none" || !TABLES.test(table.role)) return "generic";
  const layout = table.role === "LayoutTable";
  switch (el.localName) {
    case "tr":
      return layout ? "LayoutTableRow" : "row";
    case "th":
      return layout ? "LayoutTableCell" : headerRole(el);
    case "td":
      return layout ? "LayoutTableCell" : GRIDS.test(table.role) ? "gridcell" : "cell";
  }
  return layout ? "none" : "rowgroup";
}

/** A header is one of its column unless a data cell stands beside it. */
function headerRole(th: Element): string {
  const scope = th.getAttribute("scope")?.toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const before = th.previousElementSibling;
  const after = th.nextElementSibling;
  if (!before && !after) return "columnheader";
  return before?.localName === "th" || after?.localName === "th" ? "columnheader" : "rowheader";
}
