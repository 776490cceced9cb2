// Keeps Clients' copies of the DOM tree up to date. A Client gets events only for nodes that it has been sent, as in
// Chromium.

import { type DescriptionListener, childrenOf, describe, isShown } from "./describe";
import { HOVERED } from "../input/hoverstyle";
import { idOfNode, isDocument } from "./nodes";
import { type Session, onSessionEnd } from "../base/session";
import { exposeNodes } from "../../realms";

/** One Client's tree. */
class ClientTree implements DescriptionListener {
  private readonly nodes = new Set<number>();
  /** The children that the Client knows, by parent. A parent of which it knows only the number of children has none. */
  private readonly lists = new Map<number, Set<number>>();

  constructor(private readonly session: Session) {}

  has(node: Node): boolean {
    return this.nodes.has(idOfNode(node));
  }

  node(node: Node): void {
    this.nodes.add(idOfNode(node));
    if (isDocument(node) || node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) observe(node);
  }

  children(parent: Node, children: Node[]): void {
    this.lists.set(idOfNode(parent), new Set(children.map(idOfNode)));
  }

  attribute(el: Element, name: string): void {
    if (!this.has(el) || name === HOVERED) return;
    const nodeId = idOfNode(el);
    const value = el.getAttribute(name);
    if (value === null) this.session.emit("DOM.attributeRemoved", { nodeId, name });
    else this.session.emit("DOM.attributeModified", { nodeId, name, value });
  }

  text(node: Node): void {
    if (this.has(node))
      this.session.emit("DOM.characterDataModified", {
        nodeId: idOfNode(node),
        characterData: node.nodeValue as string,
      });
  }

  /** Reports removed children; or the new number of children, if the Client knows only their number. */
  removed(parent: Node, changes: Changes): void {
    if (!this.has(parent)) return;
    const nodeId = idOfNode(parent);
    const list = this.lists.get(nodeId);
    if (!list)
      return this.session.emit("DOM.childNodeCountUpdated", { nodeId, childNodeCount: childrenOf(parent).length });
    for (const [child, taken] of changes) {
      const id = idOfNode(child);
      if (!list.has(id) || (!taken && child.parentNode === parent && isShown(child))) continue;
      list.delete(id);
      this.session.emit("DOM.childNodeRemoved", { parentNodeId: nodeId, nodeId: id });
      this.drop(id);
    }
  }

  /** Reports new and moved children in document order: each event names the sibling before it. */
  inserted(parent: Node, changes: Changes): void {
    const parentNodeId = idOfNode(parent);
    const list = this.lists.get(parentNodeId);
    if (!list) return;
    const isNew = (n: Node | null): n is Node =>
      !!n && changes.has(n) && n.parentNode === parent && !list.has(idOfNode(n)) && isShown(n);
    for (let child of changes.keys()) {
      if (!isNew(child)) continue;
      let before = shown(child, "previousSibling");
      for (; isNew(before); before = shown(child, "previousSibling")) child = before;
      for (let at: Node | null = child; isNew(at); at = shown(at, "nextSibling")) {
        const previousNodeId = before ? idOfNode(before) : 0;
        const node = describe(at, { depth: 0, pierce: false, listener: this });
        list.add(node.nodeId);
        this.session.emit("DOM.childNodeInserted", { parentNodeId, previousNodeId, node });
        before = at;
      }
    }
  }

  private drop(id: number): void {
    this.nodes.delete(id);
    for (const child of this.lists.get(id) ?? []) this.drop(child);
    this.lists.delete(id);
  }
}

/**
 * Changed children of one parent. The value says whether the child was removed, even if it was inserted again
 * elsewhere.
 */
type Changes = Map<Node, boolean>;

/** The nearest sibling on one side that Clients see. */
function shown(node: Node, side: "previousSibling" | "nextSibling"): Node | null {
  let at: Node | null = node;
  do at = side === "nextSibling" ? at.nextSibling : at.previousSibling;
  while (at && !isShown(at));
  return at;
}

const clients = new Map<Session, ClientTree>();

/** The tree of a Client. */
export function clientTreeOf(s: Session): ClientTree {
  return clients.get(s) ?? beginClientTree(s);
}

/** Starts a Client's tree afresh, as DOM.getDocument does. */
export function beginClientTree(s: Session): ClientTree {
  const known = new ClientTree(s);
  clients.set(s, known);
  return known;
}

/** Ends the events for a Client. */
export function forgetClientTree(s: Session): void {
  clients.delete(s);
  if (clients.size > 0) return;
  for (const o of observers.values()) o.disconnect();
  observers.clear();
}

onSessionEnd(forgetClientTree);

// ---------------------------------------------------------------- changes

/** By document. Each observer is of the document's own window: see treewatch.ts. */
const observers = new Map<Document, MutationObserver>();

function observe(root: Node): void {
  const doc = root.ownerDocument ?? (root as Document);
  let observer = observers.get(doc);
  if (!observer) {
    const win = doc.defaultView ?? window;
    observers.set(doc, (observer = new win.MutationObserver((records) => changed(doc, records))));
  }
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}

/**
 * Looks only at children that have changed: a list may be long, and a page may change thousands of times a second.
 */
function changed(doc: Document, records: MutationRecord[]): void {
  if (doc !== document) exposeNodes(doc);
  const parents = new Map<Node, Changes>();
  for (let i = 0; i < records.length; i++) {
    const { type, target, attributeName, addedNodes, removedNodes } = records[i];
    for (const known of clients.values()) {
      if (attributeName) known.attribute(target as Element, attributeName);
      else if (type === "characterData") known.text(target);
    }
    // Clients do not see text of white space only, so a change of text may add or remove a child.
    const parent = type === "characterData" ? target.parentNode : target;
    if (attributeName || !parent) continue;
    const changes = parents.get(parent) ?? new Map<Node, boolean>();
    parents.set(parent, changes);
    const note = (child: Node): unknown => changes.set(child, changes.get(child) === true);
    if (parent !== target) note(target);
    for (let k = 0; k < removedNodes.length; k++) changes.set(removedNodes[k], true);
    for (let k = 0; k < addedNodes.length; k++) note(addedNodes[k]);
  }
  for (const known of clients.values()) {
    for (const [p, changes] of parents) known.removed(p, changes); // removals first: a moved node is removed before it is inserted
    for (const [p, changes] of parents) known.inserted(p, changes);
  }
}
