// DOMSnapshot.LayoutTreeSnapshot and TextBoxSnapshot.

import type { Protocol } from "../cdp";
import { enclosing } from "../flattree";
import { Colours } from "./colour";
import { type Place, Places, isStackingContext, paintOrder } from "./paint";
import type { Strings } from "./strings";

type Rectangle = number[];

export class Layout {
  private readonly nodeIndex: number[] = [];
  private readonly styles: number[][] = [];
  private readonly bounds: Rectangle[] = [];
  private readonly text: number[] = [];
  private readonly stacking: number[] = [];
  private readonly places: Place[] = [];
  private readonly offsetRects: Rectangle[] = [];
  private readonly scrollRects: Rectangle[] = [];
  private readonly clientRects: Rectangle[] = [];
  private readonly backgrounds: number[] = [];
  private readonly opacities: number[] = [];
  private readonly boxes = {
    layoutIndex: [] as number[],
    bounds: [] as Rectangle[],
    start: [] as number[],
    length: [] as number[],
  };
  private readonly colours = new Colours();
  private readonly order = new Places();
  private readonly win: Window;
  private readonly range: Range;
  private readonly scrollX: number;
  private readonly scrollY: number;

  /** `p` are the params of the command. */
  constructor(
    private readonly strings: Strings,
    private readonly p: Protocol.DOMSnapshot.CaptureSnapshotRequest,
    doc: Document,
  ) {
    this.win = doc.defaultView ?? window;
    this.range = doc.createRange();
    ({ scrollX: this.scrollX, scrollY: this.scrollY } = this.win);
  }

  /** Adds the box of a node, if it has one. */
  add(node: Node, index: number): void {
    const type = node.nodeType;
    if (type === Node.ELEMENT_NODE) this.addElement(node as HTMLElement, index);
    else if (type === Node.TEXT_NODE) this.addText(node as Text, index);
    else if (type === Node.DOCUMENT_NODE) this.addDocument(index);
  }

  private addDocument(index: number): void {
    this.stacking.push(this.nodeIndex.length);
    this.push(index, [0, 0, this.win.innerWidth, this.win.innerHeight], [], -1, []);
    this.backgrounds.push(-1);
    this.opacities.push(1);
  }

  private addElement(el: HTMLElement, index: number): void {
    const bounds = el.getBoundingClientRect();
    if (!bounds.width && !bounds.height && el.getClientRects().length === 0) return;
    const style = this.win.getComputedStyle(el);
    const stacks = isStackingContext(el, style);
    if (stacks) this.stacking.push(this.nodeIndex.length);
    const place = this.p.includePaintOrder ? this.order.of(el, style, stacks) : [];
    const styles = this.p.computedStyles.map((name) => this.strings.index(style.getPropertyValue(name)));
    this.push(index, this.absolute(bounds), styles, -1, place, el);
    this.colour(el);
  }

  private addText(node: Text, index: number): void {
    const { range } = this;
    range.selectNodeContents(node);
    const rects = range.getClientRects();
    const parent = rects.length > 0 ? enclosing(node) : null;
    if (!parent) return;
    const { computedStyles } = this.p;
    const { data } = node;
    const collapsed = /\s\s|[^\S ]/.test(data) ? data.replace(/\s+/g, " ") : data;
    const asked = computedStyles.length > 0 || collapsed !== data;
    const style = asked ? this.win.getComputedStyle(parent) : undefined;
    const styles = computedStyles.map((name) =>
      this.strings.index(name === "display" ? "inline" : style?.getPropertyValue(name)),
    );
    const text = style && /^pre|break-spaces/.test(style.whiteSpace) ? data : collapsed;
    const line = rects.length === 1; // most texts are in one
    const bounds = this.absolute(line ? rects[0] : range.getBoundingClientRect());
    const at = this.push(index, bounds, styles, this.strings.index(text), this.order.again(parent));
    if (line) this.addBox(at, bounds, 0, node.length);
    else this.addBoxes(node, [...rects], at);
    this.colour(parent);
  }

  private colour(el: Element): void {
    if (this.p.includeBlendedBackgroundColors) this.backgrounds.push(this.strings.index(this.colours.backgroundOf(el)));
    if (this.p.includeTextColorOpacities) this.opacities.push(this.colours.opacityOf(el));
  }

  private push(
    index: number,
    bounds: Rectangle,
    styles: number[],
    text: number,
    place: Place,
    el?: HTMLElement,
  ): number {
    this.bounds.push(bounds);
    this.styles.push(styles);
    this.text.push(text);
    this.places.push(place);
    if (this.p.includeDOMRects) {
      const { offsetLeft = 0, offsetTop = 0, offsetWidth = 0, offsetHeight = 0 } = el ?? {};
      this.offsetRects.push(el ? [offsetLeft, offsetTop, offsetWidth, offsetHeight] : []);
      this.scrollRects.push(el ? [el.scrollLeft, el.scrollTop, el.scrollWidth, el.scrollHeight] : []);
      this.clientRects.push(el ? [el.clientLeft, el.clientTop, el.clientWidth, el.clientHeight] : []);
    }
    return this.nodeIndex.push(index) - 1;
  }

  /** Adds one box for each line that the text is in. */
  private addBoxes(node: Text, rects: DOMRect[], layoutIndex: number): void {
    const starts = lineStarts(node, this.range, rects);
    rects.forEach((r, i) => {
      this.addBox(layoutIndex, this.absolute(r), starts[i], (starts[i + 1] ?? node.length) - starts[i]);
    });
  }

  private addBox(layoutIndex: number, bounds: Rectangle, start: number, length: number): void {
    const { boxes } = this;
    boxes.layoutIndex.push(layoutIndex);
    boxes.bounds.push(bounds);
    boxes.start.push(start);
    boxes.length.push(length);
  }

  private absolute(r: DOMRect): Rectangle {
    return [r.x + this.scrollX, r.y + this.scrollY, r.width, r.height];
  }

  snapshot(): Pick<Protocol.DOMSnapshot.DocumentSnapshot, "layout" | "textBoxes"> {
    const { nodeIndex, styles, bounds, text, offsetRects, scrollRects, clientRects, p } = this;
    return {
      layout: {
        nodeIndex,
        styles,
        bounds,
        text,
        stackingContexts: { index: this.stacking },
        ...(p.includePaintOrder && { paintOrders: paintOrder(this.places) }),
        ...(p.includeDOMRects && { offsetRects, scrollRects, clientRects }),
        ...(p.includeBlendedBackgroundColors && { blendedBackgroundColors: this.backgrounds }),
        ...(p.includeTextColorOpacities && { textColorOpacities: this.opacities }),
      },
      textBoxes: this.boxes,
    };
  }
}

/** Where in a text each of its rectangles begins. */
function lineStarts(node: Text, range: Range, rects: DOMRect[]): number[] {
  const starts = [0];
  for (let i = 0; i < node.length && starts.length < rects.length; i++) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const r = range.getBoundingClientRect();
    const next = rects[starts.length];
    if (r.width > 0 && r.top >= next.top - 1 && r.bottom <= next.bottom + 1 && r.left >= next.left - 1) starts.push(i);
  }
  while (starts.length < rects.length) starts.push(node.length);
  return starts;
}
