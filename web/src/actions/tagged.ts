// The page as tagged lines, whose ids stand in the page as data-rp-id:
//
//   [a1 h1] Pricing
//   [a3 input email] placeholder="work email"

import { Lines } from "./limit";
import { scrub, valueOf } from "./redact";
import { childrenOf, cut, elements, isElement, isText, SILENT, squash } from "./tree";
import { isDisabled, isVisible, meetsViewport } from "./view";

const ATTRIBUTE = "data-rp-id";

export interface TaggedOptions {
  includeHidden?: boolean;
  maxElements?: number;
  viewportOnly?: boolean;
}

export interface Tagged {
  markdown: string;
  url: string;
  title: string;
  elementCount: number;
  truncated: boolean;
}

const INTERACTIVE = "a[href],button,input:not([type=hidden]),select,textarea,summary,[onclick]";
const INTERACTIVE_ROLES = /^(button|checkbox|combobox|link|listbox|menuitem|menuitemcheckbox|menuitemradio|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/;
const TEXTUAL = "h1,h2,h3,h4,h5,h6,p,li,td,th,dt,dd,label,legend,figcaption,blockquote,pre";
const LONGEST_TEXT = 200;
const MOST_OPTIONS = 20;

export function snapshotTagged(o: TaggedOptions): Tagged {
  const lines = new Lines("[cut: the snapshot is longer than 1 MiB]");
  const ids = new Ids();
  const most = o.maxElements ?? 500;
  let count = 0;
  const listed = new Set<Element>();
  for (const el of document.body ? elements(document.body, (e) => SILENT.has(e.localName)) : []) {
    if (!isListed(el, listed)) continue;
    listed.add(el);
    const visible = isVisible(el);
    if ((!visible && !o.includeHidden) || (o.viewportOnly && !meetsViewport(el)) || isEmpty(el)) continue;
    if (count >= most) lines.cut(`[cut: the page has more than ${most} elements]`);
    else if (lines.add(lineOf(el, ids.of(el), !visible))) count++;
    if (lines.truncated) break;
  }
  return { markdown: lines.text(), url: location.href, title: document.title, elementCount: count, truncated: lines.truncated };
}

function isInteractive(el: Element): boolean {
  const index = el.getAttribute("tabindex");
  return (
    el.matches(INTERACTIVE) || (index !== null && Number(index) >= 0) || INTERACTIVE_ROLES.test(el.getAttribute("role") ?? "") ||
    (el.hasAttribute("contenteditable") && (el as HTMLElement).isContentEditable)
  );
}

function isListed(el: Element, listed: Set<Element>): boolean {
  if (el.localName === "iframe" || isInteractive(el) || el.matches(TEXTUAL)) return !isOptionLike(el);
  if (isOptionLike(el) || ![...childrenOf(el)].some((c) => isText(c) && squash(c.data))) return false;
  for (let e = parentIn(el); e; e = parentIn(e)) if (listed.has(e)) return false;
  return true;
}

/** What is there for its text alone, and has none but that of others in the list. */
function isEmpty(el: Element): boolean {
  return el.localName !== "iframe" && !isInteractive(el) && bodyOf(el).every((word) => !word);
}

function isOptionLike(el: Element): boolean {
  return el.localName === "option" || el.localName === "optgroup";
}

function parentIn(el: Element): Element | null {
  return el.assignedSlot ?? el.parentElement ?? ((el.getRootNode() as ShadowRoot).host as Element | undefined) ?? null;
}

/** Hands out ids, each to one element. */
class Ids {
  private readonly given = new Set<string>();
  private static last = 0;

  constructor() {
    for (const el of elements(document.documentElement)) {
      const n = /^a(\d{1,9})$/.exec(el.getAttribute(ATTRIBUTE) ?? "");
      if (n) Ids.last = Math.max(Ids.last, Number(n[1]));
    }
  }

  of(el: Element): string {
    let id = el.getAttribute(ATTRIBUTE) ?? "";
    if (!/^[A-Za-z0-9]+$/.test(id) || this.given.has(id)) {
      id = `a${++Ids.last}`;
      el.setAttribute(ATTRIBUTE, id);
    }
    this.given.add(id);
    return id;
  }
}

/** The id of one element, which gets one if it has none. */
export function tag(el: Element): string {
  return new Ids().of(el);
}

// ---------------------------------------------------------------- lines

function lineOf(el: Element, id: string, hidden: boolean): string {
  const words = [headOf(el, id), ...bodyOf(el)];
  if (isDisabled(el) && /^(button|input|select|textarea|fieldset)$/.test(el.localName)) words.push("disabled");
  if (hidden) words.push("hidden");
  return words.filter(Boolean).join(" ");
}

function headOf(el: Element, id: string): string {
  const role = el.getAttribute("role");
  switch (el.localName) {
    case "a": if (el.hasAttribute("href")) return `[${id} link ${cut(el.getAttribute("href") ?? "", LONGEST_TEXT)}]`; break;
    case "input": return `[${id} input ${(el as HTMLInputElement).type}${role ? ` ${role}` : ""}]`;
  }
  return `[${id} ${el.localName}${role ? ` ${role}` : ""}]`;
}

function bodyOf(el: Element): string[] {
  switch (el.localName) {
    case "input": return inputOf(el as HTMLInputElement);
    case "textarea": return [attribute("placeholder", el.getAttribute("placeholder")), attribute("value", valueOf(el))];
    case "select": return selectOf(el as HTMLSelectElement);
    case "iframe": return [`src=${cut(el.getAttribute("src") ?? "", LONGEST_TEXT)}`];
  }
  return [cut(scrub(document, squash(ownText(el))), LONGEST_TEXT, "…")];
}

function attribute(name: string, value: string | null): string {
  return value ? `${name}="${cut(squash(value), LONGEST_TEXT, "…").replace(/[\\"]/g, "\\$&")}"` : "";
}

function inputOf(el: HTMLInputElement): string[] {
  if (el.type === "checkbox" || el.type === "radio") {
    return [attribute("value", el.hasAttribute("value") ? valueOf(el) : ""), el.checked ? "checked" : ""];
  }
  return [attribute("placeholder", el.getAttribute("placeholder")), attribute("value", valueOf(el))];
}

function selectOf(el: HTMLSelectElement): string[] {
  const labels = [...el.options].slice(0, MOST_OPTIONS).map((o) => squash(o.label));
  const secret = valueOf(el);
  const chosen = [...el.selectedOptions].map((o) => squash(o.label)).join("|");
  return [attribute("value", secret === el.value ? chosen : secret), attribute("options", labels.join("|"))];
}

/** The text of an element without that of listed ones inside of it. */
function ownText(el: Element): string {
  let text = "";
  for (const node of childrenOf(el)) {
    if (isText(node)) text += node.data;
    else if (isElement(node) && !SILENT.has(node.localName) && node.localName !== "iframe" && !isInteractive(node) && !node.matches(TEXTUAL) && isVisible(node)) {
      text += node.localName === "br" ? " " : ownText(node);
    }
  }
  return text;
}
