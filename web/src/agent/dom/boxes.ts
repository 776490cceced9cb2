// The DOM domain: where nodes are on the screen, and bringing them there.

import type { Protocol } from "../../cdp";
import { pushNode } from "./dom";
import { frameOfDocument } from "../page/frames";
import {
  type Box,
  type Quad,
  boundsOf,
  contentBox,
  locationPoint,
  marginBox,
  paddingBox,
  placeInTarget,
  placed,
  quad,
  rectsOf,
  reveal,
} from "./geometry";
import { spotAt } from "../input/point";
import { type NodeParams, documentOf, elementOfParams, idOfNode, isElement, nodeOfParams } from "./nodes";
import { ProtocolError, register } from "../base/registry";
import type { Session } from "../base/session";
import { untransformed } from "./transform";

/** DOM.getBoxModel. */
export function boxModel(p: NodeParams): Protocol.DOM.GetBoxModelResponse {
  const node = nodeOfParams(p);
  const border = node.isConnected ? boundsOf(node) : undefined;
  if (!border) throw new ProtocolError("Could not compute box model.");
  const el = isElement(node) ? node : undefined;
  const { box, at } = el ? untransformed(el, border) : { box: border, at: quad };
  const target = placeInTarget(documentOf(node));
  const place = (b: Box): Quad => placed(target, at(b));
  return {
    model: {
      content: place(el ? contentBox(el, box) : box),
      padding: place(el ? paddingBox(el, box) : box),
      border: place(box),
      margin: place(el ? marginBox(el, box) : box),
      width: Math.round(box.right - box.left), // Clients in typed languages read an integer
      height: Math.round(box.bottom - box.top),
    },
  };
}

function contentQuads(p: NodeParams): Protocol.DOM.GetContentQuadsResponse {
  const node = nodeOfParams(p);
  const rects = node.isConnected ? rectsOf(node) : [];
  if (rects.length === 0) throw new ProtocolError("Could not compute content quads.");
  if (isElement(node) && rects.length === 1) return { quads: [boxModel(p).model.border] };
  return { quads: rects.map((r) => placed(placeInTarget(documentOf(node)), quad(r))) };
}

function scrollIntoView(p: Protocol.DOM.ScrollIntoViewIfNeededRequest): void {
  const node = nodeOfParams(p);
  if (!node.isConnected) throw new ProtocolError("Node is detached from document");
  if (!boundsOf(node)) throw new ProtocolError("Node does not have a layout object");
  reveal(node, p.rect);
}

function nodeForLocation(
  p: Protocol.DOM.GetNodeForLocationRequest,
  s: Session,
): Protocol.DOM.GetNodeForLocationResponse {
  const at = locationPoint(p);
  const spot = spotAt(at.x, at.y);
  const el = spot?.parent ?? spot?.el;
  if (!el) throw new ProtocolError("No node found at given location");
  return { backendNodeId: idOfNode(el), nodeId: pushNode(el, s), frameId: frameOfDocument(el.ownerDocument)?.id ?? "" };
}

function focus(p: NodeParams): void {
  const el = elementOfParams(p, "Node is not an Element") as HTMLElement;
  el.focus?.({ preventScroll: true });
  const root = el.getRootNode() as Document | ShadowRoot;
  if (root.activeElement !== el && !el.matches(":focus-within")) throw new ProtocolError("Element is not focusable");
}

register("DOM", {
  getBoxModel: boxModel,
  getContentQuads: contentQuads,
  scrollIntoViewIfNeeded: scrollIntoView,
  getNodeForLocation: nodeForLocation,
  focus,
});
