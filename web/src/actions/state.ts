// The properties of one element.

import { styleOf } from "../flattree";
import { checkedOf, roleOf } from "./aria";
import { attributeOf, renderedText, type RedactedValue, redact, type Redacted, valueOf, word } from "./redact";
import { squash } from "./tree";
import { boxOf, isDisabled, isVisible } from "./view";

const properties: Record<string, (el: Element) => RedactedValue> = {
  visible: isVisible,
  enabled: (el) => !isDisabled(el),
  checked: (el) => {
    const state = checkedOf(el, roleOf(el)) ?? false;
    return state === "mixed" ? word(state) : state;
  },
  text: (el) => squash(renderedText(el)),
  value: (el) => (/^(input|textarea|select)$/.test(el.localName) ? valueOf(el) : null),
  boundingBox: (el) => (isVisible(el) ? boxOf(el) : null),
  attributes: (el) =>
    Object.fromEntries([...el.attributes].map((a): [string, Redacted] => [a.name, attributeOf(el, a.name)!])),
  computedStyle: (el) => {
    const style = styleOf(el);
    return Object.fromEntries(
      [...style].map((name): [string, Redacted] => [name, redact(style.getPropertyValue(name))]),
    );
  },
};

/** The wanted properties; unknown ones are left out. */
export function stateOf(el: Element, wanted: string[]): { [property: string]: RedactedValue } {
  return Object.fromEntries(wanted.filter((p) => p in properties).map((p) => [p, properties[p](el)]));
}
