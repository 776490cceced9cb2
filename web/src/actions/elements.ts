// The page as a tree of elements with bounds. Refs are positions, "button[0]",
// found anew at each use.

import { Failure } from "./failure";
import { bytesOf, MAX_SNAPSHOT } from "./limit";
import { scrub, valueOf } from "./redact";
import { cut, isElement, squash } from "./tree";
import { boxOf, type Box, focusedIn, isDisabled, referenced, styleOf } from "./view";

export interface Entry {
  ref_id: string;
  role: string;
  name: string | null;
  value: string | null;
  state: string[];
  bounds: Box;
  children?: Entry[];
}

const SKIPPED = /^(iframe|frame|script|style|noscript)$/;
const BY_TAG: Record<string, string> = {
  a: "link", button: "button", select: "combobox", textarea: "textbox", img: "img", nav: "navigation", main: "main", aside: "complementary",
  form: "form", table: "table", li: "listitem", ul: "list", ol: "list", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading",
};
const BY_INPUT_TYPE: Record<string, string> = {
  checkbox: "checkbox", radio: "radio", submit: "button", reset: "button", button: "button", image: "button", range: "slider",
};
const NAMED_BY_TEXT = /^(button|link|heading|listitem|tab|menuitem)$/;
const LONGEST_NAME = 500;

function roleOf(el: Element): string {
  const [given] = (el.getAttribute("role") ?? "").trim().split(/\s+/);
  if (given) return given;
  return el.localName === "input" ? (BY_INPUT_TYPE[(el as HTMLInputElement).type] ?? "textbox") : (BY_TAG[el.localName] ?? "");
}

/** Walks the page; `met` is called for each entry, when its children are done. */
class Walk {
  private readonly numbers = new Map<string, number>();
  left = MAX_SNAPSHOT;

  constructor(private readonly met: (entry: () => Entry, ref: string, el: Element) => Entry | undefined) {}

  children(parent: Element | ShadowRoot): Entry[] {
    return [...parent.childNodes].filter(isElement).flatMap((el) => this.element(el));
  }

  private element(el: Element): Entry[] {
    if (SKIPPED.test(el.localName)) return [];
    const style = styleOf(el);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return [];
    const svg = el.localName === "svg";
    const below = svg ? [] : [...(el.shadowRoot ? this.children(el.shadowRoot) : []), ...this.children(el)];
    const role = roleOf(el);
    const box = boxOf(el);
    if (!role || (box.width === 0 && box.height === 0)) return below;
    const n = this.numbers.get(role) ?? 0;
    this.numbers.set(role, n + 1);
    const ref = `${role}[${n}]`;
    const entry = this.met(() => describe(el, role, ref, box), ref, el);
    if (!entry) return below;
    this.left -= bytesOf(JSON.stringify(entry));
    if (this.left < 0) return below;
    if (below.length) entry.children = below;
    return [entry];
  }
}

function describe(el: Element, role: string, ref_id: string, bounds: Box): Entry {
  return { ref_id, role, name: nameOf(el, role), value: entryValue(el), state: statesOf(el), bounds };
}

function nameOf(el: Element, role: string): string | null {
  const field = el as HTMLInputElement;
  const id = el.getAttribute("id");
  const candidates = [
    () => el.getAttribute("aria-label"),
    () => referenced(el, "aria-labelledby").map((e) => e.textContent ?? "").join(" "),
    () => (id ? (el.getRootNode() as ParentNode).querySelector?.(`label[for="${CSS.escape(id)}"]`)?.textContent : null),
    () => wrapping(el),
    () => el.getAttribute("alt"),
    () => field.getAttribute("placeholder"),
    () => el.getAttribute("title"),
    () => (NAMED_BY_TEXT.test(role) ? (el.shadowRoot ?? el).textContent : null),
  ];
  for (const candidate of candidates) {
    const text = squash(candidate() ?? "");
    if (text) return scrub(el.ownerDocument, cut(text, LONGEST_NAME));
  }
  return null;
}

/** The text of the label around a control, without that of controls. */
function wrapping(el: Element): string | null {
  const label = el.parentElement?.closest("label");
  if (!label) return null;
  const copy = label.cloneNode(true) as Element;
  for (const control of copy.querySelectorAll("input,select,textarea,button")) control.remove();
  return copy.textContent;
}

function entryValue(el: Element): string | null {
  if (/^(input|textarea|select)$/.test(el.localName)) return valueOf(el) || null;
  return el.getAttribute("aria-valuenow");
}

function statesOf(el: Element): string[] {
  const field = el as HTMLInputElement;
  const aria = (name: string): string | null => el.getAttribute(`aria-${name}`);
  const checkable = field.localName === "input" && /^(checkbox|radio)$/.test(field.type);
  const list: [string, boolean | undefined][] = [
    ["focused", focusedIn(document) === el],
    ["disabled", isDisabled(el)],
    ["checked", checkable ? field.checked && !field.indeterminate : aria("checked") === "true"],
    ["mixed", checkable ? field.indeterminate : aria("checked") === "mixed"],
    ["expanded", aria("expanded") === "true" || (el.localName === "details" && (el as HTMLDetailsElement).open)],
    ["collapsed", aria("expanded") === "false"],
    ["selected", el.localName === "option" ? (el as HTMLOptionElement).selected : aria("selected") === "true"],
    ["hidden", aria("hidden") === "true"],
    ["required", field.required === true || aria("required") === "true"],
    ["readonly", field.readOnly === true || aria("readonly") === "true"],
  ];
  return list.filter(([, holds]) => holds).map(([word]) => word);
}

export interface Elements {
  page_title: string;
  page_url: string;
  focused_ref: string | null;
  elements: Entry[];
  truncated: boolean;
}

export function snapshotElements(): Elements {
  const focused = focusedIn(document);
  let focused_ref: string | null = null;
  const walk = new Walk((entry, ref, el) => {
    if (el === focused) focused_ref = ref;
    return entry();
  });
  const elements = document.body ? walk.children(document.body) : [];
  return { page_title: document.title, page_url: location.href, focused_ref, elements, truncated: walk.left < 0 };
}

/** The element at a position of the page as it is now. */
export function findByPosition(wanted: string): Element[] {
  if (!/^[\w-]+\[\d+\]$/.test(wanted)) throw new Failure("InvalidArgument", `bad request: ${wanted} is no ref, which look like button[0]`);
  let found: Element | undefined;
  const walk = new Walk((_entry, ref, el) => {
    if (ref === wanted) found = el;
    return undefined;
  });
  if (document.body) walk.children(document.body);
  return found ? [found] : [];
}
