// Finds secrets: which names and fields stand for one, and which values the page has now.

import names from "./secretnames.json";
import { documentOf, frameAround, shadowRoots, squash } from "./tree";

/**
 * Whether a name stands for a secret. Case, separators and a number at the end do not count: "X-Api-Key", "apiKey2".
 * In URLs some more words count, which are harmless elsewhere: ?code= (RFC 6749, section 4.1.2), ?key=, ?sig=.
 *
 * The words are in secretnames.json, which the hub reads, too.
 */
export function isSecretName(name: string, inAddress = false): boolean {
  const word = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .replace(/\d+$/, "");
  const among = (w: { end: string[]; are: string[] }): boolean =>
    w.are.includes(word) || w.end.some((e) => word.endsWith(e));
  return names.contain.some((part) => word.includes(part)) || among(names) || (inAddress && among(names.address));
}

const secretAttributes = new Map<string, boolean>();

/** Whether an attribute holds a secret, by its name: data-token. */
export function isSecretAttribute(name: string): boolean {
  let secret = secretAttributes.get(name);
  if (secret === undefined)
    secretAttributes.set(name, (secret = name !== "passwordrules" && isSecretName(name.replace(/^data-/, ""))));
  return secret;
}

const AUTOCOMPLETE = /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password)(\s|$)/i;

/** Input types without text. All others take a text, so the field may have been a password field. */
const WITHOUT_TEXT = /^(button|checkbox|color|file|image|radio|range|reset|submit)$/;

/**
 * Fields that were password fields: a button "show password" makes them text fields. The hub has some noted before
 * this script runs: actions/early.go.
 */
const wasPassword = notedEarly() ?? new WeakSet<Element>();

function notedEarly(): WeakSet<Element> | undefined {
  const { cdphubWerePasswords: noted } = globalThis as { cdphubWerePasswords?: unknown };
  return noted instanceof WeakSet ? noted : undefined;
}

/** Whether a field's value is secret. For an option, whether that of its select is. */
export function isSecret(el: Element): boolean {
  if (el.localName === "datalist") return isListOfSecret(el);
  if (/^opt(ion|group)$/.test(el.localName)) {
    const list = el.closest("select,datalist");
    return list !== null && isSecret(list);
  }
  if ((el as HTMLInputElement).type === "password" || isRevealed(el)) wasPassword.add(el);
  return (
    wasPassword.has(el) ||
    el.hasAttribute("data-sensitive") ||
    AUTOCOMPLETE.test(el.getAttribute("autocomplete") ?? "") ||
    isCalledSecret(el)
  );
}

/**
 * Whether a text field was a password field before this script ran for the first time. Chromium remembers that for
 * good, and does not check the spelling of such a field (HTMLInputElement::HasBeenPasswordField; seen in 156). An
 * attribute of the page hides it: then the name of the field counts, and what the script has observed.
 */
function isRevealed(el: Element): boolean {
  return (
    el.localName === "input" &&
    !(el as HTMLInputElement).spellcheck &&
    !isInside(el, "[spellcheck]") &&
    (remembersPasswords ??= testMemory())
  );
}

/** Whether this browser remembers what was a password field, and checks the spelling of all other fields. */
let remembersPasswords: boolean | undefined;

function testMemory(): boolean {
  const field = document.implementation.createHTMLDocument("").createElement("input");
  const before = field.spellcheck;
  field.type = "password";
  field.type = "text";
  return before && !field.spellcheck;
}

/** Whether an element, or one around it, also around its shadow tree, matches a selector. */
function isInside(el: Element, selector: string): boolean {
  const { host } = el.getRootNode() as ShadowRoot;
  return el.closest(selector) !== null || (host !== undefined && isInside(host, selector));
}

/** Whether a list of suggestions is for a secret field. */
function isListOfSecret(list: Element): boolean {
  return (
    list.id !== "" &&
    [...(list.getRootNode() as ParentNode).querySelectorAll(`[list="${CSS.escape(list.id)}"]`)].some(isSecret)
  );
}

