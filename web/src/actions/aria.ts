// Roles, names and states as assistive technology has them: roles after ARIA
// in HTML, names by dom-accessibility-api.

import { computeAccessibleName } from "dom-accessibility-api";
import { isNameless, isRole, overrulesNone } from "../agent/accessibility/ariaroles";
import { byWord, ROLES_OF_INPUTS, ROLES_OF_TAGS, SECTIONING } from "../agent/accessibility/htmlroles";
import { styleOf } from "../flattree";
import { REDACTED, redact, type Redacted, word } from "./redact";
import { isSecret, isSecretText } from "./secrets";
import { closest, squash } from "./tree";

const BY_TAG: Record<string, string> = {
  ...ROLES_OF_TAGS,
  ...byWord({
    complementary: "aside",
    iframe: "frame iframe",
    img: "svg",
    listbox: "datalist",
    math: "math",
    rowgroup: "tbody",
    table: "table",
  }),
};

/** The role of an element: "none" for presentational ones, "generic" if there is no other. */
export function roleOf(el: Element): Redacted {
  for (const token of (el.getAttribute("role") ?? "").toLowerCase().split(/\s+/)) {
    if (token === "presentation" || token === "none") {
      if (overrulesNone(el) || isFocusable(el)) break;
      return word("none");
    }
    if (token === "image") return word("img");
    if (isRole(token)) return token as Redacted; // Redacted: one of a list, no text of the page
  }
  return (implicitRole(el) || "generic") as Redacted; // Redacted: a role named in this file
}

function implicitRole(el: Element): string {
  switch (el.localName) {
    case "a":
    case "area":
      return el.hasAttribute("href") ? "link" : "generic";
    case "footer":
      return el.parentElement?.closest(SECTIONING) ? "generic" : "contentinfo";
    case "header":
      return el.parentElement?.closest(SECTIONING) ? "generic" : "banner";
    case "form":
      return isNamed(el) ? "form" : "generic";
    case "section":
      return isNamed(el) ? "region" : "generic";
    case "img":
      return el.getAttribute("alt") === "" && !isNamed(el) ? "none" : "img";
    case "input":
      return inputRole(el as HTMLInputElement);
    case "li":
      return closest(el, "ul,ol,menu,[role=list]") ? "listitem" : "generic";
    case "select":
      return (el as HTMLSelectElement).multiple || (el as HTMLSelectElement).size > 1 ? "listbox" : "combobox";
    case "td":
      return closest(el, "[role=grid],[role=treegrid]") ? "gridcell" : "cell";
    case "th":
      return /^row/.test(el.getAttribute("scope") ?? "") || (!el.hasAttribute("scope") && isBesideCells(el))
        ? "rowheader"
        : "columnheader";
  }
  return BY_TAG[el.localName] ?? "generic";
}

function isBesideCells(th: Element): boolean {
  return th.nextElementSibling?.localName === "td" || th.previousElementSibling?.localName === "td";
}

function inputRole(el: HTMLInputElement): string {
  if (/^(text|search|url|tel|email)$/.test(el.type) && el.hasAttribute("list")) return "combobox";
  return el.type === "hidden" ? "" : (ROLES_OF_INPUTS[el.type] ?? "textbox");
}

function isNamed(el: Element): boolean {
  return ["aria-label", "aria-labelledby", "title"].some((a) => el.getAttribute(a)?.trim());
}

function isFocusable(el: Element): boolean {
  if (el.matches("button,select,textarea,input:not([type=hidden])")) return !el.matches(":disabled");
  return (
    el.matches("a[href],area[href],iframe,summary,[tabindex],audio[controls],video[controls]") ||
    (el as HTMLElement).isContentEditable
  );
}

/** Roles that get a name only from an attribute. */
const PLAIN =
  /^(article|banner|complementary|contentinfo|generic|list|listitem|main|navigation|region|rowgroup|separator)$/;

/** The accessible name, white space collapsed; "" for roles that have none. */
export function nameOf(el: Element, role: string = roleOf(el)): Redacted {
  if (role === "none" || isNameless(role) || (PLAIN.test(role) && !isNamed(el))) return word("");
  const name = squash(computeAccessibleName(el, { getComputedStyle: styleOf as typeof getComputedStyle }));
  const isContent = isSecretText(el) && (name === squash(el.textContent ?? "") || /^opt/.test(el.localName));
  return name && isContent ? REDACTED : redact(name);
}

// ---------------------------------------------------------------- states

type Tri = boolean | "mixed";

export function checkedOf(el: Element, role: string): Tri | undefined {
  if (el.localName === "input" && /^(checkbox|radio)$/.test((el as HTMLInputElement).type)) {
    return (el as HTMLInputElement).indeterminate ? "mixed" : (el as HTMLInputElement).checked;
  }
  return /^(checkbox|menuitemcheckbox|menuitemradio|option|radio|switch|treeitem)$/.test(role)
    ? tri(el, "aria-checked")
    : undefined;
}

export function tri(el: Element, attribute: string): Tri | undefined {
  const v = el.getAttribute(attribute);
  return v === "mixed" ? v : v === "true" ? true : v === "false" ? false : undefined;
}

export function selectedOf(el: Element): boolean | undefined {
  if (el.localName === "option") return isSecret(el) ? undefined : (el as HTMLOptionElement).selected;
  return tri(el, "aria-selected") === true ? true : undefined;
}

export function expandedOf(el: Element): boolean | undefined {
  if (el.localName === "details") return (el as HTMLDetailsElement).open;
  const v = tri(el, "aria-expanded");
  return v === "mixed" ? undefined : v;
}

export function levelOf(el: Element, role: string): number | undefined {
  const given = Number(el.getAttribute("aria-level"));
  if (given > 0 && /^(heading|listitem|row|treeitem)$/.test(role)) return given;
  const tag = /^h([1-6])$/.exec(el.localName);
  return role === "heading" ? Number(tag?.[1] ?? 2) : undefined;
}

export function isInvalid(el: Element): boolean {
  const v = el.getAttribute("aria-invalid");
  return v !== null && v !== "" && v !== "false";
}
