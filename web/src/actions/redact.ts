// Removes secrets from what leaves the page. A text of the page leaves it only with the type Redacted, and only this
// file makes values of this type.

import { stringify } from "../stringify";
import { withoutAddresses } from "./address";
import {
  forgetSecrets,
  isHiddenField,
  isSecret,
  isSecretAttribute,
  isSecretName,
  isSecretSetting,
  isSecretText,
  knownSecrets,
  literal,
} from "./secrets";

declare const redacted: unique symbol;

/** A text that may leave the page. */
export type Redacted = string & { readonly [redacted]: true };

/** What a reader may answer. A text that is not Redacted does not compile. */
export type RedactedValue =
  | Redacted
  | number
  | boolean
  | null
  | undefined
  | readonly RedactedValue[]
  | { readonly [name: string]: RedactedValue };

/** A result of wire/verbs.ts, with Redacted in the place of each text. */
export type RedactedIn<T> = T extends string
  ? Redacted
  : T extends object
    ? { [Name in keyof T]: RedactedIn<T[Name]> }
    : T;

export const REDACTED = "[REDACTED]" as Redacted;

/** A literal of this script, which is no text of the page. */
export function word<T extends string>(own: string extends T ? never : T): T & Redacted {
  return own as unknown as T & Redacted;
}

/** A template of this script with redacted texts in it. */
export function say(own: TemplateStringsArray, ...values: (Redacted | number)[]): Redacted {
  return own.reduce((text, part, i) => text + values[i - 1] + part) as Redacted;
}

export function join(list: readonly Redacted[], between: string): Redacted {
  return list.join(between) as Redacted;
}

/** A text as a JSON string. */
export function quoted(text: Redacted): Redacted {
  return stringify(text) as Redacted;
}

/** A text of the page without the values of secret fields, and without credentials in URLs. */
export function redact(text: string): Redacted {
  if (text === "") return text as Redacted;
  const known = knownSecrets();
  return withoutKeys(known ? text.replace(known, REDACTED) : text) as Redacted;
}

/** Redacts a text that was made from an element's contents. */
export function redactText(el: Element, text: string): Redacted {
  return text && isSecretText(el) ? REDACTED : redact(text);
}

/** A field's value, redacted. */
export function valueOf(el: Element): Redacted {
  const { value } = el as HTMLInputElement;
  return value && (isSecret(el) || isHiddenField(el)) ? REDACTED : redact(value ?? "");
}

/** An attribute, redacted; null if there is none. */
export function attributeOf(el: Element, name: string): Redacted | null {
  const value = el.getAttribute(name);
  return value === null ? null : attribute(el, name, value);
}

export function address(): Redacted {
  return redact(location.href);
}

export function title(): Redacted {
  return redact(document.title);
}

// ---------------------------------------------------------------- addresses

