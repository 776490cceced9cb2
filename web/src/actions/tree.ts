// The flat tree: open shadow roots in place of their hosts' children, slotted nodes in their slots, and documents of
// frames of the same origin. Elements may be of another window than this script, so `instanceof` is not used here.

import { documentIn } from "../realms";

export function isElement(node: Node | null | undefined): node is Element {
  return node?.nodeType === 1;
}

export function isText(node: Node): node is Text {
  return node.nodeType === 3;
}

/** The children of an element in the rendered tree. */
export function childrenOf(el: Element): Node[] {
  if (el.shadowRoot) return [...el.shadowRoot.childNodes];
  if (el.localName === "slot") {
    const assigned = (el as HTMLSlotElement).assignedNodes();
    if (assigned.length) return assigned;
  }
  return [...el.childNodes];
}

/** The parent of a node in the rendered tree; null for the document of a frame. */
export function parentOf(node: Node): Element | null {
  const slot = (node as Element).assignedSlot;
  if (slot) return slot;
  const parent = node.parentNode;
  if (parent?.nodeType === 11) return (parent as ShadowRoot).host ?? null;
  return isElement(parent) ? parent : null;
}

/** Whether an element is another, or inside of it. */
export function isWithin(inner: Element, outer: Element): boolean {
  for (let el: Element | null = inner; el; el = parentOf(el)) if (el === outer) return true;
  return false;
}

/**
 * The elements of the rendered tree below a root, and the root, in document order; subtrees that
 * `skip` names are left out.
 */
export function* elements(root: Element, skip?: (el: Element) => boolean): Generator<Element> {
  if (skip?.(root)) return;
  yield root;
  for (const child of childrenOf(root)) if (isElement(child)) yield* elements(child, skip);
}

/** The open shadow roots below a document or a shadow root. */
export function* shadowRoots(root: Document | ShadowRoot): Generator<ShadowRoot> {
  for (const el of root.querySelectorAll("*")) {
    if (!el.shadowRoot) continue;
    yield el.shadowRoot;
    yield* shadowRoots(el.shadowRoot);
  }
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
export function closest(el: Element, selector: string): Element | null {
  for (let e: Element | null = el; e; e = parentOf(e)) if (e.matches(selector)) return e;
  return null;
}

/** White space collapsed to single spaces. */
export function squash<T extends string>(text: T): T {
  return text.replace(/[\s\u200b\u00ad]+/g, " ").trim() as T;
}

/** Cuts a text, but not within a surrogate pair. */
export function cut<T extends string>(text: T, most: number, mark = ""): T {
  return text.length <= most ? text : ((text.slice(0, most).replace(/[\ud800-\udbff]$/, "") + mark) as T);
}

/** The text of a subtree as it is rendered: without scripts, and without what is hidden. */
export function textOf(el: Element, keep: (el: Element) => boolean = () => true): string {
  let text = "";
  const walk = (node: Node): void => {
    if (isText(node)) text += node.data;
    if (!isElement(node) || SILENT.has(node.localName) || (node !== el && !keep(node))) return;
    if (node.localName === "br") text += "\n";
    for (const child of childrenOf(node)) walk(child);
    if (node !== el && !INLINE.test(node.localName)) text += " ";
  };
  walk(el);
  return text;
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

const INLINE =
  /^(a|abbr|b|bdi|bdo|cite|code|data|dfn|em|font|i|kbd|label|mark|q|s|samp|slot|small|span|strong|sub|sup|time|u|var|wbr)$/;
