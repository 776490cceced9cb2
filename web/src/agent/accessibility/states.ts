// The properties of an object: the widget attributes, states and relations
// that Chromium lists, with its value types.

import type { Protocol } from "../../cdp";
import { isDrawn } from "../dom/geometry";
import { isDisabled, isEditingHost, isFocusable, isFocused } from "./focus";
import { ancestor, type Item, property } from "./item";
import { nameOf, references } from "./names";
import { isExpandable } from "./ariaroles";
import { ariaNumber, RANGES } from "./values";

/** Returns the protocol's id of a node. */
export type IdOf = (node: Node) => number;

const ORIENTED: Record<string, string> = {
  listbox: "vertical",
  menu: "vertical",
  menubar: "horizontal",
  scrollbar: "vertical",
  separator: "horizontal",
  slider: "horizontal",
  tablist: "horizontal",
  toolbar: "horizontal",
  tree: "vertical",
};
const LIVE: Record<string, [live: string, atomic: boolean]> = {
  alert: ["assertive", true],
  log: ["polite", false],
  status: ["polite", true],
};
const MULTISELECTABLE = /^(grid|listbox|tablist|tree|treegrid)$/;
const READONLY = /^(columnheader|grid|gridcell|rowheader|textbox|treegrid)$/;
const REQUIRED = /^(columnheader|combobox|gridcell|listbox|radiogroup|rowheader|spinbutton|textbox|tree|treegrid)$/;
const CHECKABLE = /^(checkbox|menuitemcheckbox|menuitemradio|option|radio|switch)$/;
const ALWAYS_CHECKABLE = /^(checkbox|menuitemcheckbox|menuitemradio|radio|switch)$/;
const SELECTABLE = /^(columnheader|gridcell|option|row|rowheader|tab|treeitem)$/;
const SETTABLE = /^(ColorWell|Date|DateTime|InputTime|scrollbar|searchbox|separator|slider|spinbutton|textbox)$/;
const TEXT_FIELDS = /^(text|email|tel|url|password|search|number)$/;

/** Collects the properties of one object. */
class Properties {
  readonly list: Protocol.Accessibility.AXProperty[] = [];

  add(name: Protocol.Accessibility.AXPropertyName, type: Protocol.Accessibility.AXValue["type"], value: unknown): void {
    if (value !== undefined) this.list.push(property(name, type, value));
  }

  relate(
    name: Protocol.Accessibility.AXPropertyName,
    type: Protocol.Accessibility.AXValue["type"],
    value: Partial<Protocol.Accessibility.AXValue>,
  ): void {
    this.list.push({ name, value: { type, ...value } });
  }
}

/** The properties of an object, in no order that matters. */
export function propertiesOf(item: Item, idOf: IdOf): Protocol.Accessibility.AXProperty[] {
  const p = new Properties();
  if (item.properties) return item.properties;
  if (item.node?.nodeType === Node.DOCUMENT_NODE) {
    p.add("focusable", "booleanOrUndefined", true);
    if ((item.node as Document).hasFocus()) p.add("focused", "booleanOrUndefined", true);
    p.add("url", "string", (item.node as Document).URL);
  } else if (item.el) {
    addGlobals(p, item, item.el);
    addEditing(p, item, item.el);
    addWidget(p, item, item.el);
    addStates(p, item, item.el);
    addRelations(p, item, item.el, idOf);
  } else {
    p.add("editable", "token", item.editable ?? editableAround(item));
  }
  return p.list;
}

/** aria-… attributes as true, false or missing. */
function flag(el: Element, attribute: string): boolean | undefined {
  const v = el.getAttribute(attribute);
  return v === "true" ? true : v === "false" ? false : undefined;
}

function addGlobals(p: Properties, item: Item, el: Element): void {
  if (flag(el, "aria-busy")) p.add("busy", "boolean", 1);
  if (isDisabled(el) || flag(el, "aria-disabled")) p.add("disabled", "boolean", true);
  const live = el.getAttribute("aria-live") ?? LIVE[item.role]?.[0];
  if (live === "polite" || live === "assertive") {
    p.add("live", "token", live);
    p.add("atomic", "boolean", flag(el, "aria-atomic") ?? LIVE[item.role]?.[1] ?? false);
    p.add("relevant", "tokenList", el.getAttribute("aria-relevant") ?? "additions text");
  }
  p.add("invalid", "token", invalid(el));
  if (takesFocus(el)) p.add("focusable", "booleanOrUndefined", true);
  if (isFocused(el)) p.add("focused", "booleanOrUndefined", true);
  const key = el.getAttribute("accesskey");
  p.add("keyshortcuts", "string", el.getAttribute("aria-keyshortcuts") ?? (key ? `Alt+${key}` : undefined));
  p.add("roledescription", "string", el.getAttribute("aria-roledescription") ?? undefined);
  p.add("url", "string", urlOf(item, el));
}

