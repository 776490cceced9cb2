// Finds the elements of a locator.

import type { Query } from "../wire/verbs";
import { nameOf, roleOf } from "./aria";
import { findByPosition } from "./elements";
import { Failure } from "./failure";
import { findObserved } from "./observed";
import { attributeOf, copyOf, REDACTED, redact, redactText, valueOf } from "./redact";
import { findYAML, handles, stale } from "./refs";
import { isSecretText } from "./secrets";
import { findUnwritten, findWritten } from "./tagged";
import { elements, inAllRoots, isText, SILENT, squash } from "./tree";
import { hitAt, isHidden } from "./view";
type Finder = (q: Required<Pick<Query, "value">> & Query) => Element[];

const finders: Record<string, Finder> = {
  css: ({ value, live }) => {
    if (live) return inAllRoots((root) => select(root, value));
    needStatic(value);
    return inAllRoots((root) => copyOf(root).of(select(copyOf(root).root, value)));
  },
  xpath: ({ value, live }) =>
    live ? xpath(value, document) : copyOf(document).of(xpath(value, copyOf(document).root as Document)),
  testid: ({ value }) =>
    inAllRoots((root) => root.querySelectorAll("[data-testid]")).filter(
      (el) => attributeOf(el, "data-testid") === value,
    ),
  role: ({ value, name, exact }) => withRole(value.toLowerCase(), name, exact === true),
  text: (q) => withText(matcher(q)),
  label: (q) => labelled(matcher(q)),
  placeholder: (q) => {
    const fits = matcher(q);
    return inAllRoots((root) => root.querySelectorAll("[placeholder]")).filter((el) =>
      fits(attributeOf(el, "placeholder") ?? ""),
    );
  },
  yaml: ({ value, name }) => {
    const { el, key } = findYAML(value);
    if (name && !fitsDescription(el, key, name)) throw stale(value);
    return [el];
  },
  aria: ({ value, taken }) => findByPosition(value, taken),
  rp: ({ value }) => {
    const found = findWritten(value);
    const el = found.length ? found[0] : findUnwritten(value);
    // Only snapshots assign ids, so waiting does not help. Of two elements with an id, one is a copy.
    if (!el || found.length > 1) throw stale(value);
    return [el];
  },
  bap: ({ value }) => [findObserved(value)],
  handle: ({ value }) => {
    const el = handles.find(value);
    if (!el) throw stale(value);
    return [el];
  },
  point: ({ x, y }) => {
    const el = hitAt(document, x ?? 0, y ?? 0);
    return el ? [el] : [];
  },
};

/** All elements that a locator matches, in document order. */
export function findAll(q: Query): Element[] {
  const find = finders[q.by];
  if (!find) throw new Failure("InvalidArgument", `bad request: there is no locator "${q.by}"`);
  return find({ ...q, value: q.value ?? "" });
}

/** The one element of a locator; undefined if there is none. */
export function findOne(q: Query): Element | undefined {
  const found = findAll(q);
  if (found.length > 1 && !q.first) {
    throw new Failure("AmbiguousLocator", `${found.length} elements match ${show(q)}`, found.length);
  }
  return found[0];
}

/**
 * Whether a description in words, which came with a ref, still fits its element. Words are free, so that only those of
 * the snapshot decide: a description that has the role or the name of then, and not that of now, is of another element.
 */
function fitsDescription(el: Element, key: string, words: string): boolean {
  const at = key.indexOf("|");
  const has = (part: string): boolean =>
    part !== "" && squash(words).toLowerCase().includes(squash(part).toLowerCase());
  const role = roleOf(el);
  const pairs = [
    [key.slice(0, at), role],
    [key.slice(at + 1), role === "generic" ? "" : nameOf(el, role)],
  ];
  return pairs.every(([was, is]) => was === is || !has(was) || has(is));
}

/** A locator as messages show it. */
export function show(q: Query): string {
  switch (q.by) {
    case "css":
    case "yaml":
    case "aria":
    case "rp":
    case "bap":
    case "handle":
      return q.value ?? "";
    case "point":
      return `(${q.x ?? 0}, ${q.y ?? 0})`;
    case "testid":
      return `testId=${q.value}`;
    case "role":
      return q.name ? `role=${q.value}[name="${q.name}"]` : `role=${q.value}`;
  }
  return `${q.by}=${q.value}`;
}

