// What is asked of one element.

import { checkedOf, roleOf } from "./aria";
import { isSecret, isSecretText, REDACTED, redactSource, valueOf } from "./redact";
import { squash } from "./tree";
import { boxOf, isDisabled, isVisible, styleOf } from "./view";

const ATTRIBUTES_OF_SECRETS = /^data-(password|secret|token|api-key|credential|auth)$/;

const properties: Record<string, (el: Element) => unknown> = {
  visible: isVisible,
  enabled: (el) => !isDisabled(el),
  checked: (el) => checkedOf(el, roleOf(el)) ?? false,
  text: (el) => {
    const text = squash((el as HTMLElement).innerText ?? el.textContent ?? "");
    return text && isSecretText(el) ? REDACTED : text;
  },
  value: (el) => (/^(input|textarea|select)$/.test(el.localName) ? valueOf(el) : null),
  boundingBox: (el) => (isVisible(el) ? boxOf(el) : null),
  attributes: (el) => Object.fromEntries([...el.attributes].map((a) => [a.name, attribute(el, a)])),
  computedStyle: (el) => {
    const style = styleOf(el);
    return Object.fromEntries([...style].map((name) => [name, style.getPropertyValue(name)]));
  },
};

function attribute(el: Element, a: Attr): string {
  if (a.name === "srcdoc") return redactSource(a.value);
  return ATTRIBUTES_OF_SECRETS.test(a.name) || (a.name === "value" && isSecret(el) && a.value) ? REDACTED : a.value;
}

/** The properties that are asked for; unknown ones are left out. */
export function stateOf(el: Element, wanted: string[]): Record<string, unknown> {
  return Object.fromEntries(wanted.filter((p) => p in properties).map((p) => [p, properties[p](el)]));
}
