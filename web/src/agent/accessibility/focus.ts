// Which elements can take the focus, and which one has it.

/** Whether Element.focus() would work, by markup alone. */
export function isFocusable(el: Element): boolean {
  if (isDisabled(el)) return false;
  if (/^\s*-?\d/.test(el.getAttribute("tabindex") ?? "")) return true;
  if (isEditingHost(el)) return true;
  switch (el.localName) {
    case "a":
    case "area":
      return el.hasAttribute("href") && !(el as HTMLElement).isContentEditable;
    case "button":
    case "select":
    case "textarea":
    case "dialog":
      return true;
    case "input":
      return (el as HTMLInputElement).type !== "hidden";
    case "summary":
      return el.parentElement?.localName === "details";
    case "audio":
    case "video":
      return el.hasAttribute("controls");
  }
  return false;
}

/** Disabled as a control, by its own attribute or that of a fieldset or group around it. */
export function isDisabled(el: Element): boolean {
  return el.localName !== "fieldset" && el.localName !== "optgroup" && el.matches(":disabled");
}

/** The outermost element of a region that can be edited. */
export function isEditingHost(el: Element): boolean {
  return (el as HTMLElement).isContentEditable && !(el.parentElement?.isContentEditable ?? false);
}

/** Whether the focus is on it, in its own document or shadow tree. */
export function isFocused(el: Element): boolean {
  const root = el.getRootNode() as Document | ShadowRoot;
  return root.activeElement === el && el.localName !== "body" && !el.shadowRoot?.activeElement;
}