/** A longer text is not only the name of its field: "Forgot your password? Enter your email address". */
const LONGEST_LABEL = 32;

/**
 * Whether the name or label of a text field says that it is for a secret. The field may be a password field whose
 * value was made visible before this script first ran.
 */
function isCalledSecret(el: Element): boolean {
  if (el.localName !== "textarea" && (el.localName !== "input" || WITHOUT_TEXT.test((el as HTMLInputElement).type)))
    return false;
  const labels = [...((el as HTMLInputElement).labels ?? [])].map((l) => l.textContent ?? "");
  const names = ["name", "id", "aria-label", "placeholder", "title"].map((a) => el.getAttribute(a) ?? "");
  return [...names, ...labels].some((name) => name !== "" && name.length <= LONGEST_LABEL && isSecretName(name));
}

/** Whether a field is hidden. No user sees its value, which is for the page and its server only. */
export function isHiddenField(el: Element): boolean {
  return el.localName === "input" && (el as HTMLInputElement).type === "hidden";
}

/**
 * Whether an element has a secret as its text: editable elements, textareas by their initial text, selects by their
 * options.
 */
export function isSecretText(el: Element): boolean {
  if (!isSecret(el)) return false;
  return (
    /^(textarea|select|datalist|option|optgroup)$/.test(el.localName) ||
    isEditableText(el) ||
    (el.localName !== "input" && !el.querySelector("input,textarea,select,button"))
  );
}

function isEditableText(el: Element): boolean {
  return (
    (el as HTMLElement).isContentEditable === true ||
    /^(textbox|searchbox|combobox|spinbutton)$/.test(el.getAttribute("role") ?? "")
  );
}

/** Whether an element is a setting whose name says that it is secret: <meta name="csrf-token" content="…">. */
export function isSecretSetting(el: Element): boolean {
  if (/^(input|textarea|select|button|form|label|a|img|iframe|slot)$/.test(el.localName)) return false;
  return ["name", "property", "itemprop", "http-equiv"].some((a) => isSecretName(el.getAttribute(a) ?? ""));
}

// ------------------------------------------------------------ what there is

/** Minimum length of secrets that are searched in other texts. */
const MIN_LENGTH = 3;

/** Minimum length of values that are secret only by a name: data-auth="true" is none. */
const MIN_NAMED = 8;

/** Maximum number of remembered secrets, and maximum length of each. */
const MAX_SECRETS = 200;
const MAX_LENGTH = 2000;

/**
 * The secrets that have been seen in this document, the newest last: a page may show one after its field has gone.
 */
const seen = new Set<string>();

/** The secrets in the page now. Dropped when the page's script may have run. */
let current: { values: string[]; pattern: RegExp | undefined } | undefined;

export function forgetSecrets(): void {
  current = undefined;
}

function currentSecrets(): { values: string[]; pattern: RegExp | undefined } {
  if (!current) {
    watchAll();
    for (const root of roots()) for (const value of valuesIn(root)) remember(value);
    const values = [...seen];
    current = { values, pattern: patternOf(values) };
  }
  return current;
}

/** The pattern that finds known secrets in a text. */
export function knownSecrets(): RegExp | undefined {
  return currentSecrets().pattern;
}

/**
 * The known secrets, which the hub removes from what the browser reports; undefined if this call has not searched for
 * them.
 */
export function secretsFound(): string[] | undefined {
  return current?.values;
}

export function secrets(): string[] {
  return currentSecrets().values;
}

/** The secret elements of this document and its open shadow trees. The hub looks for them in the browser's trees. */
export function secretElements(): Element[] {
  return [document, ...shadowRoots(document)]
    .flatMap((root) => [...root.querySelectorAll("input,textarea,select,[data-sensitive]")])
    .filter((el) => isSecret(el) && (el.localName === "input" || isSecretText(el)));
}

function remember(value: string): void {
  const text = squash(value).slice(0, MAX_LENGTH);
  if (text.length < MIN_LENGTH) return;
  seen.delete(text);
  seen.add(text);
  for (const oldest of seen) {
    if (seen.size <= MAX_SECRETS) break;
    seen.delete(oldest);
  }
}

