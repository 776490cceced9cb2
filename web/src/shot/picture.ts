// A document as one SVG image.

import { Copy } from "./copy";
import * as dom from "./dom";
import { fontFaces } from "./fonts";
import type { Rect } from "./options";
import { write } from "./piece";
import { Resources } from "./resources";
import { Sheet } from "./sheet";
import { escape } from "./text";

export interface Picture {
  /** A data: URL of an SVG image that needs nothing else. */
  url: string;
  /** The copy that it is drawn of, for drafts. */
  copy: Copy;
  /** The image with the copy as it is now; undefined where it needs what is not there yet. */
  again(): string | undefined;
}

/** A region of a document, in the document's own CSS pixels. */
export async function picture(doc: Document, region: Rect): Promise<Picture> {
  const win = doc.defaultView ?? window;
  const viewport = { x: win.scrollX, y: win.scrollY, width: win.innerWidth, height: win.innerHeight };
  const density = win.devicePixelRatio;
  const within =
    region.x >= viewport.x - 1 &&
    region.y >= viewport.y - 1 &&
    region.x + region.width <= viewport.x + viewport.width + 1 &&
    region.y + region.height <= viewport.y + viewport.height + 1;
  const resources = new Resources(doc);
  const sheet = new Sheet(doc);
  const copy = new Copy(doc, { ...region, x: region.x - viewport.x, y: region.y - viewport.y }, resources, sheet);
  const parts = copy.viewport(viewport, within);
  const [x, y, width, height] = [region.x - viewport.x, region.y - viewport.y, region.width, region.height].map(
    (n) => n * density,
  );
  // On a screen with devicePixelRatio other than 1, a browser lays text out by device pixels, but in an SVG image by CSS
  // pixels. Half a pixel moves a line. So the picture is laid out with CSS pixels as large as device pixels, and is drawn
  // smaller.
  const zoom = density === 1 ? "" : `svg:root>foreignObject>h|*{zoom:${density}}`;
  const fonts = await fontFaces(resources);
  await resources.load();
  const external = await resources.externalElements();
  const address = (): string | undefined => {
    const svg = resources.fill(
      `<svg xmlns="${dom.SVG}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">` +
        `<style>${escape(sheet.text + fonts + zoom)}</style>` +
        `<foreignObject width="${viewport.width * density}" height="${viewport.height * density}" style="overflow:visible">` +
        `<div xmlns="${dom.HTML}" style="display:block">${external}${parts.map(write).join("")}</div></foreignObject></svg>`,
    );
    return svg && addressOf(svg);
  };
  return { url: address() ?? "", copy, again: address };
}

/** Only what has a meaning of its own in an address is encoded: pictures are large. */
const addressOf = (svg: string): string =>
  `data:image/svg+xml;charset=utf-8,${svg.replace(/[%#\n\t]/g, (char) => encodeURIComponent(char))}`;
