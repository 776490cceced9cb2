// Blended colours of boxes that lie over each other.

import { styleOf } from "../flattree";

type Colour = [r: number, g: number, b: number, a: number];

const WHITE: Colour = [255, 255, 255, 1];

/**
 * Parses "rgb(1, 2, 3)" and "rgba(1, 2, 3, 0.4)", as most computed colours are. Any other colour counts as
 * transparent.
 */
function parse(colour: string): Colour {
  const [r, g, b, a = 1] = (/^rgba?\((.*)\)$/.exec(colour)?.[1] ?? "0,0,0,0").split(/[\s,/]+/).map(Number);
  return [r, g, b, a];
}

/** The colours of a document, computed once. */
export class Colours {
  private readonly known = new Map<Element, Colour>();

  /**
   * The colour behind an element's text: the background colours of the element and its ancestors, over white. Images
   * do not count.
   */
  backgroundOf(el: Element): string {
    const [r, g, b] = this.blended(el);
    return `rgb(${r}, ${g}, ${b})`;
  }

  private blended(el: Element): Colour {
    let colour = this.known.get(el);
    if (colour) return colour;
    const below = el.parentElement ? this.blended(el.parentElement) : WHITE;
    const [r, g, b, a] = parse(styleOf(el).backgroundColor);
    const over = (c: number, i: number): number => Math.round(c * a + below[i] * (1 - a));
    this.known.set(el, (colour = [over(r, 0), over(g, 1), over(b, 2), 1]));
    return colour;
  }

  /**
   * The opacity of an element's text: the product of the opacities of the element and its ancestors, and the alpha of
   * the colour.
   */
  opacityOf(el: Element): number {
    let opacity = parse(styleOf(el).color)[3];
    for (let at: Element | null = el; at; at = at.parentElement) opacity *= Number(styleOf(at).opacity);
    return opacity;
  }
}