/** The documents of the same origin around and below this one, with their open shadow roots. */
function* roots(): Generator<Document | ShadowRoot> {
  let top = document;
  for (let frame = frameAround(top); frame; frame = frameAround(top)) top = frame.ownerDocument;
  yield* rootsIn(top);
}

function* rootsIn(doc: Document): Generator<Document | ShadowRoot> {
  for (const root of [doc, ...shadowRoots(doc)]) {
    yield root;
    for (const frame of root.querySelectorAll("iframe,frame")) {
      const inner = documentOf(frame);
      if (inner) yield* rootsIn(inner);
    }
  }
}

function* valuesIn(root: Document | ShadowRoot): Generator<string> {
  for (const el of root.querySelectorAll("*")) {
    if (/^(input|textarea|select)$/.test(el.localName) || el.hasAttribute("data-sensitive")) yield* valuesOf(el);
    const setting = el.localName === "meta" && isSecretSetting(el);
    for (const a of el.attributes) {
      if (a.value.length >= MIN_NAMED && (isSecretAttribute(a.name) || (setting && a.name === "content")))
        yield a.value;
    }
  }
}

function* valuesOf(el: Element): Generator<string> {
  const field = el as HTMLInputElement;
  if (isHiddenField(el)) {
    if (field.value.length >= MIN_NAMED && isSecretName(field.name || field.id)) yield field.value;
    return;
  }
  if (!isSecret(el) || /^(checkbox|radio|submit|button|reset)$/.test(field.type)) return;
  yield field.value ?? "";
  yield field.defaultValue ?? "";
  for (const a of ["aria-valuetext", "aria-valuenow"]) yield el.getAttribute(a) ?? "";
  if (el.localName === "select") for (const o of (el as HTMLSelectElement).selectedOptions) yield o.label;
  else if (isSecretText(el)) yield el.textContent ?? "";
}

// ------------------------------------------------------------- finding them

/**
 * A pattern for the ways in which pages write these values: in any case, URL-encoded, as JSON, numbers in groups.
 */
function patternOf(values: string[]): RegExp | undefined {
  const parts = values
    .filter((v) => v.length >= MIN_LENGTH)
    .sort((a, b) => b.length - a.length)
    .flatMap(waysToWrite);
  return parts.length ? new RegExp([...new Set(parts)].join("|"), "giu") : undefined;
}

function waysToWrite(value: string): string[] {
  if (value.length === MIN_LENGTH) return [`(?<![\\p{L}\\p{N}])${literal(value)}(?![\\p{L}\\p{N}])`];
  if (/^\d(?:[\s-]?\d){7,}$/.test(value)) return [value.replace(/\D/g, "").split("").join("[\\s.-]?")];
  const plain = value.split(" ").map(literal).join("\\s+");
  return [
    plain,
    literal(encoded(value)),
    literal(encoded(value).replace(/%20/g, "+")),
    literal(JSON.stringify(value).slice(1, -1)),
  ];
}

function encoded(value: string): string {
  // encodeURIComponent throws for half a surrogate pair; the plain form is searched as it is.
  return encodeURIComponent(value.replace(/[\ud800-\udfff]/g, ""));
}

export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

// -------------------------------------------------------- since when they are

const watched = new WeakMap<Document | ShadowRoot, MutationObserver>();

/** Watches for password fields that become text fields. Handles pending records first. */
function watch(root: Document | ShadowRoot): void {
  const watcher = watched.get(root);
  if (watcher) return note(watcher.takeRecords());
  const made = new MutationObserver(note);
  made.observe(root, { subtree: true, attributeFilter: ["type"], attributeOldValue: true });
  watched.set(root, made);
  for (const el of root.querySelectorAll("input[type=password i]")) wasPassword.add(el);
}

function note(changes: MutationRecord[]): void {
  for (const c of changes) if (c.oldValue?.toLowerCase() === "password") wasPassword.add(c.target as Element);
}

/** Remembers all password fields, and watches them from now on. Each call of this script does so. */
export function watchAll(): void {
  for (const root of roots()) watch(root);
}
