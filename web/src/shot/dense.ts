// On a screen with devicePixelRatio other than 1, a browser lays text out by device pixels, but in an SVG image by
// CSS pixels. Half a pixel moves a line. So the picture is laid out with CSS pixels as large as device pixels, and is
// drawn smaller.

import type { CaptureContext } from "@zumer/snapdom";

export const dense = {
  name: "dense",
  beforeRender(context: CaptureContext): void {
    const density = densityOf(context);
    // Only the outermost foreignObject: the page may have others.
    if (density !== 1) context.baseCSS += `svg:root>foreignObject>div{zoom:${density}!important}`;
  },
  afterRender(context: CaptureContext): void {
    const density = densityOf(context);
    if (density === 1 || !context.svgString) return;
    const times = (n: string): string => String(Number(n) * density);
    const svg = context.svgString
      .replace(/ viewBox="0 0 (\S+) (\S+)"/, (_, width, height) => ` viewBox="0 0 ${times(width)} ${times(height)}"`)
      .replace(/<foreignObject [^>]*>/, (tag) => tag.replace(/="(-?[\d.]+)"/g, (_, n) => `="${times(n)}"`));
    context.dataURL = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  },
};

function densityOf({ element }: CaptureContext): number {
  return (element.ownerDocument.defaultView ?? window).devicePixelRatio;
}
