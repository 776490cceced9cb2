// The DOM domain: the tree as Clients see it, and how they name its nodes.

import type { Protocol } from "../../cdp";
import { childrenOf, describe } from "./describe";
import { beginClientTree, forgetClientTree, clientTreeOf } from "./domsync";
import { contextOf, mainContext } from "../runtime/contexts";
import { wrap } from "../runtime/objects";
import { frameOf, frameOfDocument, mainFrame } from "../page/frames";
import { type NodeParams, documentOf, elementOfParams, idOfNode, isElement, nodeOfId, nodeOfParams } from "./nodes";
import { added } from "../base/added";
import { ProtocolError, register } from "../base/registry";
import type { Session } from "../base/session";

added.forgetClientTree = forgetClientTree;

/** The depth that params ask for; everything below when it is negative, as in Chromium. */
function depthOf(p: { depth?: number }, otherwise: number): number {
  const depth = p.depth ?? otherwise;
  return depth < 0 ? Infinity : depth;
}

/** The depth of DOM.requestChildNodes, for which 0 is an error. */
function pushDepthOf(p: { depth?: number }): number {
  if (p.depth === 0 || (p.depth ?? 1) < -1)
    throw new ProtocolError("Please provide a positive integer as a depth or -1 for entire subtree");
  return depthOf(p, 1);
}

// ---------------------------------------------------------------- pushing

/**
 * The id of a node for a Client that keeps a copy of the tree. Chromium first sends the children of every ancestor
 * (DOM.setChildNodes), and chromedp waits until it knows the node.
 */
export function pushNode(node: Node, s: Session): number {
  const seen = clientTreeOf(s);
  const missing: Node[] = [];
  let at: Node | null = node;
  while (at && !seen.has(at)) {
    missing.unshift(at);
    at = at.parentNode ?? (at as ShadowRoot).host ?? null;
  }
  if (!at) return idOfNode(node); // the node is in no document that the Client has requested
  for (const n of missing) {
    const parent = n.parentNode;
    if (!parent || seen.has(n)) continue;
    sendChildren(parent, s, 1, false);
  }
  return idOfNode(node);
}

function sendChildren(parent: Node, s: Session, depth: number, pierce: boolean): void {
  const tell = clientTreeOf(s);
  const children = childrenOf(parent);
  tell.children(parent, children);
  const nodes = children.map((c) => describe(c, { depth: depth - 1, pierce, listener: tell }));
  s.emit("DOM.setChildNodes", { parentId: idOfNode(parent), nodes });
}

// --------------------------------------------------------------- commands

/** A subtree that can be searched by selectors. */
function searchable(p: NodeParams): ParentNode {
  const node = nodeOfParams(p);
  if (!("querySelector" in node)) throw new ProtocolError("Not a container node");
  return node as Node & ParentNode;
}

/** Runs a query. An unknown root gives another error than an invalid selector: Clients retry after the former. */
function select<T>(f: () => T): T {
  try {
    return f();
  } catch (e) {
    if (e instanceof ProtocolError) throw e;
    throw new ProtocolError("DOM Error while querying");
  }
}

function resolve(p: Protocol.DOM.ResolveNodeRequest, s: Session): Protocol.DOM.ResolveNodeResponse {
  if (p.nodeId === undefined && p.backendNodeId === undefined) {
    throw new ProtocolError("Either nodeId or backendNodeId must be specified.");
  }
  let node: Node;
  try {
    node = p.nodeId !== undefined ? nodeOfId(p.nodeId) : nodeOfParams({ backendNodeId: p.backendNodeId });
  } catch {
    throw new ProtocolError("No node with given id found");
  }
  const frame = frameOfDocument(documentOf(node));
  const context =
    p.executionContextId !== undefined ? contextOf(p.executionContextId) : mainContext(frame ?? mainFrame());
  return { object: wrap(node, context, s, { objectGroup: p.objectGroup }) };
}

function frameOwner(p: Protocol.DOM.GetFrameOwnerRequest, s: Session): Protocol.DOM.GetFrameOwnerResponse {
  const owner = frameOf(p.frameId)?.owner;
  if (!owner) throw new ProtocolError("Frame with the given id was not found.");
  return { backendNodeId: idOfNode(owner), nodeId: pushNode(owner, s) };
}

function flattened(): Node[] {
  const list: Node[] = [];
  const visit = (n: Node): void => {
    list.push(n);
    if (isElement(n) && n.shadowRoot) visit(n.shadowRoot);
    childrenOf(n).forEach(visit);
  };
  visit(document);
  return list;
}

register("DOM", {
  enable: () => {},
  disable: (_p, s) => forgetClientTree(s),
  getDocument: (p, s) => ({
    root: describe(document, { depth: depthOf(p, 2), pierce: p.pierce === true, listener: beginClientTree(s) }),
  }),
  getFlattenedDocument: (_p, s) => ({
    nodes: flattened().map((n) => describe(n, { depth: 0, pierce: false, listener: clientTreeOf(s) })),
  }),
  describeNode: (p) => ({ node: describe(nodeOfParams(p), { depth: depthOf(p, 0), pierce: p.pierce === true }) }),
  requestChildNodes: (p, s) => sendChildren(nodeOfId(p.nodeId), s, pushDepthOf(p), p.pierce === true),
  requestNode: (p, s) => ({ nodeId: pushNode(nodeOfParams({ objectId: p.objectId }), s) }),
  resolveNode: resolve,
  pushNodesByBackendIdsToFrontend: (p, s) => ({
    nodeIds: p.backendNodeIds.map((id) => {
      try {
        return pushNode(nodeOfParams({ backendNodeId: id }), s);
      } catch {
        return 0;
      }
    }),
  }),
  querySelector: (p, s) => {
    const found = select(() => searchable({ nodeId: p.nodeId }).querySelector(p.selector));
    return { nodeId: found ? pushNode(found, s) : 0 };
  },
  querySelectorAll: (p, s) => {
    const found = select(() => searchable({ nodeId: p.nodeId }).querySelectorAll(p.selector));
    return { nodeIds: [...found].map((n) => pushNode(n, s)) };
  },
  getFrameOwner: frameOwner,
  getAttributes: (p) => ({
    attributes: [...elementOfParams({ nodeId: p.nodeId }).attributes].flatMap((a) => [a.name, a.value]),
  }),
});
