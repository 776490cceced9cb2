// The accessibility tree under construction: what the walk over the document has found, before names and states are
// computed.

import type { Protocol } from "../../cdp";

/** One object of the tree. */
export interface Item {
  /** Chromium's role name: an ARIA role, or an internal one such as "StaticText". */
  role: string;
  /** The DOM node; absent for objects that the browser generates. */
  node?: Node;
  /** The element to act on, if the object is a part of a control without a DOM node. */
  handle?: Element;
  /** Same as node where that is an element. */
  el?: Element;
  parent?: Item;
  children: Item[];
  /** Ignored objects stay in the tree; Clients see their children in their place. */
  ignored: boolean;
  reason?: "uninteresting" | "presentationalRole" | "labelFor";
  /** The text of StaticText, ListMarker and LineBreak, as it is rendered. */
  text?: string;
  /** Text that may be dropped between elements: nothing but collapsible white space. */
  space?: boolean;
  /** The nearest block around it; texts of different blocks are read with a space between. */
  block: Item | undefined;
  /** Has a space before and after it in a name that includes it, like an inline-block. */
  apart?: boolean;
  /** Follows a line break opportunity, which is read as a space. */
  gap?: boolean;
  /** Laid out as a block whose children are all inline. */
  holdsLines?: boolean;
  /** Is not part of any name, such as the marker of a list item. */
  silent?: boolean;
  /** A part of a widget that has no DOM node of its own: what it is editable as. */
  editable?: "plaintext" | "richtext";
  /** The name: cached by names.ts, or given for objects without an element. */
  name?: string;
  /** For a part of a widget: its value. `properties` has all its properties. */
  value?: string | number;
  properties?: Protocol.Accessibility.AXProperty[];
}

/** A property of an object. */
export function property(
  name: Protocol.Accessibility.AXPropertyName,
  type: Protocol.Accessibility.AXValue["type"],
  value: unknown,
): Protocol.Accessibility.AXProperty {
  return { name, value: { type, value } };
}

export const FOCUSABLE = property("focusable", "booleanOrUndefined", true);

/** Makes an item at the end of its parent's children. */
export function append(parent: Item, role: string, more: Partial<Item> = {}): Item {
  const item: Item = { role, children: [], ignored: false, block: parent.block, parent, ...more };
  parent.children.push(item);
  return item;
}

/** Takes an item out of the tree. */
export function remove(item: Item): void {
  const siblings = item.parent?.children;
  const i = siblings ? siblings.lastIndexOf(item) : -1;
  if (siblings && i >= 0) siblings.splice(i, 1);
  item.parent = undefined;
}

/** The nearest ancestor, ignored or not, for which the test is true. */
export function ancestor(item: Item | undefined, test: (i: Item) => boolean): Item | undefined {
  for (let p = item; p; p = p.parent) if (test(p)) return p;
  return undefined;
}

/** The children with those of ignored ones in their place. */
export function shownChildren(item: Item): Item[] {
  return item.children.flatMap((c) => (c.ignored ? shownChildren(c) : [c]));
}