// ---------------------------------------------------------------- finders

/** Pseudo-classes that depend on state which a copy of the page does not have. */
const LIVE =
  /:(?:active|autofill|defined|focus(?:-visible|-within)?|fullscreen|hover|modal|paused|picture-in-picture|playing|popover-open|state|target|user-(?:in)?valid)(?![\w-])/i;

/**
 * Throws for a selector that needs the live page. Callers that may only read search in a copy of the page without
 * secrets: by testing a secret attribute piece by piece, a selector would find it out.
 */
function needStatic(selector: string): void {
  const [pseudo] = LIVE.exec(selector) ?? [];
  if (pseudo)
    throw new Failure(
      "InvalidArgument",
      `bad request: ${pseudo} is not for callers that may only read: their selectors are matched on a copy of the page`,
    );
}

function select(root: ParentNode, selector: string): Iterable<Element> {
  try {
    return root.querySelectorAll(selector);
  } catch {
    throw new Failure("InvalidArgument", `bad request: ${selector} is no CSS selector`);
  }
}

function xpath(expression: string, root: Document): Element[] {
  try {
    const found = root.evaluate(expression, root, null, 7 /* ordered snapshot */, null);
    return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i)).filter(
      (n) => n?.nodeType === 1,
    ) as Element[];
  } catch {
    throw new Failure("InvalidArgument", `bad request: ${expression} is no XPath expression for elements`);
  }
}

/**
 * Returns a test of texts: whether they contain the value, ignoring case, or with `exact` whether they are equal to
 * it.
 */
function matcher({ value, exact }: Query): (text: string) => boolean {
  const want = squash(value ?? "");
  if (exact) return (text) => squash(text) === want;
  const lower = want.toLowerCase();
  return (text) => squash(text).toLowerCase().includes(lower);
}

function rendered(): Element[] {
  return document.documentElement ? [...elements(document.documentElement, (el) => SILENT.has(el.localName))] : [];
}

function withRole(role: string, name: string | undefined, exact: boolean): Element[] {
  const fits = name ? matcher({ by: "", value: name, exact }) : () => true;
  return rendered().filter(
    (el) => roleOf(el) === role && !isHidden(el) && el.closest("[aria-hidden=true]") === null && fits(nameOf(el, role)),
  );
}

/** The innermost elements with a text, without secrets. */
function withText(fits: (text: string) => boolean): Element[] {
  const matching = new Set(rendered().filter((el) => fits(redact(ownAndInner(el)))));
  return [...matching].filter(
    (el) => ![...el.children, ...(el.shadowRoot?.children ?? [])].some((c) => matching.has(c)),
  );
}

function ownAndInner(el: Element): string {
  if (el.localName === "input") return /^(submit|button|reset)$/.test((el as HTMLInputElement).type) ? valueOf(el) : "";
  if (isSecretText(el) && el.localName !== "select") return el.textContent ? REDACTED : "";
  let text = "";
  for (const node of (el.shadowRoot ?? el).childNodes) {
    if (isText(node)) text += node.data;
    else if (node.nodeType === 1 && !SILENT.has((node as Element).localName)) text += ownAndInner(node as Element);
  }
  return text;
}

function labelled(fits: (text: string) => boolean): Element[] {
  const fields = inAllRoots((root) =>
    root.querySelectorAll("input,textarea,select,button,meter,output,progress,[aria-label],[aria-labelledby]"),
  );
  return fields.filter((el) => {
    const labels = [...((el as HTMLInputElement).labels ?? [])].map((l) => redact(ownAndInner(l)));
    const own = attributeOf(el, "aria-label");
    const by = (el.getAttribute("aria-labelledby") ?? "")
      .split(/\s+/)
      .filter(Boolean)
      .map((id) => (el.getRootNode() as Document).getElementById?.(id))
      .map((e) => (e ? redactText(e, ownAndInner(e)) : ""));
    return [...labels, ...(own ? [own] : []), ...by].some(fits);
  });
}
