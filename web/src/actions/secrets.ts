// What is a secret: which names say so, which fields hold one, and what the
// page has of them now.

import names from "./secretnames.json";
import { documentOf, frameAround, shadowRoots, squash } from "./tree";

/**
 * Whether a name says that what it stands for is nobody's business. Case and
 * separators do not count, nor a number at the end: "X-Api-Key", "apiKey2".
 * In addresses words count too that mean harmless things elsewhere: ?code=
 * (RFC 6749, section 4.1.2), ?key=, ?sig=.
 *
 * The words are those of secretnames.json, which the hub reads as well.
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

/** Whether an attribute holds a secret by its own name: data-token. */
export function isSecretAttribute(name: string): boolean {
  let secret = secretAttributes.get(name);
  if (secret === undefined)
    secretAttributes.set(name, (secret = name !== "passwordrules" && isSecretName(name.replace(/^data-/, ""))));
  return secret;
}

const AUTOCOMPLETE = /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password)(\s|$)/i;

/** Input types that take a text, as a field may that was a password's. */
const WITHOUT_TEXT = /^(button|checkbox|color|file|image|radio|range|reset|submit)$/;

/** Fields that have been seen as password fields: "show password" makes them text fields. */
const wasPassword = new WeakSet<Element>();

/** Whether a field's value is nobody's business; that of an option is so when its select's is. */
export function isSecret(el: Element): boolean {
  if (el.localName === "datalist") return suggests(el);
  if (/^opt(ion|group)$/.test(el.localName)) {
    const list = el.closest("select,datalist");
    return list !== null && isSecret(list);
  }
  if ((el as HTMLInputElement).type === "password") wasPassword.add(el);
  return (
    wasPassword.has(el) ||
    el.hasAttribute("data-sensitive") ||
    AUTOCOMPLETE.test(el.getAttribute("autocomplete") ?? "") ||
    isCalledSecret(el)
  );
}

/** Whether a list of suggestions is for a secret field. */
function suggests(list: Element): boolean {
  return (
    list.id !== "" &&
    [...(list.getRootNode() as ParentNode).querySelectorAll(`[list="${CSS.escape(list.id)}"]`)].some(isSecret)
  );
}

/** Texts longer than this tell of more than their field: "Forgot your password? Enter your email address". */
const LONGEST_LABEL = 32;

/**
 * Whether what names a text field says that it is for a secret: a password that is shown now, before
 * anybody has looked.
 */
function isCalledSecret(el: Element): boolean {
  if (el.localName !== "textarea" && (el.localName !== "input" || WITHOUT_TEXT.test((el as HTMLInputElement).type)))
    return false;
  const labels = [...((el as HTMLInputElement).labels ?? [])].map((l) => l.textContent ?? "");
  const names = ["name", "id", "aria-label", "placeholder", "title"].map((a) => el.getAttribute(a) ?? "");
  return [...names, ...labels].some((name) => name !== "" && name.length <= LONGEST_LABEL && isSecretName(name));
}

/** A field that no user sees: what it holds is between the page and its server. */
export function isHiddenField(el: Element): boolean {
  return el.localName === "input" && (el as HTMLInputElement).type === "hidden";
}

/**
 * Whether an element holds a secret as its text, as what can be edited does, textareas at first, and
 * selects in their options.
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

/** Secrets this short are not looked for in other texts. */
const SHORT = 3;

/** As long must one be of which only a name says so: data-auth="true". */
const NAMED = 8;

/** How many secrets are remembered, and how much of each. */
const MOST = 200;
const LONGEST = 2000;

/** The values that have been seen in this document, the latest last: a page may show one after its field has gone. */
const seen = new Set<string>();

/** What the page has now, until script of the page has run again. */
let current: { values: string[]; pattern: RegExp | undefined } | undefined;

export function forgetSecrets(): void {
  current = undefined;
}

function look(): { values: string[]; pattern: RegExp | undefined } {
  if (!current) {
    watchAll();
    for (const root of roots()) for (const value of valuesIn(root)) remember(value);
    const values = [...seen];
    current = { values, pattern: patternOf(values) };
  }
  return current;
}

/** Finds known secrets in a text. */
export function knownSecrets(): RegExp | undefined {
  return look().pattern;
}

/** The known secrets, for the hub to take out of what the browser tells; undefined when nobody has looked for any. */
export function secretsFound(): string[] | undefined {
  return current?.values;
}

export function secrets(): string[] {
  return look().values;
}

/**
 * The elements of this document and its open shadow trees that are secret, for the hub to find them in
 * the browser's trees.
 */
export function secretElements(): Element[] {
  return [document, ...shadowRoots(document)]
    .flatMap((root) => [...root.querySelectorAll("input,textarea,select,[data-sensitive]")])
    .filter((el) => isSecret(el) && (el.localName === "input" || isSecretText(el)));
}

function remember(value: string): void {
  const text = squash(value).slice(0, LONGEST);
  if (text.length < SHORT) return;
  seen.delete(text);
  seen.add(text);
  for (const oldest of seen) {
    if (seen.size <= MOST) break;
    seen.delete(oldest);
  }
}

/** The documents that can be reached from here, outwards and inwards, and their open shadow roots. */
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
      if (a.value.length >= NAMED && (isSecretAttribute(a.name) || (setting && a.name === "content"))) yield a.value;
    }
  }
}

function* valuesOf(el: Element): Generator<string> {
  const field = el as HTMLInputElement;
  if (isHiddenField(el)) {
    if (field.value.length >= NAMED && isSecretName(field.name || field.id)) yield field.value;
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

/** A pattern for all ways in which pages write these values: in any case, in an address, as JSON, numbers in groups. */
export function patternOf(values: string[]): RegExp | undefined {
  const parts = values
    .filter((v) => v.length >= SHORT)
    .sort((a, b) => b.length - a.length)
    .flatMap(waysToWrite);
  return parts.length ? new RegExp([...new Set(parts)].join("|"), "giu") : undefined;
}

function waysToWrite(value: string): string[] {
  if (value.length === SHORT) return [`(?<![\\p{L}\\p{N}])${literal(value)}(?![\\p{L}\\p{N}])`];
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
  return encodeURIComponent(value.replace(/[\ud800-\udfff]/g, "")); // halves of pairs cannot be encoded; whole ones are looked for as they are
}

export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

// -------------------------------------------------------- since when they are

const watched = new WeakMap<Document | ShadowRoot, MutationObserver>();

/** Notes from now on which fields are made text fields. What has happened since the last look is noted first. */
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

/** Notes which fields are password fields, and what becomes of them from now on: each call of this script is a look. */
export function watchAll(): void {
  for (const root of roots()) watch(root);
}
