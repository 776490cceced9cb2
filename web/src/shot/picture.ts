// A document as one SVG image.

import { snapdom } from "@zumer/snapdom";
import { dense } from "./dense";
import { keeper } from "./draft";
import { snapdomFixes } from "./snapdomfixes";
import type { Rect } from "./options";
import { documentIn } from "../realms";

/**
 * The region of a document, in its own CSS pixels, as the data URL of an SVG image that needs nothing else. `keep` keeps
 * it for drafts.
 */
export async function picture(doc: Document, region: Rect, keep = false): Promise<string> {
  try {
    const shot = await snapdom(doc.documentElement, {
      clip: region,
      dpr: 1,
      scale: 1,
      invalidate: true,
      placeholders: false,
      plugins: [snapdomFixes, frames, dense, ...(keep ? [keeper] : [])],
    });
    return shot.url;
  } finally {
    // snapdom has put these elements into the page to measure with.
    for (const el of doc.querySelectorAll("[data-snapdom-internal]")) el.remove();
  }
}

/** Draws a frame as a picture within the picture. */
const frames = {
  name: "frames",
  async resolveNode(node: Element): Promise<Node | undefined> {
    if (node.localName !== "iframe") return undefined;
    const doc = documentIn(node as HTMLIFrameElement);
    const win = doc?.defaultView;
    const box = document.createElement("div");
    box.style.overflow = "hidden";
    if (!win || !doc?.documentElement) return box;
    const { scrollX, scrollY, innerWidth, innerHeight } = win;
    if (!innerWidth || !innerHeight) return box;
    const image = document.createElement("img");
    image.src = await picture(doc, { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight });
    image.style.cssText = `display:block;width:${innerWidth}px;height:${innerHeight}px`;
    box.append(image);
    return box;
  },
};
