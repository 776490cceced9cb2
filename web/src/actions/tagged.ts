// The page as tagged lines. The ids are in the page as attributes data-rp-id, unless the caller may only read:
//
//     [a1 h1] Pricing
//     [a3 input email] placeholder="work email"

import { flatChildren } from "../agent/accessibility/boxes";
import { pathOf } from "../flattree";
import type { TaggedArgs, TaggedResult } from "../wire/verbs";
import { Lines } from "./limit";
import {
  address,
  attributeOf,
  join,
  REDACTED,
  say,
  redact,
  redactText,
  title,
  type Redacted,
  type RedactedIn,
  valueOf,
  word,
} from "./redact";
import { isID, numberAfter, Refs } from "./refs";
import { isSecret } from "./secrets";
import { cut, elements, inAllRoots, isElement, isText, SILENT, squash } from "./tree";
import { isDisabled, isVisible, meetsViewport } from "./view";

const ATTRIBUTE = "data-rp-id";

const INTERACTIVE = "a[href],button,input:not([type=hidden]),select,textarea,summary,[onclick]";
const INTERACTIVE_ROLES =
  /^(button|checkbox|combobox|link|listbox|menuitem|menuitemcheckbox|menuitemradio|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/;
const TEXTUAL = "h1,h2,h3,h4,h5,h6,p,li,td,th,dt,dd,label,legend,figcaption,blockquote,pre";
const LONGEST_TEXT = 200;
const MOST_OPTIONS = 20;

export function snapshotTagged(o: TaggedArgs): RedactedIn<TaggedResult> {
  const lines = new Lines(word("[cut: the snapshot is longer than 1 MiB]"));
  const ids = new Ids(o.reads);
  const most = o.maxElements ?? 500;
  let count = 0;
  const listed = new Set<Element>();
  for (const el of document.body ? elements(document.body, (e) => SILENT.has(e.localName)) : []) {
    if (!isListed(el, listed)) continue;
    listed.add(el);
    const visible = isVisible(el);
    if ((!visible && !o.includeHidden) || (o.viewportOnly && !meetsViewport(el)) || isEmpty(el)) continue;
    if (count >= most) lines.cut(say`[cut: the page has more than ${most} elements]`);
    else if (lines.add(lineOf(el, ids.of(el), !visible))) count++;
    if (lines.truncated) break;
  }
  return { markdown: lines.text(), url: address(), title: title(), elementCount: count, truncated: lines.truncated };
}

function isInteractive(el: Element): boolean {
  const index = el.getAttribute("tabindex");
  return (
    el.matches(INTERACTIVE) ||
    (index !== null && Number(index) >= 0) ||
    INTERACTIVE_ROLES.test(el.getAttribute("role") ?? "") ||
    (el.hasAttribute("contenteditable") && (el as HTMLElement).isContentEditable)
  );
}

function isListed(el: Element, listed: Set<Element>): boolean {
  if (el.localName === "iframe" || isInteractive(el) || el.matches(TEXTUAL)) return !isOptionLike(el);
  if (isOptionLike(el) || !flatChildren(el).some((c) => isText(c) && squash(c.data))) return false;
  return !pathOf(el).some((e) => listed.has(e));
}

/** Whether an element is listed only for its text, and has no text of its own. */
function isEmpty(el: Element): boolean {
  return el.localName !== "iframe" && !isInteractive(el) && bodyOf(el).every((word) => !word);
}

function isOptionLike(el: Element): boolean {
  return el.localName === "option" || el.localName === "optgroup";
}

/** Ids that are not in the page, for callers that may only read: "r-3". No attribute is taken for one. */
const unwritten = new Refs(word("r-"));

/** The element with an id that is not in the page. */
export function findUnwritten(id: string): Element | undefined {
  return unwritten.find(id);
}

/**
 * The number of an id that the hub has given in this document. An attribute that the page has copied from another
 * document, or made up, names no element.
 */
function numberOf(id: string | null): number | undefined {
  const n = Number(/^a(\d{1,15})$/.exec(id ?? "")?.[1] ?? 0);
  return isID(n) ? n : undefined;
}

/** The elements with an id that is in the page. */
export function findWritten(id: string): Element[] {
  return numberOf(id) ? inAllRoots((root) => root.querySelectorAll(`[${ATTRIBUTE}="${id}"]`)) : [];
}

/** Assigns each id to one element only: a page may copy an element with its id. */
class Ids {
  private readonly owners = new Map<number, Element>();
  private last = 0;

  constructor(private readonly reads: boolean | undefined) {
    for (const el of elements(document.documentElement)) {
      const n = numberOf(el.getAttribute(ATTRIBUTE));
      if (n && !this.owners.has(n)) this.owners.set(n, el);
    }
  }

  of(el: Element): Redacted {
    let n = numberOf(el.getAttribute(ATTRIBUTE));
    if (!n || this.owners.get(n) !== el) {
      if (this.reads) return unwritten.of(el);
      n = this.last = numberAfter(this.last);
      this.owners.set(n, el);
      el.setAttribute(ATTRIBUTE, `a${n}`);
    }
    return say`a${n}`;
  }
}

/** The id of one element, which gets one if it has none. */
export function tag(el: Element, reads: boolean | undefined): Redacted {
  return new Ids(reads).of(el);
}

// ---------------------------------------------------------------- lines

function lineOf(el: Element, id: Redacted, hidden: boolean): Redacted {
  const words = [headOf(el, id), ...bodyOf(el)];
  if (isDisabled(el) && /^(button|input|select|textarea|fieldset)$/.test(el.localName)) words.push(word("disabled"));
  if (hidden) words.push(word("hidden"));
  return join(words.filter(Boolean), " ");
}

function headOf(el: Element, id: Redacted): Redacted {
  const kind = [id];
  if (el.localName === "a" && el.hasAttribute("href"))
    kind.push(word("link"), cut(attributeOf(el, "href")!, LONGEST_TEXT));
  else if (el.localName === "input")
    kind.push(word("input"), redact((el as HTMLInputElement).type), attributeOf(el, "role") ?? word(""));
  else kind.push(redact(el.localName), attributeOf(el, "role") ?? word(""));
  return say`[${join(kind.filter(Boolean), " ")}]`;
}

function bodyOf(el: Element): Redacted[] {
  switch (el.localName) {
    case "input":
      return inputOf(el as HTMLInputElement);
    case "textarea":
      return [pair(word("placeholder"), attributeOf(el, "placeholder")), pair(word("value"), valueOf(el))];
    case "select":
      return selectOf(el as HTMLSelectElement);
    case "iframe":
      return [say`src=${cut(attributeOf(el, "src") ?? word(""), LONGEST_TEXT)}`];
  }
  return [cut(redactText(el, squash(ownText(el))), LONGEST_TEXT, "…")];
}

function pair(name: Redacted, value: Redacted | null): Redacted {
  return value
    ? say`${name}="${cut(squash(value), LONGEST_TEXT, "…").replace(/[\\"]/g, "\\$&") as Redacted}"`
    : word("");
}

function inputOf(el: HTMLInputElement): Redacted[] {
  if (el.type === "checkbox" || el.type === "radio") {
    return [pair(word("value"), el.hasAttribute("value") ? valueOf(el) : null), word(el.checked ? "checked" : "")];
  }
  return [pair(word("placeholder"), attributeOf(el, "placeholder")), pair(word("value"), valueOf(el))];
}

function selectOf(el: HTMLSelectElement): Redacted[] {
  if (isSecret(el))
    return [pair(word("value"), valueOf(el)), pair(word("options"), el.options.length ? REDACTED : null)];
  const labels = (list: Iterable<HTMLOptionElement>): Redacted =>
    redact([...list].map((o) => squash(o.label)).join("|"));
  return [
    pair(word("value"), labels(el.selectedOptions)),
    pair(word("options"), labels([...el.options].slice(0, MOST_OPTIONS))),
  ];
}

/** The text of an element without that of listed elements inside it. */
function ownText(el: Element): string {
  let text = "";
  for (const node of flatChildren(el)) {
    if (isText(node)) text += node.data;
    else if (
      isElement(node) &&
      !SILENT.has(node.localName) &&
      node.localName !== "iframe" &&
      !isInteractive(node) &&
      !node.matches(TEXTUAL) &&
      isVisible(node)
    ) {
      text += node.localName === "br" ? " " : ownText(node);
    }
  }
  return text;
}
