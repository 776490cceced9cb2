// What must not leave the page: the values of secret fields.

import { shadowRoots } from "./tree";

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
    const fields = [doc, ...shadowRoots(doc)].flatMap((root) => [...root.querySelectorAll("input,textarea,select")]).filter(isSecret);
    known = { doc, values: fields.map((el) => (el as HTMLInputElement).value).filter(Boolean) };
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
export function redactCopy(original: Element, copy: Element): void {
  const from = [original, ...original.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((el, i) => {
    const twin = to[i];
    for (const name of SECRET_ATTRIBUTES) if (twin.hasAttribute(name)) twin.setAttribute(name, REDACTED);
    if (!isSecret(el)) return;
    if (twin.hasAttribute("value")) twin.setAttribute("value", REDACTED);
    if (el.localName === "textarea" && twin.textContent) twin.textContent = REDACTED;
  });
}

/** HTML without bearer tokens in quotes. */
export function redactTokens(html: string): string {
  return html.replace(BEARER, `$1${REDACTED}$1`);
}
