// Removes secrets from what leaves the page. Texts of the page leave it as Redacted
// only, and only this file makes a Redacted.

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

export const REDACTED = "[REDACTED]" as Redacted;

/** A word of this script's own. */
export function word<T extends string>(own: string extends T ? never : T): T & Redacted {
  return own as unknown as T & Redacted;
}

/** A text of this script's own around redacted texts. */
export function say(own: TemplateStringsArray, ...values: (Redacted | number)[]): Redacted {
  return own.reduce((text, part, i) => text + values[i - 1] + part) as Redacted;
}

export function join(list: readonly Redacted[], between: string): Redacted {
  return list.join(between) as Redacted;
}

/** A text as JSON writes it, in quotes. */
export function quoted(text: Redacted): Redacted {
  return JSON.stringify(text) as Redacted;
}

/** A text of the page without the values of secret fields, and without what in addresses gives access. */
export function redact(text: string): Redacted {
  if (text === "") return text as Redacted;
  const known = knownSecrets();
  return withoutKeys(known ? text.replace(known, REDACTED) : text) as Redacted;
}

/** The text of an element, as somebody has put it together. */
export function redactText(el: Element, text: string): Redacted {
  return text && isSecretText(el) ? REDACTED : redact(text);
}

/** A field's value, redacted. */
export function valueOf(el: Element): Redacted {
  const { value } = el as HTMLInputElement;
  return value && (isSecret(el) || isHiddenField(el)) ? REDACTED : redact(value ?? "");
}

/** An attribute, redacted; null where there is none. */
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

const PARAMETER = /([?&#;]|%(?:25)*(?:3f|26|23))([^=&#;?\s"'<>]{1,100}?)(=|%(?:25)*3d)/gi;
const VALUE = /[^&#\s"'<>]*/y;
const ENCODED_VALUE = /(?:(?!%(?:25)*(?:26|23))[^&#\s"'<>])*/iy;
const USER = /([a-z][\w+.-]*:)?\/\/[^\s/?#"'<>\\]*@/gi;
const MEMBER = /("([^"\\]{1,64})"\s*:\s*")((?:[^"\\]|\\.)+)"/g;
const JWT = /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const BEARER = /\b(Bearer\s+)[\w\-.~+/]{16,}=*/gi;

/** A text without users and keys in addresses, in JSON and in headers. */
function withoutKeys(text: string): string {
  if (text.includes("//")) text = text.replace(USER, "$1//");
  if (/[=]|%3d/i.test(text)) text = withoutParameters(text);
  if (text.includes('":') || text.includes('" :')) {
    text = text.replace(MEMBER, (all, head: string, name: string) =>
      isSecretName(name) ? `${head}${REDACTED}"` : all,
    );
  }
  return text.replace(JWT, REDACTED).replace(BEARER, `$1${REDACTED}`);
}

/** Addresses lie within addresses: the value of one parameter is looked through for others. */
function withoutParameters(text: string): string {
  let out = "";
  let from = 0;
  PARAMETER.lastIndex = 0;
  for (let m = PARAMETER.exec(text); m; m = PARAMETER.exec(text)) {
    const [, before, name, equals] = m;
    if (!isSecretName(unescaped(name), before !== ";")) continue;
    const start = PARAMETER.lastIndex;
    const end = endOfValue(text, start, equals === "=" ? VALUE : ENCODED_VALUE);
    out += text.slice(from, start) + REDACTED;
    PARAMETER.lastIndex = from = end;
  }
  return out + text.slice(from);
}

function endOfValue(text: string, start: number, value: RegExp): number {
  if (text.startsWith(REDACTED, start)) return start + REDACTED.length;
  value.lastIndex = start;
  return start + (value.exec(text)?.[0].length ?? 0);
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

// -------------------------------------------------------------------- HTML

/** Attributes that say what a field holds, or what an option stands for. */
const VALUES = /^(value|label|aria-valuetext|aria-valuenow|data-value|data-original-value)$/;

function attribute(el: Element, name: string, value: string): Redacted {
  if (value === "") return value as Redacted;
  if (name === "srcdoc") return redactSource(value);
  const holds =
    (VALUES.test(name) && (isSecret(el) || isHiddenField(el))) ||
    (/^(content|value|data-value)$/.test(name) && isSecretSetting(el));
  return holds || isSecretAttribute(name) ? REDACTED : redact(value);
}

/** Elements whose content is source of a document, as text. */
const SOURCE = /^(noscript|noembed|noframes|iframe|xmp)$/;

/** A copy of a tree without its secrets, in a document where nothing is loaded and nothing runs. */
export class Copy {
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

  /** The elements that these are copies of. */
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

/** A copy of a document or of a shadow tree as it is now. */
export function copyOf(root: Document | ShadowRoot): Copy {
  let copy = copies.get(root);
  if (!copy) copies.set(root, (copy = new Copy(root)));
  return copy;
}

/** What is known of the page is to be looked up anew: its script has run. */
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

/** What an element has beside its attributes, of which selectors know: :valid, :checked. */
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
    // the page's policy forbids to write source
    twin.removeAttributeNode(a);
  }
}

function redactTree(original: ParentNode, copy: ParentNode): void {
  const to = elementsOf(copy);
  elementsOf(original).forEach((el, i) => {
    redactElement(el, to[i]);
  });
}

/** The source of a document, or of a part of one, without its secrets. */
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
    // the page's policy forbids to parse it
    return REDACTED;
  }
}

const QUOTED_TOKEN = /(["'])(Bearer\s+)?[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}\1/g;

/** An element's HTML. */
export function sourceOf(el: Element, check: (source: string) => void): Redacted {
  const source = (new Copy(el).root as Element).outerHTML;
  check(source); // before it is searched, which takes long
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
