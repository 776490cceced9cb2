// The flat tree (CSS Scoping 1): a shadow tree in the place of its host's children, and what a slot shows in the slot.
// Nodes may be of another window than this script, so that `instanceof` is not used here.

/** The computed style of an element or of one of its pseudo-elements, in whatever window the element is. */
export function styleOf(el: Element, pseudo?: string): CSSStyleDeclaration {
  return (el.ownerDocument.defaultView ?? window).getComputedStyle(el, pseudo);
}

/** The element that encloses a node: slots and shadow hosts count. null for the root of a document. */
export function enclosing(node: Node): Element | null {
  const slot = (node as Partial<Element & Text>).assignedSlot;
  if (slot) return slot;
  const parent = node.parentNode;
  if (parent?.nodeType === 1) return parent as Element;
  return (parent as ShadowRoot | null)?.host ?? null;
}

/** An element and those around it, from the inside out: the order in which events bubble. */
export function pathOf(el: Element | undefined): Element[] {
  const path: Element[] = [];
  for (let at: Element | null = el ?? null; at; at = enclosing(at)) path.push(at);
  return path;
}
