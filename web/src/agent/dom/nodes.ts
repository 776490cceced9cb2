// Node ids: nodeId and backendNodeId are one number, counted per document.

import { base, slotOf } from "../base/originals";
import { unwrap } from "../runtime/objects";
import { ProtocolError } from "../base/registry";

const ids = new WeakMap<Node, number>();
const nodes = new Map<number, WeakRef<Node>>();
const gone = new FinalizationRegistry<number>((id) => nodes.delete(id));

/** The ids of one document differ from those of the next one, since a Client may still hold some. */
let counter = 0;

/** The id of a node, minted when first asked for. The table keeps no node alive. */
export function idOfNode(node: Node): number {
  let id = ids.get(node);
  if (id === undefined) {
    id = slotOf(base) * 1_000_000 + ++counter;
    ids.set(node, id);
    nodes.set(id, new WeakRef(node));
    gone.register(node, id);
  }
  return id;
}

/** The node with this id, or undefined. */
function find(id: number): Node | undefined {
  return nodes.get(id)?.deref();
}

/** The node with this nodeId; throws "Could not find node with given id". */
export function nodeOfId(id: number): Node {
  const node = find(id);
  if (!node) throw new ProtocolError("Could not find node with given id");
  return node;
}

/** What the node-naming params of a command look like. */
export interface NodeParams {
  nodeId?: number;
  backendNodeId?: number;
  objectId?: string;
}

/** The node that params name by nodeId, backendNodeId or objectId, with Chromium's errors. */
export function nodeOfParams(params: NodeParams): Node {
  if (params.nodeId !== undefined) return nodeOfId(params.nodeId);
  if (params.backendNodeId !== undefined) {
    const node = find(params.backendNodeId);
    if (!node) throw new ProtocolError("No node found for given backend id");
    return node;
  }
  if (params.objectId === undefined)
    throw new ProtocolError("Either nodeId, backendNodeId or objectId must be specified");
  const { value } = unwrap(params.objectId);
  if (!isNode(value)) throw new ProtocolError("Object id doesn't reference a Node");
  return value;
}

/** The element that params name; throws `message` when it is a node of another kind. */
export function elementOfParams(params: NodeParams, message = "Node is not an Element"): Element {
  const node = nodeOfParams(params);
  if (!isElement(node)) throw new ProtocolError(message);
  return node;
}

// Nodes of child frames are instances of other constructors, so `instanceof` does not work, and nodeType tells the
// kind.

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Node).nodeType === "number" &&
    typeof (value as Node).nodeName === "string"
  );
}

export function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

export function isDocument(node: Node): node is Document {
  return node.nodeType === Node.DOCUMENT_NODE;
}

/** The document a node is in, which for a document is itself. */
export function documentOf(node: Node): Document {
  return isDocument(node) ? node : (node.ownerDocument as Document);
}