/** Options are focusable if they are in a select, in whatever state that is. */
function takesFocus(el: Element): boolean {
  if (el.localName !== "option") return isFocusable(el);
  return !!el.closest("select") && !el.hasAttribute("disabled") && !el.closest("optgroup")?.hasAttribute("disabled");
}

function invalid(el: Element): string | undefined {
  const given = el.getAttribute("aria-invalid");
  if (given) return given;
  const control = el as HTMLInputElement;
  if (typeof control.validity !== "object" || control.type === "hidden") return undefined;
  const pristine =
    (control.localName === "textarea" || TEXT_FIELDS.test(control.type)) &&
    control.value === "" &&
    !control.validity.badInput;
  return pristine || control.matches(":disabled") || control.validity.valid ? "false" : "true";
}

function urlOf(item: Item, el: Element): string | undefined {
  if (item.role === "link" && (el.localName === "a" || el.localName === "area")) {
    const { href } = el as HTMLAnchorElement | SVGAElement;
    return typeof href === "string" ? href || undefined : new URL(href.baseVal, el.baseURI).href;
  }
  if (el.localName === "img") return (el as HTMLImageElement).currentSrc || (el as HTMLImageElement).src || undefined;
  return el.localName === "input" && (el as HTMLInputElement).type === "image"
    ? (el as HTMLInputElement).src || undefined
    : undefined;
}

// ---------------------------------------------------------------- text

function addEditing(p: Properties, item: Item, el: Element): void {
  const field =
    el.localName === "textarea" || (el.localName === "input" && TEXT_FIELDS.test((el as HTMLInputElement).type));
  p.add("editable", "token", field ? "plaintext" : editableAround(item));
  if (isSettable(item, el, field)) p.add("settable", "booleanOrUndefined", true);
  if (item.role !== "textbox") return;
  p.add(
    "multiline",
    "boolean",
    el.localName === "textarea" || (flag(el, "aria-multiline") ?? (!field && isEditingHost(el))),
  );
}

function isSettable(item: Item, el: Element, field: boolean): boolean {
  if (isDisabled(el) || flag(el, "aria-disabled") || flag(el, "aria-readonly")) return false;
  if (field) return !(el as HTMLInputElement).readOnly;
  return SETTABLE.test(item.role);
}

/** How the text around an object can be edited. */
function editableAround(item: Item): "plaintext" | "richtext" | undefined {
  const el = ancestor(item, (i) => i.el !== undefined)?.el as HTMLElement | undefined;
  if (!el?.isContentEditable) return undefined;
  const host = el.closest('[contenteditable="plaintext-only"], [contenteditable=""], [contenteditable="true"]');
  return host?.getAttribute("contenteditable") === "plaintext-only" ? "plaintext" : "richtext";
}

// ---------------------------------------------------------------- widgets

function addWidget(p: Properties, item: Item, el: Element): void {
  const role = item.role;
  p.add("autocomplete", "token", autocomplete(el));
  p.add("hasPopup", "token", popup(item, el));
  p.add("level", "integer", level(item, el));
  if (MULTISELECTABLE.test(role)) {
    p.add(
      "multiselectable",
      "boolean",
      flag(el, "aria-multiselectable") ?? (el as HTMLSelectElement).multiple === true,
    );
  }
  if (ORIENTED[role]) p.add("orientation", "token", el.getAttribute("aria-orientation") ?? ORIENTED[role]);
  if (READONLY.test(role))
    p.add("readonly", "boolean", flag(el, "aria-readonly") ?? (el as HTMLInputElement).readOnly === true);
  if (REQUIRED.test(role) && !(role === "combobox" && el.localName === "select")) {
    p.add("required", "boolean", flag(el, "aria-required") ?? (el as HTMLInputElement).required === true);
  }
  addRange(p, item, el);
}

function autocomplete(el: Element): string | undefined {
  const given = el.getAttribute("aria-autocomplete");
  if (given && given !== "none") return given;
  return el.localName === "input" && el.hasAttribute("list") ? "list" : undefined;
}

function popup(item: Item, el: Element): string | undefined {
  const given = el.getAttribute("aria-haspopup");
  if (given) return given === "false" ? undefined : given === "true" ? "menu" : given;
  if (item.role !== "combobox") return undefined;
  return el.localName === "select" ? "menu" : "listbox";
}

function level(item: Item, el: Element): number | undefined {
  const given = ariaNumber(el, "aria-level");
  if (given && given > 0 && /^(heading|listitem|row|treeitem)$/.test(item.role)) return given;
  if (item.role === "heading") return Number(/^h([1-6])$/.exec(el.localName)?.[1] ?? 2);
  if (item.role === "listitem") return depth(item, "list") || 1;
  return item.role === "treeitem" ? depth(item, "group") + 1 : undefined;
}

function depth(item: Item, role: string): number {
  let n = 0;
  for (let i = item.parent; i && i.role !== "tree"; i = i.parent) if (i.role === role && !i.ignored) n++;
  return n;
}

