// How elements are laid out, as far as the accessibility tree depends on it. The terms are those of CSS Display 3 and
// CSS Text 3.

import { styleOf } from "../../flattree";

/** The part an element plays in its parent's layout; "out" is floating or positioned. */
type Kind = "none" | "contents" | "inline" | "atomic" | "block" | "out";

/** What to do with white space: CSS white-space-collapse. */
type Collapse = "collapse" | "breaks" | "preserve";

/** The computed style of one element, read once per tree. */
export interface Box {
  kind: Kind;
  display: string;
  visible: boolean;
  /** content-visibility: hidden keeps the contents out of the tree. */
  skipped: boolean;
  positioned: boolean;
  /** Scrolls where its contents overflow, by the user or by script alone. */
  scrolls: boolean;
  collapse: Collapse;
  transform: string;
  /** Every child is a block, and white space between children is not rendered (flex, grid). */
  itemises: boolean;
}

const REPLACED = new Set(
  "img input textarea select button video audio canvas iframe object embed meter progress svg".split(" "),
);

const BLOCK_FLOW = /^(block|inline-block|list-item|table-cell|flow-root|table-caption)$/;

/** Computed styles, each read at most once. */
export class Boxes {
  private readonly known = new Map<Element, Box>();

  of(el: Element): Box {
    let box = this.known.get(el);
    if (!box) this.known.set(el, (box = boxOf(styleOf(el), el)));
    return box;
  }
}

/** What a computed style means for layout; el is missing for pseudo-elements. */
export function boxOf(s: CSSStyleDeclaration, el?: Element): Box {
  const display = s.display;
  return {
    display,
    kind: kindOf(s, display, el),
    visible: s.visibility === "visible",
    skipped: s.getPropertyValue("content-visibility") === "hidden",
    positioned: s.position !== "static",
    scrolls: /auto|scroll|hidden/.test(s.overflow),
    collapse: collapseOf(s.whiteSpace),
    transform: s.textTransform,
    itemises: /flex|grid/.test(display) && !(el && REPLACED.has(el.localName)),
  };
}

function kindOf(s: CSSStyleDeclaration, display: string, el?: Element): Kind {
  if (display === "none" || display === "") return "none";
  if (display === "contents") return "contents";
  if (el && isSvgPart(el)) return el.localName === "text" ? "out" : "inline";
  if (s.position === "absolute" || s.position === "fixed" || s.getPropertyValue("float") !== "none") return "out";
  if (display === "inline" || display.startsWith("ruby")) return el && REPLACED.has(el.localName) ? "atomic" : "inline";
  return display.startsWith("inline-") || display === "math" ? "atomic" : "block";
}

function collapseOf(whiteSpace: string): Collapse {
  if (/preserve-breaks|pre-line/.test(whiteSpace)) return "breaks";
  return /pre|break-spaces/.test(whiteSpace) ? "preserve" : "collapse";
}

/** Whether it is a block container, and no control whose contents the browser makes. */
export function isBlockFlow(box: Box, el?: Element): boolean {
  return BLOCK_FLOW.test(box.display) && !(el && (REPLACED.has(el.localName) || isSvgPart(el)));
}

/** An element below the root of an SVG picture. */
export function isSvgPart(el: Element): boolean {
  return (el as SVGElement).ownerSVGElement instanceof Object;
}

/** The children in the flat tree: a host's open shadow root, and what a slot shows. */
export function flatChildren(node: Node): Node[] {
  const { shadowRoot, localName } = node as Element;
  const assigned = localName === "slot" ? (node as HTMLSlotElement).assignedNodes() : [];
  return assigned.length > 0 ? assigned : [...(shadowRoot ?? node).childNodes];
}
