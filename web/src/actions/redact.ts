// What must not leave the page: the values of secret fields.

import { shadowRoots, squash } from "./tree";

export const REDACTED = "[REDACTED]";

const SECRET_AUTOCOMPLETE = /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password)(\s|$)/i;

/** Whether a field's value is nobody's business. */
export function isSecret(el: Element): boolean {
  return (
    (el as HTMLInputElement).type === "password" || el.hasAttribute("data-sensitive") ||
    SECRET_AUTOCOMPLETE.test(el.getAttribute("autocomplete") ?? "") || wasPassword.has(el)
  );
}

/** Fields that have been seen as password fields: "show password" makes them text fields. */
const wasPassword = new WeakSet<Element>();

/** A field's value, as it may be told. */
export function valueOf(el: Element): string {
  const field = el as HTMLInputElement;
  if (field.type === "password") wasPassword.add(el);
  return field.value && isSecret(el) ? REDACTED : (field.value ?? "");
}

/** Whether an element holds a secret as its text, as what can be edited does and textareas do at first. */
export function isSecretText(el: Element): boolean {
  return isSecret(el) && (el.localName === "textarea" || isEditableText(el));
}

function isEditableText(el: Element): boolean {
  return (el as HTMLElement).isContentEditable === true || /^(textbox|searchbox|combobox)$/.test(el.getAttribute("role") ?? "");
}

/** Secrets this short are not looked for in other texts. */
const SHORT = 4;

/** A name without the values of secret fields, which it may have by reference. */
export function scrub(doc: Document, text: string): string {
  if (text.length < SHORT) return text;
  for (const secret of secretsOf(doc)) if (secret.length >= SHORT) text = text.split(secret).join(REDACTED);
  return text;
}

let known: { doc: Document; values: string[] } | undefined;

/** Secrets are to be looked up anew: script of the page has run. */
export function forgetSecrets(): void {
  known = undefined;
}

/** What secret fields of a document hold. */
function secretsOf(doc: Document): string[] {
  if (known?.doc !== doc) {
    const fields = [doc, ...shadowRoots(doc)].flatMap((root) => [...root.querySelectorAll("input,textarea,select,[data-sensitive]")]).filter(isSecret);
    const values = fields.map((el) => (el as HTMLInputElement).value ?? (isEditableText(el) ? squash(el.textContent ?? "") : ""));
    known = { doc, values: values.filter(Boolean) };
  }
  return known.values;
}

/** The values of the secret fields of this document, for others to take out of what they tell. */
export function secrets(): string[] {
  return secretsOf(document);
}

const SECRET_ATTRIBUTES = ["data-password", "data-secret", "data-token", "data-api-key", "data-credential", "data-auth"];
const BEARER = /(["'])(Bearer\s+)?[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}\1/g;

/** Takes the secrets out of a copy of a tree, whose elements stand in the same order as the original's. */
export function redactCopy(original: ParentNode, copy: ParentNode): void {
  const from = [original, ...original.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((el, i) => {
    if (el instanceof Element) redactElement(el, to[i] as Element);
  });
}

function redactElement(el: Element, twin: Element): void {
  for (const name of SECRET_ATTRIBUTES) if (twin.hasAttribute(name)) twin.setAttribute(name, REDACTED);
  if (twin.hasAttribute("srcdoc")) twin.setAttribute("srcdoc", redactSource(twin.getAttribute("srcdoc") ?? ""));
  if (el.localName === "template") redactCopy((el as HTMLTemplateElement).content, (twin as HTMLTemplateElement).content);
  if (!isSecret(el)) return;
  if (twin.hasAttribute("value")) twin.setAttribute("value", REDACTED);
  if (isSecretText(el) && twin.textContent) twin.textContent = REDACTED;
}

/** The source of a document without the values of its secret fields. */
export function redactSource(source: string): string {
  try {
    const doc = new DOMParser().parseFromString(source, "text/html");
    if (![...doc.querySelectorAll("*")].some((el) => isSecret(el) || el.localName === "template" || el.hasAttribute("srcdoc"))) return source;
    redactCopy(doc, doc);
    return doc.documentElement.outerHTML;
  } catch { // the page's policy forbids to parse it
    return REDACTED;
  }
}

/** HTML without bearer tokens in quotes. */
export function redactTokens(html: string): string {
  return html.replace(BEARER, `$1${REDACTED}$1`);
}
