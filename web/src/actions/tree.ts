// The flat tree: open shadow roots in place of their hosts' children, slotted nodes in their slots, and documents of
// frames of the same origin. Elements may be of another window than this script, so `instanceof` is not used here.

import { flatChildren } from "../agent/accessibility/boxes";
import { pathOf } from "../flattree";
import { documentIn } from "../realms";

export function isElement(node: Node | null | undefined): node is Element {
  return node?.nodeType === 1;
}

export function isText(node: Node): node is Text {
  return node.nodeType === 3;
}

/**
 * The elements of the rendered tree below a root, and the root, in document order; subtrees that
 * `skip` names are left out.
 */
export function* elements(root: Element, skip?: (el: Element) => boolean): Generator<Element> {
  if (skip?.(root)) return;
  yield root;
  for (const child of flatChildren(root)) if (isElement(child)) yield* elements(child, skip);
}

/** The open shadow roots below a document or a shadow root. */
export function* shadowRoots(root: Document | ShadowRoot): Generator<ShadowRoot> {
  for (const el of root.querySelectorAll("*")) {
    if (!el.shadowRoot) continue;
    yield el.shadowRoot;
    yield* shadowRoots(el.shadowRoot);
  }
}

/** What a search finds in the document and in its open shadow roots. */
export function inAllRoots(search: (root: Document | ShadowRoot) => Iterable<Element>): Element[] {
  const found = [...search(document)];
  for (const root of shadowRoots(document)) found.push(...search(root));
  return found;
}

/** The document of a frame element, if it is of the same origin. */
export function documentOf(el: Element): Document | undefined {
  if (el.localName !== "iframe" && el.localName !== "frame") return undefined;
  return documentIn(el as HTMLIFrameElement);
}

/** The frame element around a document, if it is of the same origin. */
export function frameAround(doc: Document): Element | undefined {
  try {
    return doc.defaultView?.frameElement ?? undefined;
  } catch {
    return undefined;
  }
}

/** Finds an element by id in the tree that `el` is in. */
export function byId(el: Element, id: string): Element | null {
  return (el.getRootNode() as Document).getElementById?.(id) ?? null;
}

/** Element.closest in the flat tree: it leaves shadow trees. */
export function closest(el: Element, selector: string): Element | undefined {
  return pathOf(el).find((e) => e.matches(selector));
}

/** White space collapsed to single spaces. */
export function squash<T extends string>(text: T): T {
  return text.replace(/[\s\u200b\u00ad]+/g, " ").trim() as T;
}

/** Cuts a text, but not within a surrogate pair. */
export function cut<T extends string>(text: T, most: number, mark = ""): T {
  return text.length <= most ? text : ((text.slice(0, most).replace(/[\ud800-\udbff]$/, "") + mark) as T);
}

/** Elements whose content is not rendered as text. */
export const SILENT: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "head",
  "title",
  "meta",
  "link",
]);