const MEMBER = /("([^"\\]{1,64})"\s*:\s*")((?:[^"\\]|\\.)+)"/g;
const JWT = /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const BEARER = /\b(Bearer\s+)[\w\-.~+/]{16,}=*/gi;

/** Removes users and keys from URLs, JSON and headers in a text. */
function withoutKeys(text: string): string {
  if (/[=@%&\\]/.test(text)) text = withoutAddresses(text);
  if (text.includes('":') || text.includes('" :')) {
    text = text.replace(MEMBER, (all, head: string, name: string) =>
      isSecretName(name) ? `${head}${REDACTED}"` : all,
    );
  }
  return text.replace(JWT, REDACTED).replace(BEARER, `$1${REDACTED}`);
}

// -------------------------------------------------------------------- HTML

/** Attributes with the value of a field or of an option. */
const VALUES = /^(value|label|aria-valuetext|aria-valuenow|data-value|data-original-value)$/;

function attribute(el: Element, name: string, value: string): Redacted {
  if (value === "") return value as Redacted;
  if (name === "srcdoc") return redactSource(value);
  const holds =
    (VALUES.test(name) && (isSecret(el) || isHiddenField(el))) ||
    (/^(content|value|data-value)$/.test(name) && isSecretSetting(el));
  return holds || isSecretAttribute(name) ? REDACTED : redact(value);
}

/** Elements with HTML source as text content. */
const SOURCE = /^(noscript|noembed|noframes|iframe|xmp)$/;

/** A copy of a tree without its secrets, in an inert document: it loads nothing and runs no script. */
class Copy {
  readonly root: Document | DocumentFragment | Element;
  private readonly originals = new Map<Element, Element>();

  constructor(original: Document | ShadowRoot | Element) {
    const inert = document.implementation.createHTMLDocument("");
    this.root = copied(original, inert);
    const from = elementsOf(original);
    const to = elementsOf(this.root);
    from.forEach((el, i) => {
      this.originals.set(to[i], el);
      redactElement(el, to[i]);
    });
  }

  /** The original elements of these copies. */
  of(copies: Iterable<Element>): Element[] {
    return [...copies].map((el) => this.originals.get(el)).filter((el): el is Element => el !== undefined);
  }
}

function copied(original: Document | ShadowRoot | Element, inert: Document): Document | DocumentFragment | Element {
  switch (original.nodeType) {
    case 1:
      return inert.importNode(original as Element, true);
    case 9:
      inert.replaceChildren();
      for (const node of original.childNodes) inert.append(inert.importNode(node, true));
      return inert;
  }
  const fragment = inert.createDocumentFragment();
  fragment.append(...[...original.childNodes].map((n) => inert.importNode(n, true)));
  return fragment;
}

function elementsOf(root: ParentNode): Element[] {
  const below = [...root.querySelectorAll("*")];
  return root.nodeType === 1 ? [root as Element, ...below] : below;
}

let copies = new Map<Document | ShadowRoot, Copy>();

/** The copy of a document or of a shadow tree, made once in each call. */
export function copyOf(root: Document | ShadowRoot): Copy {
  let copy = copies.get(root);
  if (!copy) copies.set(root, (copy = new Copy(root)));
  return copy;
}

/** Drops what is cached of the page, because the page's script has run since. */
export function forget(): void {
  forgetSecrets();
  copies = new Map();
}

function redactElement(el: Element, twin: Element): void {
  const secret = isSecret(el);
  for (const a of [...twin.attributes]) {
    const value = attribute(el, a.name, a.value);
    if (value !== a.value) set(twin, a, value);
  }
  if (secret && el.localName === "option") twin.removeAttribute("selected");
  redactState(el, twin, secret || isHiddenField(el));
  if (el.localName === "template")
    redactTree((el as HTMLTemplateElement).content, (twin as HTMLTemplateElement).content);
  if (twin.textContent && isSecretText(el) && !/^(select|datalist)$/.test(el.localName)) twin.textContent = REDACTED;
  else redactTexts(twin);
}

/** Copies the state of an element that is no attribute, but that selectors can test: :valid, :checked. */
function redactState(el: Element, twin: Element, secret: boolean): void {
  const field = twin as HTMLInputElement;
  if (/^(input|textarea)$/.test(el.localName) && secret && field.value && !/^(file|checkbox|radio)$/.test(field.type))
    field.value = REDACTED;
  if (el.localName === "option" && !secret && el !== twin)
    (twin as HTMLOptionElement).selected = (el as HTMLOptionElement).selected;
  if (el.localName === "input") field.indeterminate = (el as HTMLInputElement).indeterminate;
}

function redactTexts(twin: Element): void {
  twin.normalize();
  for (const node of twin.childNodes) {
    if (node.nodeType !== 3 && node.nodeType !== 8) continue;
    const { data } = node as CharacterData;
    const value =
      SOURCE.test(twin.localName) || (node.nodeType === 8 && data.includes("<")) ? redactSource(data) : redact(data);
    if (value !== data) (node as CharacterData).data = value;
  }
}

function set(twin: Element, a: Attr, value: Redacted): void {
  try {
    a.value = value;
  } catch {
    // a Trusted Types policy of the page forbids writing source
    twin.removeAttributeNode(a);
  }
}

function redactTree(original: ParentNode, copy: ParentNode): void {
  const to = elementsOf(copy);
  elementsOf(original).forEach((el, i) => {
    redactElement(el, to[i]);
  });
}

/** Removes secrets from the source of a document, or of a part of one. */
function redactSource(source: string): Redacted {
  try {
    const doc = new DOMParser().parseFromString(source, "text/html");
    const written = (): string =>
      /<!doctype|<html/i.test(source) ? doc.documentElement.outerHTML : doc.head.innerHTML + doc.body.innerHTML;
    const before = written();
    redactTree(doc, doc);
    const after = written();
    return (before === after ? redact(source) : after) as Redacted;
  } catch {
    // a Trusted Types policy of the page forbids parsing source
    return REDACTED;
  }
}

const QUOTED_TOKEN = /(["'])(Bearer\s+)?[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}\1/g;

/** An element's HTML. */
export function sourceOf(el: Element, check: (source: string) => void): Redacted {
  const source = (new Copy(el).root as Element).outerHTML;
  check(source); // checks the length first: the search below is slow
  return source.replace(QUOTED_TOKEN, `$1${REDACTED}$1`) as Redacted;
}

// -------------------------------------------------------------------- text

/** The text of an element as it is rendered. */
export function renderedText(el: Element): Redacted {
  let text = (el as HTMLElement).innerText ?? el.textContent ?? "";
  if (text && isSecretText(el)) return REDACTED;
  for (const inner of el.querySelectorAll("select,datalist,[data-sensitive],[contenteditable],[role]")) {
    const own = isSecretText(inner) ? ((inner as HTMLElement).innerText ?? "").trim() : "";
    if (own) text = text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${literal(own)}(?![\\p{L}\\p{N}])`, "gu"), REDACTED);
  }
  return redact(text);
}
