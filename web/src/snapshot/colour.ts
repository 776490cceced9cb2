// Colours as they come out where boxes lie over each other.

type Colour = [r: number, g: number, b: number, a: number];

const WHITE: Colour = [255, 255, 255, 1];

const styleOf = (el: Element): CSSStyleDeclaration => (el.ownerDocument.defaultView ?? window).getComputedStyle(el);

/** Of "rgb(1, 2, 3)" and "rgba(1, 2, 3, 0.4)", as computed colours mostly are; of others that they hide nothing. */
function parse(colour: string): Colour {
  const [r, g, b, a = 1] = (/^rgba?\((.*)\)$/.exec(colour)?.[1] ?? "0,0,0,0").split(/[\s,/]+/).map(Number);
  return [r, g, b, a];
}

/** The colours of a document as it is now. */
export class Colours {
  private readonly known = new Map<Element, Colour>();

  /** What lies behind an element's text: the background colours of all around it, over white. Images do not count. */
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

  /** How much of its text's colour shows: the opacities of all around it, and the colour's own alpha. */
  opacityOf(el: Element): number {
    let opacity = parse(styleOf(el).color)[3];
    for (let at: Element | null = el; at; at = at.parentElement) opacity *= Number(styleOf(at).opacity);
    return opacity;
  }
}
