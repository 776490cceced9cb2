// The DOM domain: changing the tree.

import type { Protocol } from "../../cdp";
import { pushNode } from "./dom";
import { elementOfParams, isDocument, isElement, nodeOfId, nodeOfParams } from "./nodes";
import { ProtocolError, register } from "../base/registry";
import type { Session } from "../base/session";

function copyAttributes(from: Element, to: Element): void {
  for (const { name, value } of from.attributes) to.setAttribute(name, value);
}

function setAttributesAsText(p: Protocol.DOM.SetAttributesAsTextRequest): void {
  const el = elementOfParams({ nodeId: p.nodeId });
  const holder = document.implementation.createHTMLDocument().createElement("div");
  holder.innerHTML = `<span ${p.text}></span>`;
  const parsed = holder.firstElementChild;
  if (!parsed) throw new ProtocolError("Could not parse value as attributes");
  if (p.name !== undefined && !parsed.hasAttribute(p.name)) el.removeAttribute(p.name);
  copyAttributes(parsed, el);
}

function setNodeName(p: Protocol.DOM.SetNodeNameRequest, s: Session): Protocol.DOM.SetNodeNameResponse {
  const old = elementOfParams({ nodeId: p.nodeId });
  const el = old.ownerDocument.createElement(p.name);
  copyAttributes(old, el);
  el.append(...old.childNodes);
  old.replaceWith(el);
  return { nodeId: pushNode(el, s) };
}

function outerHTML(node: Node): string {
  if (isElement(node)) return node.outerHTML;
  return new XMLSerializer().serializeToString(node);
}

function setOuterHTML(p: Protocol.DOM.SetOuterHTMLRequest): void {
  const node = nodeOfId(p.nodeId);
  if (isDocument(node)) node.documentElement.outerHTML = p.outerHTML;
  else if (isElement(node)) node.outerHTML = p.outerHTML;
  else (node as ChildNode).replaceWith(document.createRange().createContextualFragment(p.outerHTML));
}

function move(p: Protocol.DOM.MoveToRequest, s: Session, node: Node): Protocol.DOM.MoveToResponse {
  const to = elementOfParams({ nodeId: p.targetNodeId });
  const before = p.insertBeforeNodeId ? nodeOfId(p.insertBeforeNodeId) : null;
  if (before && before.parentNode !== to) throw new ProtocolError("Anchor node must be child of the target element");
  to.insertBefore(node, before);
  return { nodeId: pushNode(node, s) };
}

/** Sets an attribute. An invalid name is an error that reaches the Client. */
function set(el: Element, name: string, value: string): void {
  try {
    el.setAttribute(name, value);
  } catch (e) {
    throw new ProtocolError((e as Error).message);
  }
}

function remove(p: Protocol.DOM.RemoveNodeRequest): void {
  const node = nodeOfId(p.nodeId);
  if (!node.parentNode) throw new ProtocolError("Cannot remove detached node");
  node.parentNode.removeChild(node);
}

register("DOM", {
  setAttributeValue: (p) => set(elementOfParams({ nodeId: p.nodeId }), p.name, p.value),
  setAttributesAsText,
  removeAttribute: (p) => elementOfParams({ nodeId: p.nodeId }).removeAttribute(p.name),
  setNodeValue: (p) => {
    const node = nodeOfId(p.nodeId);
    if (node.nodeType !== Node.TEXT_NODE && node.nodeType !== Node.PROCESSING_INSTRUCTION_NODE) {
      throw new ProtocolError("Can only set value of text nodes or processing instructions");
    }
    node.nodeValue = p.value;
  },
  setNodeName,
  getOuterHTML: (p) => ({ outerHTML: outerHTML(nodeOfParams(p)) }),
  setOuterHTML,
  removeNode: remove,
  moveTo: (p, s) => move(p, s, nodeOfId(p.nodeId)),
  copyTo: (p, s) => move(p, s, nodeOfId(p.nodeId).cloneNode(true)),
  collectClassNamesFromSubtree: (p) => {
    const node = nodeOfId(p.nodeId);
    const names = new Set<string>(isElement(node) ? node.classList : []);
    if ("querySelectorAll" in node) {
      for (const el of (node as Element).querySelectorAll("[class]")) for (const c of el.classList) names.add(c);
    }
    return { classNames: [...names] };
  },
});
