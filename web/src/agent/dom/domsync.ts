// Keeps clients' copies of the DOM tree up to date. A client gets events only
// for nodes that it has been told of, as in Chromium.

import { type DescriptionListener, childrenOf, describe } from "./describe";
import { HOVERED } from "../input/hoverstyle";
import { idOfNode, isDocument, isElement } from "./nodes";
import { type Session, onSessionEnd } from "../base/session";
import { exposeNodes } from "../../realms";

/** One client's tree. */
class ClientTree implements DescriptionListener {
  private readonly nodes = new Set<number>();
  /**
   * The children that the client knows, by parent and in order. No list for parents of which it knows
   * only the number of children.
   */
  private readonly lists = new Map<number, number[]>();

  constructor(private readonly session: Session) {}

  has(node: Node): boolean {
    return this.nodes.has(idOfNode(node));
  }

  node(node: Node): void {
    this.nodes.add(idOfNode(node));
    if (isDocument(node) || node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) observe(node);
  }

  children(parent: Node, children: Node[]): void {
    this.lists.set(idOfNode(parent), children.map(idOfNode));
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

  /** Reports removed children; or their new number, if the client knows no more than that. */
  removed(parent: Node): void {
    if (!this.has(parent)) return;
    const nodeId = idOfNode(parent);
    const list = this.lists.get(nodeId);
    const now = childrenOf(parent);
    if (!list) return this.session.emit("DOM.childNodeCountUpdated", { nodeId, childNodeCount: now.length });
    const left = new Set(now.map(idOfNode));
    for (const id of list) if (!left.has(id)) this.remove(nodeId, id);
    this.lists.set(
      nodeId,
      list.filter((id) => left.has(id)),
    );
  }

  /** Reports children that are new or have moved. */
  inserted(parent: Node): void {
    const parentNodeId = idOfNode(parent);
    const list = this.lists.get(parentNodeId);
    if (!list || !this.has(parent)) return;
    const now = childrenOf(parent);
    let previousNodeId = 0;
    let at = 0;
    for (const child of now) {
      const id = idOfNode(child);
      if (list[at] === id) at++;
      else {
        const old = list.indexOf(id, at);
        if (old >= 0) this.remove(parentNodeId, ...list.splice(old, 1));
        const node = describe(child, { depth: 0, pierce: false, listener: this });
        this.session.emit("DOM.childNodeInserted", { parentNodeId, previousNodeId, node });
      }
      previousNodeId = id;
    }
    this.children(parent, now);
  }

  private remove(parentNodeId: number, ...ids: number[]): void {
    for (const nodeId of ids) {
      this.session.emit("DOM.childNodeRemoved", { parentNodeId, nodeId });
      this.drop(nodeId);
    }
  }

  private drop(id: number): void {
    this.nodes.delete(id);
    for (const child of this.lists.get(id) ?? []) this.drop(child);
    this.lists.delete(id);
  }
}

const clients = new Map<Session, ClientTree>();

/** The tree of a client. */
export function clientTreeOf(s: Session): ClientTree {
  return clients.get(s) ?? beginClientTree(s);
}

/** Starts a client's tree afresh, as DOM.getDocument does. */
export function beginClientTree(s: Session): ClientTree {
  const known = new ClientTree(s);
  clients.set(s, known);
  return known;
}

/** Ends the events for a client. */
export function forgetClientTree(s: Session): void {
  clients.delete(s);
  if (clients.size > 0) return;
  for (const o of observers.values()) o.disconnect();
  observers.clear();
  observed = new WeakSet();
}

onSessionEnd(forgetClientTree);

// ---------------------------------------------------------------- changes

let observed = new WeakSet<Node>();
/** Of each document's own window: see treewatch.ts. */
const observers = new Map<Document, MutationObserver>();

function observe(root: Node): void {
  if (observed.has(root)) return;
  observed.add(root);
  const doc = root.ownerDocument ?? (root as Document);
  let observer = observers.get(doc);
  if (!observer) {
    const win = doc.defaultView ?? window;
    observers.set(doc, (observer = new win.MutationObserver((records) => changed(doc, records))));
  }
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}

function changed(doc: Document, records: MutationRecord[]): void {
  if (doc !== document) exposeNodes(doc);
  const parents = new Set<Node>();
  for (const r of records) {
    if (r.type === "childList") parents.add(r.target);
    // Clients do not see text of white space only, so a change of text may add or remove a child.
    else if (r.type === "characterData" && r.target.parentNode) parents.add(r.target.parentNode);
  }
  for (const known of clients.values()) {
    for (const r of records) {
      if (r.type === "attributes" && isElement(r.target) && r.attributeName) known.attribute(r.target, r.attributeName);
      else if (r.type === "characterData") known.text(r.target);
    }
    for (const p of parents) known.removed(p); // removals first: a moved node is removed before it is inserted
    for (const p of parents) known.inserted(p);
  }
}
