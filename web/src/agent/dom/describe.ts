// DOM.Node objects.

import type { Protocol } from "../../cdp";
import { frameOfDocument, frameOfOwner } from "../page/frames";
import { idOfNode, isDocument, isElement } from "./nodes";

/**
 * Whether Clients see a node among its parent's children. Text that is only white space is left out, as in Chromium,
 * and so are the elements that the rasteriser of screenshots adds for measuring.
 */
export function isShown(node: Node): boolean {
  if (node.nodeType === Node.TEXT_NODE) return /\S/.test(node.nodeValue ?? "");
  return !isElement(node) || !node.hasAttribute("data-cdphub-internal");
}

/** Children as Clients see them. */
export function childrenOf(node: Node): Node[] {
  return [...node.childNodes].filter(isShown);
}

/** Notes which nodes and children a description contains. */
export interface DescriptionListener {
  node(node: Node): void;
  children(parent: Node, children: Node[]): void;
}

/** How much of a tree to describe. */
export interface Scope {
  depth: number;
  pierce: boolean;
  listener?: DescriptionListener;
}

/** DOM.Node. */
export function describe(node: Node, scope: Scope): Protocol.DOM.Node {
  const id = idOfNode(node);
  scope.listener?.node(node);
  const d: Protocol.DOM.Node = {
    nodeId: id,
    backendNodeId: id,
    nodeType: node.nodeType,
    nodeName: node.nodeName,
    localName: (node as Element).localName ?? "",
    nodeValue: node.nodeValue ?? "",
  };
  if (node.parentNode) d.parentId = idOfNode(node.parentNode);
  if (isElement(node)) describeElement(node, d, scope);
  else if (isDocument(node)) describeDocument(node, d);
  else if (node.nodeType === Node.DOCUMENT_TYPE_NODE) {
    const { publicId, systemId } = node as DocumentType;
    Object.assign(d, { publicId, systemId });
  } else if (node.nodeType === Node.DOCUMENT_FRAGMENT_NODE && "mode" in node)
    d.shadowRootType = (node as ShadowRoot).mode;
  describeChildren(node, d, scope);
  return d;
}

function describeElement(el: Element, d: Protocol.DOM.Node, scope: Scope): void {
  d.attributes = [...el.attributes].flatMap((a) => [a.name, a.value]);
  if (el.namespaceURI === "http://www.w3.org/2000/svg") d.isSVG = true;
  const within = (root: Node): Protocol.DOM.Node => describe(root, { ...scope, depth: scope.pierce ? scope.depth : 0 });
  const frame = frameOfOwner(el);
  const own = frame ?? (el === el.ownerDocument.documentElement && frameOfDocument(el.ownerDocument));
  if (own) d.frameId = own.id;
  if (frame?.win) d.contentDocument = within(frame.win.document);
  const { content } = el as HTMLTemplateElement;
  if (el.localName === "template" && content) d.templateContent = describe(content, { ...scope, depth: 0 });
  if (el.shadowRoot) d.shadowRoots = [within(el.shadowRoot)];
}

function describeDocument(doc: Document, d: Protocol.DOM.Node): void {
  const frame = frameOfDocument(doc);
  Object.assign(d, {
    documentURL: doc.URL,
    baseURL: doc.baseURI,
    xmlVersion: "",
    compatibilityMode: doc.compatMode === "BackCompat" ? "QuirksMode" : "NoQuirksMode",
    ...(frame && { frameId: frame.id }),
  });
}

function describeChildren(node: Node, d: Protocol.DOM.Node, scope: Scope): void {
  const children = childrenOf(node);
  if (isElement(node) || isDocument(node) || node.nodeType === Node.DOCUMENT_FRAGMENT_NODE)
    d.childNodeCount = children.length;
  // Chromium includes a text node that is the only child, whatever the depth.
  const lone = children.length === 1 && children[0].nodeType === Node.TEXT_NODE;
  if (scope.depth <= 0 && !lone) return;
  scope.listener?.children(node, children);
  d.children = children.map((c) => describe(c, { ...scope, depth: scope.depth - 1 }));
}