function addRange(p: Properties, item: Item, el: Element): void {
  if (!RANGES.test(item.role) || (item.role === "separator" && !isFocusable(el))) return;
  const native = el as HTMLInputElement & HTMLMeterElement;
  const input = el.localName === "input";
  const spin = item.role === "spinbutton";
  const bound = (attribute: string, native: unknown, fallback: number) =>
    ariaNumber(el, `aria-value${attribute}`) ?? (native === undefined || native === "" ? fallback : Number(native));
  const top = el.localName === "progress" || el.localName === "meter" ? 1 : spin ? 0 : 100;
  p.add("valuemin", "number", bound("min", native.min, 0));
  p.add("valuemax", "number", bound("max", native.max, top));
  p.add("valuetext", "string", input ? native.value : "");
}

// ---------------------------------------------------------------- states

function addStates(p: Properties, item: Item, el: Element): void {
  const role = item.role;
  p.add("checked", "tristate", checked(item, el));
  p.add("expanded", "booleanOrUndefined", expanded(item, el));
  if (role === "button") {
    const pressed = el.getAttribute("aria-pressed");
    p.add("pressed", "tristate", pressed && /^(true|false|mixed)$/.test(pressed) ? pressed : undefined);
  }
  p.add("selected", "booleanOrUndefined", selected(item, el));
  if (role === "dialog" || role === "alertdialog")
    p.add("modal", "boolean", flag(el, "aria-modal") ?? el.matches("dialog:modal"));
}

function checked(item: Item, el: Element): string | undefined {
  if (!CHECKABLE.test(item.role)) return undefined;
  const input = el as HTMLInputElement;
  if (el.localName === "input")
    return input.indeterminate && input.type === "checkbox" ? "mixed" : String(input.checked);
  const given = el.getAttribute("aria-checked");
  if (given === "true" || given === "mixed") return given;
  return given === "false" || ALWAYS_CHECKABLE.test(item.role) ? "false" : undefined;
}

function expanded(item: Item, el: Element): boolean | undefined {
  if (item.role.startsWith("DisclosureTriangle")) return (el.parentElement as HTMLDetailsElement).open;
  if (item.role === "combobox" && el.localName === "select") return false;
  return isExpandable(item.role) ? flag(el, "aria-expanded") : undefined;
}

function selected(item: Item, el: Element): boolean | undefined {
  if (!SELECTABLE.test(item.role)) return undefined;
  if (el.localName === "option")
    return el.hasAttribute("disabled") || isDisabled(el) || isDisabled(el.closest("select") ?? el)
      ? undefined
      : (el as HTMLOptionElement).selected;
  const given = flag(el, "aria-selected");
  if (given !== undefined || item.role !== "option" || flag(el, "aria-disabled")) return given;
  const list = ancestor(item, (i) => i.role === "listbox");
  return list && flag(list.el!, "aria-multiselectable") ? undefined : false;
}

// ---------------------------------------------------------------- relations

const RELATIONS: [property: Protocol.Accessibility.AXPropertyName, attribute: string][] = [
  ["controls", "aria-controls"],
  ["describedby", "aria-describedby"],
  ["details", "aria-details"],
  ["errormessage", "aria-errormessage"],
  ["flowto", "aria-flowto"],
  ["owns", "aria-owns"],
];

function addRelations(p: Properties, item: Item, el: Element, idOf: IdOf): void {
  const related = (found: Element[]) => found.map((e) => ({ backendDOMNodeId: idOf(e), ...(e.id && { idref: e.id }) }));
  const active = references(el, "aria-activedescendant");
  const chosen = item.role === "listbox" && (el as HTMLSelectElement).selectedOptions?.[0];
  if (active) p.relate("activedescendant", "idref", { relatedNodes: related(active.slice(0, 1)) });
  else if (chosen) p.relate("activedescendant", "idref", { relatedNodes: related([chosen]) });
  for (const [name, attribute] of RELATIONS) {
    if (!el.hasAttribute(attribute)) continue;
    const found = references(el, attribute)?.filter((e) => name !== "controls" || isDrawn(e));
    if (found?.length)
      p.relate(name, "idrefList", { value: el.getAttribute(attribute)!, relatedNodes: related(found) });
  }
  const labels = references(el, "aria-labelledby") ?? nativeLabels(item, el);
  if (labels.length > 0) p.relate("labelledby", "nodeList", { relatedNodes: related(labels) });
}

function nativeLabels(item: Item, el: Element): Element[] {
  if (nameOf(item) === "" || el.hasAttribute("aria-label")) return [];
  const labels = (el as HTMLInputElement).labels;
  if (labels?.length) return Array.from(labels);
  const child = el.localName === "fieldset" ? "legend" : el.localName === "table" ? "caption" : "";
  const found = child && el.querySelector(`:scope > ${child}`);
  return found ? [found] : [];
}
