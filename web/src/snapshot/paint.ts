// The painting order of boxes (CSS 2.2, appendix E), as far as computed styles tell.

import { enclosing, styleOf } from "../flattree";

/**
 * The position of a box in the painting order: for each stacking context and positioned box around it, the outermost
 * first, its z-index and its number in tree order.
 */
export type Place = [level: number, turn: number][];

/** Boxes that are neither positioned nor a stacking context come between the negative levels and 0. */
const IN_FLOW = -0.5;

/** Whether an element makes a stacking context. Each property is read only where none before has told. */
export function isStackingContext(el: Element, s: CSSStyleDeclaration): boolean {
  const { position } = s;
  if (el === el.ownerDocument.documentElement || position === "fixed" || position === "sticky") return true;
  if (s.zIndex !== "auto" && (position !== "static" || inFlexOrGrid(el))) return true;
  return (
    s.opacity !== "1" ||
    s.mixBlendMode !== "normal" ||
    s.isolation === "isolate" ||
    isSet(s.transform) ||
    isSet(s.filter) ||
    isSet(s.perspective) ||
    isSet(s.clipPath) ||
    isSet(s.scale) ||
    isSet(s.rotate) ||
    isSet(s.translate) ||
    isSet(s.backdropFilter) ||
    isSet(s.maskImage) ||
    (isSet(s.contain) && /paint|strict|content/.test(s.contain)) ||
    (s.willChange !== "auto" && /transform|opacity|filter/.test(s.willChange))
  );
}

/** Whether a property is not as it is at first. Not every browser has each of them. */
const isSet = (value: string | undefined): boolean => value !== "none" && value !== undefined && value !== "";

function inFlexOrGrid(el: Element): boolean {
  return !!el.parentElement && /flex|grid/.test(styleOf(el.parentElement).display);
}

/** The places of a document's boxes. The elements must come in document order, parents first. */
export class Places {
  private readonly known = new Map<Element, Place>();
  private turns = 0;

  of(el: Element, s: CSSStyleDeclaration, stacks: boolean): Place {
    const parent = enclosing(el);
    let place = (parent && this.known.get(parent)) || [];
    if (stacks || s.position !== "static") place = [...place, [parseInt(s.zIndex, 10) || 0, ++this.turns]];
    this.known.set(el, place);
    return place;
  }

  /** The place of an element for which `of` was called. */
  again(el: Element): Place {
    return this.known.get(el) ?? [];
  }
}

/** The rank of each place, from 0. Equal places have the same rank. */
export function paintOrder(list: Place[]): number[] {
  const order = [...new Set(list)].sort(compare);
  const rank = new Map<Place, number>();
  order.forEach((p, i) => {
    rank.set(p, i && compare(order[i - 1], p) === 0 ? (rank.get(order[i - 1]) as number) : i);
  });
  return list.map((p) => rank.get(p) as number);
}

function compare(a: Place, b: Place): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [la, ta] = a[i] ?? [IN_FLOW, 0];
    const [lb, tb] = b[i] ?? [IN_FLOW, 0];
    if (la !== lb || ta !== tb) return la - lb || ta - tb;
  }
  return 0;
}
