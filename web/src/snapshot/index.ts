// DOMSnapshot.captureSnapshot: the whole tree with its layout in one answer. A
// bundle of its own, because few Clients ask. Pseudo elements are left out:
// they are no nodes for page script.

import type { Protocol } from "../cdp";
import { ClientError } from "../clienterror";
import { Layout } from "./layout";
import { type Ids, Nodes } from "./nodes";
import { Strings } from "./strings";

/** Answers DOMSnapshot.captureSnapshot. */
export function capture(
  p: Protocol.DOMSnapshot.CaptureSnapshotRequest,
  ids: Ids,
): Protocol.DOMSnapshot.CaptureSnapshotResponse {
  if (!Array.isArray(p.computedStyles)) throw new ClientError("Invalid parameters", -32602);
  const strings = new Strings();
  const queue = [document];
  const documents: Protocol.DOMSnapshot.DocumentSnapshot[] = [];
  // Documents of frames join the queue as their owners are met.
  for (let doc = queue[0]; doc; doc = queue[documents.length]) documents.push(snapshot(doc, p, ids, strings, queue));
  return { documents, strings: strings.all };
}

function snapshot(
  doc: Document,
  p: Protocol.DOMSnapshot.CaptureSnapshotRequest,
  ids: Ids,
  strings: Strings,
  queue: Document[],
): Protocol.DOMSnapshot.DocumentSnapshot {
  const nodes = new Nodes(strings, ids, queue);
  const layout = new Layout(strings, p, doc);
  nodes.walk(doc, (node, index) => layout.add(node, index));
  const root = doc.scrollingElement ?? doc.documentElement;
  const { scrollX = 0, scrollY = 0 } = doc.defaultView ?? {};
  return {
    documentURL: strings.index(doc.URL),
    title: strings.index(doc.title),
    baseURL: strings.index(doc.baseURI),
    contentLanguage: strings.index(doc.documentElement?.lang),
    encodingName: strings.index(doc.characterSet),
    publicId: strings.index(doc.doctype?.publicId),
    systemId: strings.index(doc.doctype?.systemId),
    frameId: strings.index(ids.frameIdOf(doc)),
    nodes: nodes.snapshot(),
    ...layout.snapshot(),
    scrollOffsetX: scrollX,
    scrollOffsetY: scrollY,
    contentWidth: root?.scrollWidth ?? 0,
    contentHeight: root?.scrollHeight ?? 0,
  };
}
