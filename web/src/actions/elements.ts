// The page as a tree of elements with bounds. A ref such as "button[0]" is a position, and the element is searched
// again at each use.

import { byWord } from "../agent/accessibility/htmlroles";
import { styleOf } from "../flattree";
import { stringify } from "../stringify";
import type { ElementEntry, ElementsResult, Query } from "../wire/verbs";
import { selectedOf } from "./aria";
import { Failure } from "./failure";
import { bytesOf, MAX_SNAPSHOT } from "./limit";
import {
  address,
  attributeOf,
  say,
  redact,
  redactText,
  title,
  type Redacted,
  type RedactedIn,
  valueOf,
  word,
} from "./redact";
import { isSecretText } from "./secrets";
import { cut, isElement, isText, squash } from "./tree";
import { stale } from "./refs";
import { boxOf, type Box, focusedIn, isDisabled, referenced } from "./view";

type Entry = RedactedIn<ElementEntry>;

const SKIPPED = /^(iframe|frame|script|style|noscript)$/;
const BY_TAG = byWord({
  button: "button",
  combobox: "select",
  complementary: "aside",
  form: "form",
  heading: "h1 h2 h3 h4 h5 h6",
  img: "img",
  link: "a",
  list: "ul ol",
  listitem: "li",
  main: "main",
  navigation: "nav",
  table: "table",
  textbox: "textarea",
});
const BY_INPUT_TYPE = byWord({
  button: "button image reset submit",
  checkbox: "checkbox",
  radio: "radio",
  slider: "range",
});
const NAMED_BY_TEXT = /^(button|link|heading|listitem|tab|menuitem)$/;
const LONGEST_NAME = 500;

function roleOf(el: Element): Redacted {
  const [given] = (el.getAttribute("role") ?? "").trim().split(/\s+/);
  if (given) return redact(given);
  const own =
    el.localName === "input"
      ? (BY_INPUT_TYPE[(el as HTMLInputElement).type] ?? "textbox")
      : (BY_TAG[el.localName] ?? "");
  return own as Redacted; // Redacted: one of the lists above
}

/** Walks the page. `met` is called for each element with an entry, after its children. */
class Walk {
  private readonly numbers = new Map<string, number>();
  left = MAX_SNAPSHOT;

  constructor(private readonly met: (entry: () => Entry, ref: Redacted, el: Element) => Entry | undefined) {}

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
    const ref = say`${role}[${n}]`;
    const entry = this.met(() => describe(el, role, ref, box), ref, el);
    if (!entry) return below;
    this.left -= bytesOf(stringify(entry));
    if (this.left < 0) return below;
    if (below.length) entry.children = below;
    return [entry];
  }
}

function describe(el: Element, role: Redacted, ref_id: Redacted, bounds: Box): Entry {
  return { ref_id, role, name: nameOf(el, role), value: entryValue(el), state: statesOf(el), bounds };
}

function nameOf(el: Element, role: string): Redacted | null {
  const id = el.getAttribute("id");
  const candidates = [
    () => attributeOf(el, "aria-label"),
    () =>
      redact(
        referenced(el, "aria-labelledby")
          .map((e) => redactText(e, e.textContent ?? ""))
          .join(" "),
      ),
    () =>
      id
        ? redact((el.getRootNode() as ParentNode).querySelector?.(`label[for="${CSS.escape(id)}"]`)?.textContent ?? "")
        : null,
    () => redact(wrapping(el) ?? ""),
    () => attributeOf(el, "alt"),
    () => attributeOf(el, "placeholder"),
    () => attributeOf(el, "title"),
    () => (NAMED_BY_TEXT.test(role) ? redactText(el, textIn(el.shadowRoot ?? el)) : null),
  ];
  for (const candidate of candidates) {
    const text = squash(candidate() ?? word(""));
    if (text) return cut(text, LONGEST_NAME);
  }
  return null;
}

/** The text of a tree without secret elements in it. */
function textIn(root: Element | ShadowRoot): string {
  let text = "";
  for (const node of root.childNodes) {
    if (isText(node)) text += node.data;
    else if (isElement(node)) text += isSecretText(node) ? "" : textIn(node);
  }
  return text;
}

/** The text of the label around a control, without the text of controls. */
function wrapping(el: Element): string | null {
  const label = el.parentElement?.closest("label");
  if (!label) return null;
  const copy = label.cloneNode(true) as Element;
  for (const control of copy.querySelectorAll("input,select,textarea,button")) control.remove();
  return copy.textContent;
}

function entryValue(el: Element): Redacted | null {
  if (/^(input|textarea|select)$/.test(el.localName)) return valueOf(el) || null;
  return attributeOf(el, "aria-valuenow");
}

function statesOf(el: Element): Redacted[] {
  const field = el as HTMLInputElement;
  const aria = (name: string): string | null => el.getAttribute(`aria-${name}`);
  const checkable = field.localName === "input" && /^(checkbox|radio)$/.test(field.type);
  const list: [Redacted, boolean | undefined][] = [
    [word("focused"), focusedIn(document) === el],
    [word("disabled"), isDisabled(el)],
    [word("checked"), checkable ? field.checked && !field.indeterminate : aria("checked") === "true"],
    [word("mixed"), checkable ? field.indeterminate : aria("checked") === "mixed"],
    [word("expanded"), aria("expanded") === "true" || (el.localName === "details" && (el as HTMLDetailsElement).open)],
    [word("collapsed"), aria("expanded") === "false"],
    [word("selected"), el.localName === "option" ? selectedOf(el) : aria("selected") === "true"],
    [word("hidden"), aria("hidden") === "true"],
    [word("required"), field.required === true || aria("required") === "true"],
    [word("readonly"), field.readOnly === true || aria("readonly") === "true"],
  ];
  return list.filter(([, holds]) => holds).map(([word]) => word);
}

export function snapshotElements(): RedactedIn<ElementsResult> {
  const focused = focusedIn(document);
  let focused_ref: Redacted | null = null;
  const elementsNow = new Map<string, WeakRef<Element>>();
  const walk = new Walk((entry, ref, el) => {
    if (el === focused) focused_ref = ref;
    elementsNow.set(ref, new WeakRef(el));
    return entry();
  });
  const elements = document.body ? walk.children(document.body) : [];
  given = elementsNow;
  return { page_title: title(), page_url: address(), focused_ref, elements, truncated: walk.left < 0 };
}

/** The elements of the latest snapshot; undefined before the first one of this document. */
let given: Map<string, WeakRef<Element>> | undefined;

/**
 * The element that had this position in the latest snapshot. A caller that has not taken one, here or in another
 * document, means the page as it is now.
 */
export function findByPosition(wanted: string, taken: Query["taken"]): Element[] {
  if (!/^[\w-]+\[\d+\]$/.test(wanted))
    throw new Failure("InvalidArgument", `bad request: ${wanted} is no ref, which look like button[0]`);
  if (taken === "never") return [];
  if (taken) {
    if (!given) throw stale(wanted); // of another document
    const known = given.get(wanted);
    if (!known) return [];
    const el = known.deref();
    if (!el?.isConnected) throw stale(wanted);
    return [el];
  }
  let found: Element | undefined;
  const walk = new Walk((_entry, ref, el) => {
    if (ref === wanted) found = el;
    return undefined;
  });
  if (document.body) walk.children(document.body);
  return found ? [found] : [];
}
