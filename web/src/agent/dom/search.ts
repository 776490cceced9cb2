// The DOM domain: searching the tree by text, selector or path.

import { pushNode } from "./dom";
import { isElement } from "./nodes";
import { mint } from "../base/originals";
import { ProtocolError, register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";

/** Results by searchId, until they are discarded or their session ends. */
const searches = new Map<string, { session: Session; nodes: Node[] }>();

onSessionEnd((s) => {
  for (const [id, found] of searches) if (found.session === s) searches.delete(id);
});

/** Finds all nodes that match the query as text, as an XPath or as a selector, as Chromium does. */
function search(query: string): Node[] {
  return [...new Set([...byText(query), ...byPath(query), ...bySelector(query)])];
}

function byText(query: string): Node[] {
  const text = query.toLowerCase();
  const tag = text.replace(/^<\/?|>$/g, "");
  const found: Node[] = [];
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    if (isElement(n) ? inElement(n, text, tag) : (n.nodeValue ?? "").toLowerCase().includes(text)) found.push(n);
  }
  return found;
}

function inElement(el: Element, text: string, tag: string): boolean {
  if (el.localName === tag || el.localName.includes(text)) return true;
  return [...el.attributes].some((a) => a.name.includes(text) || a.value.toLowerCase().includes(text));
}

function byPath(query: string): Node[] {
  try {
    const r = document.evaluate(query, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    return Array.from({ length: r.snapshotLength }, (_, i) => r.snapshotItem(i) as Node).map((n) =>
      n.nodeType === Node.ATTRIBUTE_NODE ? ((n as Attr).ownerElement ?? n) : n,
    );
  } catch {
    return [];
  }
}

function bySelector(query: string): Node[] {
  try {
    return [...document.querySelectorAll(query)];
  } catch {
    return [];
  }
}

function found(id: string): Node[] {
  const s = searches.get(id);
  if (!s) throw new ProtocolError("No search session with given id found");
  return s.nodes;
}

register("DOM", {
  performSearch: (p, session) => {
    const nodes = search(String(p.query).trim());
    const searchId = mint();
    searches.set(searchId, { session, nodes });
    return { searchId, resultCount: nodes.length };
  },
  getSearchResults: (p, s) => {
    const nodes = found(p.searchId);
    if (!(p.fromIndex >= 0 && p.toIndex <= nodes.length && p.fromIndex < p.toIndex)) {
      throw new ProtocolError("Invalid search result range");
    }
    return { nodeIds: nodes.slice(p.fromIndex, p.toIndex).map((n) => pushNode(n, s)) };
  },
  discardSearchResults: (p) => void searches.delete(p.searchId),
});
