// Runtime.DeepSerializedValue of what the browser itself makes: windows, nodes and
// lists of them, and all its other objects.

import { added } from "../base/added";
import { allFrames, frameOfDocument, frameOfOwner } from "../page/frames";
import { originals } from "../base/originals";
import { documentOf, idOfNode, isElement } from "./nodes";
import type { Deep, Depths, Inner } from "../runtime/deep";
import { isNode } from "../runtime/serialize";

function platform(value: object, depths: Depths, inner: Inner): Deep | undefined {
  const frame = allFrames().find((f) => f.win === value || f.owner?.contentWindow === value);
  if (frame) return { type: "window", value: { context: frame.id } };
  if (isNode(value)) return nodeOf(value, depths.nodes, depths.shadows);
  const kind = originals.objectTag.call(value).slice(8, -1);
  if (kind === "NodeList" || kind === "HTMLCollection") {
    const list = depths.objects > 0 && Array.from(value as NodeList, (each) => inner(each, depths.objects - 1));
    return { type: kind === "NodeList" ? "nodelist" : "htmlcollection", ...(list && { value: list }) };
  }
  return typeof value === "object" && isPlatform(value) ? { type: "platformobject" } : undefined;
}

/** Whether an object is one of the browser's, and not of the language. */
function isPlatform(value: object): boolean {
  try {
    for (let o = Object.getPrototypeOf(value) as object | null; o; o = Object.getPrototypeOf(o)) {
      const maker: unknown = Object.getOwnPropertyDescriptor(o, "constructor")?.value;
      if (typeof maker !== "function" || !originals.functionText.call(maker).includes("[native code]")) continue;
      if (LANGUAGE.test(maker.name)) return false;
      if (maker.name in window) return true;
    }
  } catch {
    // a window of another origin that is no frame of this page, or a Proxy whose trap throws
  }
  return false;
}

/** The constructors of the language itself (ECMA-262, section 19.3). */
const LANGUAGE =
  /^(Object|Function|Boolean|Number|BigInt|String|Symbol|RegExp|Date|Promise|Iterator|DataView|FinalizationRegistry|Weak(Map|Set|Ref)|Map|Set|(Shared)?ArrayBuffer|((Big)?U?[Ii]nt\d+|Uint8Clamped|Float\d+)?Array|(Aggregate|Eval|Range|Reference|Suppressed|Syntax|Type|URI)?Error|(Async)?DisposableStack)$/;

/** A node with the levels of nodes below it that are asked for. */
function nodeOf(node: Node, levels: number, shadows: string): Deep {
  const value: Record<string, unknown> = {
    nodeType: node.nodeType,
    ...(node.nodeValue !== null && { nodeValue: node.nodeValue }),
    childNodeCount: node.childNodes.length,
    backendNodeId: idOfNode(node),
    loaderId: frameOfDocument(documentOf(node))?.loaderId ?? "",
  };
  if (isElement(node)) {
    const frame = frameOfOwner(node);
    const { shadowRoot: root, localName, namespaceURI } = node;
    const shown = root && shadows !== "none" ? levels : 0;
    if (frame) value.frameId = frame.id;
    Object.assign(value, { shadowRoot: root && nodeOf(root, shown, shadows), localName, namespaceURI });
    value.attributes = Object.fromEntries(Array.from(node.attributes, (a) => [a.name, a.value]));
  } else if (node.nodeType === Node.ATTRIBUTE_NODE) {
    const { localName, namespaceURI } = node as Attr;
    Object.assign(value, { localName, namespaceURI });
  } else if (node.nodeType === Node.DOCUMENT_FRAGMENT_NODE && "mode" in node) value.mode = node.mode;
  if (levels > 0) value.children = Array.from(node.childNodes, (c) => nodeOf(c, levels - 1, shadows));
  return { type: "node", value };
}

added.platform = platform;
