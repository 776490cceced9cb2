// On a dense screen a browser lays text out by device pixels, in a picture by
// CSS pixels: half a one makes a line sit elsewhere. So the picture's CSS pixels
// are made device pixels, and the picture as much smaller.

import type { CaptureContext } from "@zumer/snapdom";

export const dense = {
  name: "dense",
  beforeRender(context: CaptureContext): void {
    const density = densityOf(context);
    // Of the outermost alone: the page may have such elements of its own.
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
