// The Accessibility domain's types, and objects of the tree in that form.

import type { Protocol } from "../../cdp";
import type { Item } from "./item";
import { descriptionOf, nameOf } from "./names";
import { type IdOf, propertiesOf } from "./states";
import { valueOf } from "./values";

/** Accessibility.AXNode, always with its children. */
export type AXNode = Protocol.Accessibility.AXNode & { childIds: string[] };

/** Turns the objects of one tree into AXNodes. */
export class Writer {
  private readonly ids = new Map<Item, string>();
  private nodeless = -1_000_000_000;

  constructor(
    root: Item,
    private readonly idOf: IdOf,
    private readonly frameId: string,
  ) {
    this.number(root);
  }

  /** Numbers objects without a DOM node, in document order. The ids last as long as the document. */
  private number(item: Item): void {
    if (!item.node) this.ids.set(item, String(--this.nodeless));
    for (const c of item.children) this.number(c);
  }

  /** The id of an object: that of its DOM node, or a negative number. */
  id(item: Item): string {
    return item.node ? String(this.idOf(item.node)) : (this.ids.get(item) ?? "0");
  }

  node(item: Item): AXNode {
    const node: AXNode = {
      nodeId: this.id(item),
      ignored: item.ignored,
      role: roleValue(item),
      childIds: item.children.map((c) => this.id(c)),
    };
    if (item.ignored) {
      node.ignoredReasons = [{ name: item.reason ?? "uninteresting", value: { type: "boolean", value: true } }];
    } else {
      this.describe(node, item);
    }
    if (item.parent) node.parentId = this.id(item.parent);
    const target = item.node ?? item.handle;
    if (target) node.backendDOMNodeId = this.idOf(target);
    if (!item.parent) node.frameId = this.frameId;
    return node;
  }

  private describe(node: AXNode, item: Item): void {
    node.name = { type: "computedString", value: nameOf(item) };
    const description = descriptionOf(item);
    if (description) node.description = { type: "computedString", value: description };
    const value = valueOf(item);
    if (value !== undefined) node.value = { type: typeof value === "number" ? "number" : "string", value };
    node.properties = propertiesOf(item, this.idOf);
  }

  /**
   * An object and its descendants to a depth, level by level as Chromium lists
   * them. Ignored objects do not count as a level.
   */
  subtree(item: Item, depth = Infinity): AXNode[] {
    const nodes: AXNode[] = [];
    let level = [item];
    for (let n = 0; level.length > 0 && n <= depth; n++) {
      for (const i of level) nodes.push(this.node(i));
      level = level.flatMap((i) => (i.ignored ? [] : withIgnored(i)));
    }
    return nodes;
  }
}

/** The children of an object, each ignored one followed by its own. */
export function withIgnored(item: Item): Item[] {
  return item.children.flatMap((c) => (c.ignored ? [c, ...withIgnored(c)] : [c]));
}

/** Chromium's own roles begin with a capital; those of ARIA do not. */
function roleValue(item: Item): Protocol.Accessibility.AXValue {
  if (item.ignored) return { type: "role", value: "none" };
  return { type: /^[A-Z]/.test(item.role) ? "internalRole" : "role", value: item.role };
}
