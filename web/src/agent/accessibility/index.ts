// The Accessibility domain. Each answer is made from a tree built at that
// moment, so that there is nothing to keep up to date and no event to send.

import { frameOf, frameOfDocument, mainFrame, unreachable } from "../page/frames";
import { idOfNode, type NodeParams, nodeOfId, nodeOfParams } from "../dom/nodes";
import { ProtocolError, register } from "../base/registry";
import type { Item } from "./item";
import { nameOf } from "./names";
import { buildTree } from "./tree";
import { type AXNode, withIgnored, Writer } from "./wire";

/** A tree and the means to write its objects. */
interface Snapshot {
  root: Item;
  writer: Writer;
}

register("Accessibility", {
  getFullAXTree: ({ frameId, depth = -1 }) => {
    const { root, writer } = ofFrame(frameId);
    return { nodes: writer.subtree(root, depth >= 0 ? depth : Infinity) };
  },
  getRootAXNode: (params) => {
    const { root, writer } = ofFrame(params.frameId);
    return { node: writer.node(root) };
  },
  getPartialAXTree: (params) => ({ nodes: partial(nodeOfParams(params), params.fetchRelatives !== false) }),
  getAXNodeAndAncestors: (params) => {
    const node = nodeOfParams(params);
    const { root, writer } = ofDocument(documentOf(node));
    return { nodes: lineage(itemFor(root, node)).map((i) => writer.node(i)) };
  },
  getChildAXNodes: (params) => {
    const { root, writer } = params.frameId ? ofFrame(params.frameId) : ofDocument(documentOfId(params.id));
    const parent = find(root, (i) => writer.id(i) === String(params.id));
    if (!parent) throw new ProtocolError("Invalid ID");
    return { nodes: withIgnored(parent).map((i) => writer.node(i)) };
  },
  queryAXTree: (params) => ({ nodes: query(params) }),
});

function ofFrame(frameId?: string): Snapshot {
  const frame = frameId ? frameOf(frameId) : mainFrame();
  if (!frame) throw new ProtocolError("Frame with the given frameId is not found.");
  if (!frame.win) throw new ProtocolError(unreachable(frame));
  return ofDocument(frame.win.document);
}

function ofDocument(doc: Document): Snapshot {
  const root = buildTree(doc);
  return { root, writer: new Writer(root, idOfNode, (frameOfDocument(doc) ?? mainFrame()).id) };
}

function documentOf(node: Node): Document {
  return node.ownerDocument ?? (node as Document);
}

/** The document that an object belongs to. An object without a DOM node is looked up in the main frame. */
function documentOfId(id: string): Document {
  const n = Number(id);
  if (!(n > 0)) return mainFrame().win?.document ?? document;
  try {
    return documentOf(nodeOfId(n));
  } catch {
    throw new ProtocolError("Invalid ID");
  }
}

function find(item: Item, test: (i: Item) => boolean): Item | undefined {
  if (test(item)) return item;
  for (const c of item.children) {
    const found = find(c, test);
    if (found) return found;
  }
  return undefined;
}

/** The object of a node; a node without one stands as an ignored object where it would be. */
function itemFor(root: Item, node: Node): Item {
  const own = find(root, (i) => i.node === node);
  if (own) return own;
  let around: Item | undefined;
  for (let n = node.parentNode; n && !around; n = n instanceof ShadowRoot ? n.host : n.parentNode) {
    const at = n;
    around = find(root, (i) => i.node === at);
  }
  return {
    role: "none",
    node,
    children: [],
    ignored: true,
    reason: "uninteresting",
    parent: around ?? root,
    block: undefined,
  };
}

function lineage(item: Item): Item[] {
  const list: Item[] = [];
  for (let i: Item | undefined = item; i; i = i.parent) list.push(i);
  return list;
}

/** One object; with relatives also its ancestors, siblings and children. */
function partial(node: Node, relatives: boolean): AXNode[] {
  const { root, writer } = ofDocument(documentOf(node));
  const item = itemFor(root, node);
  if (!relatives) return [writer.node(item)];
  const list = [item, ...item.children, ...(item.parent?.children ?? []), ...lineage(item).slice(1)];
  return [...new Set(list)].map((i) => writer.node(i));
}

/** Every object below a node that has the role and the name asked for. */
function query(params: NodeParams & { role?: string; accessibleName?: string }): AXNode[] {
  const node = nodeOfParams(params);
  const { root, writer } = ofDocument(documentOf(node));
  const top = node.nodeType === Node.DOCUMENT_NODE ? root : itemFor(root, node);
  const found: AXNode[] = [];
  const visit = (item: Item): void => {
    if (matches(item, params)) found.push(writer.node(item));
    item.children.forEach(visit);
  };
  visit(top);
  return found;
}

function matches(item: Item, params: { role?: string; accessibleName?: string }): boolean {
  if (params.role !== undefined && (item.ignored ? "none" : item.role) !== params.role) return false;
  if (params.accessibleName !== undefined && (item.ignored || nameOf(item) !== params.accessibleName)) return false;
  return true;
}
