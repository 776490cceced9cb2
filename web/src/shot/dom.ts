// Reads of the document, by the browser's own accessors. A custom element may have a `childNodes` or `shadowRoot` of its
// own, and a form is read by the names of its fields (`form.children`): a picture runs no code of the page.

export const HTML = "http://www.w3.org/1999/xhtml";
export const SVG = "http://www.w3.org/2000/svg";
/** The attribute of the product's own elements, which no picture has: the overlay of DevTools. */
export const OURS = "data-cdphub-internal";

/** A function that reads a property as the prototype has it. */
function reader<T, V>(prototype: T, name: keyof T): (of: unknown) => V {
  for (let at: unknown = prototype; at; at = Object.getPrototypeOf(at)) {
    const get = Object.getOwnPropertyDescriptor(at, name)?.get;
    if (get) return (of) => get.call(of) as V;
  }
  return (of) => (of as Record<PropertyKey, V>)[name];
}

/** A function that calls a method of the prototype. */
function caller<A extends unknown[], V>(method: (...args: A) => V): (of: unknown, ...args: A) => V {
  return (of, ...args) => method.call(of, ...args);
}

const element = Element.prototype,
  html = HTMLElement.prototype,
  node = Node.prototype;

export const nodeType = reader<Node, number>(node, "nodeType");
export const firstChild = reader<Node, ChildNode | null>(node, "firstChild");
export const lastChild = reader<Node, ChildNode | null>(node, "lastChild");
export const nextSibling = reader<Node, ChildNode | null>(node, "nextSibling");
export const previousSibling = reader<Node, ChildNode | null>(node, "previousSibling");
export const parentNode = reader<Node, ParentNode | null>(node, "parentNode");
export const ownerDocument = reader<Node, Document | null>(node, "ownerDocument");
export const textOf = reader<Node, string>(node, "nodeValue");
export const textContent = reader<Node, string>(node, "textContent");
export const localName = reader<Element, string>(element, "localName");
export const namespaceOf = reader<Element, string>(element, "namespaceURI");
export const attributesOf = reader<Element, NamedNodeMap>(element, "attributes");
export const shadowRootOf = reader<Element, ShadowRoot | null>(element, "shadowRoot");
export const scrollTop = reader<Element, number>(element, "scrollTop");
export const scrollLeft = reader<Element, number>(element, "scrollLeft");
export const clientWidth = reader<Element, number>(element, "clientWidth");
export const clientHeight = reader<Element, number>(element, "clientHeight");
export const scrollWidth = reader<Element, number>(element, "scrollWidth");
export const scrollHeight = reader<Element, number>(element, "scrollHeight");
export const offsetWidth = reader<HTMLElement, number>(html, "offsetWidth");
export const offsetHeight = reader<HTMLElement, number>(html, "offsetHeight");
export const offsetLeft = reader<HTMLElement, number>(html, "offsetLeft");
export const offsetTop = reader<HTMLElement, number>(html, "offsetTop");
export const attribute = caller(element.getAttribute);
export const closest = caller(element.closest as (selectors: string) => Element | null);
export const rectOf = caller(element.getBoundingClientRect);
export const rootOf = caller(node.getRootNode);
export const styleMap = caller(element.computedStyleMap);
export const hitsOf = caller(Document.prototype.elementsFromPoint);
const create = caller(Document.prototype.createElement);
export const newCanvas = (): HTMLCanvasElement => create(document, "canvas") as HTMLCanvasElement;
export const newImage = (): HTMLImageElement => create(document, "img") as HTMLImageElement;
export const assigned = caller(HTMLSlotElement.prototype.assignedNodes);

let computed: typeof getComputedStyle = getComputedStyle.bind(window);

/** Sets the function of the browser: the page may have one of its own. */
export function lendStyles(by: typeof getComputedStyle): void {
  computed = by;
}

/** The computed style of an element in any document, or of one of its pseudo-elements. */
export const styleOf = (el: Element, pseudo?: string): CSSStyleDeclaration => computed(el, pseudo);

/** How far the document of an element is scrolled. */
export function scrollOf(el: Element): { x: number; y: number } {
  const root = ownerDocument(el)?.scrollingElement;
  return root ? { x: scrollLeft(root), y: scrollTop(root) } : { x: 0, y: 0 };
}

export const isElement = (n: Node): n is Element => nodeType(n) === 1;
export const isText = (n: Node): n is Text => nodeType(n) === 3;

/** Whether an element is an HTML element of a name. */
export const isHtml = (el: Element, name?: string): el is HTMLElement =>
  namespaceOf(el) === HTML && (name === undefined || localName(el) === name);

/** The children in the flat tree (CSS Scoping 1). */
export function childrenOf(el: Element): Node[] {
  const shadow = shadowRootOf(el);
  if (shadow) return lightChildren(shadow);
  if (isHtml(el, "slot") && nodeType(rootOf(el)) === 11) {
    const nodes = assigned(el);
    if (nodes.length > 0) return nodes;
  }
  return lightChildren(el);
}

/** The children in the document's own tree. */
export function lightChildren(parent: Node): Node[] {
  const all: Node[] = [];
  for (let n = firstChild(parent); n; n = nextSibling(n)) all.push(n);
  return all;
}

/** A property of an element that its prototype defines, such as the value of a field. */
export function own<V>(el: Element, name: string): V {
  for (let at = Object.getPrototypeOf(el); at; at = Object.getPrototypeOf(at)) {
    const d = Object.getOwnPropertyDescriptor(at, name);
    if (d?.get && /\[native code\]/.test(String(d.get))) return d.get.call(el) as V;
  }
  return undefined as V;
}
