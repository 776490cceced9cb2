// Page.captureScreenshot by drawing the document anew: a bundle of its own,
// because it is large and few clients ask.

import { snapdom } from "@zumer/snapdom";
import type { Json } from "../protocol";
import { lend } from "./fetch";
import { label } from "./label";
import { type Options, optionsOf } from "./options";

/** What the agent lends. */
export interface Loan {
  /** What Emulation.setDefaultBackgroundColorOverride has set, as CSS. */
  background?: string;
  /** The browser's own fetch. */
  fetch: typeof window.fetch;
}

/** Answers Page.captureScreenshot: {data}, base64. */
export async function capture(p: Json, loan: Loan): Promise<Json> {
  lend(loan.fetch);
  const o = optionsOf(p);
  const canvas = await draw(o, loan.background ?? "white");
  const blob = await encode(canvas, o);
  return { data: base64(label(new Uint8Array(await blob.arrayBuffer()))) };
}

/**
 * What snapdom takes off a part that is to stand alone, and a whole document must keep: the
 * margins at its edges, and that they stay inside of the root.
 */
const whole = {
  name: "whole",
  beforeRender: ({ clone, nodeMap }: { clone?: HTMLElement | SVGElement | null; nodeMap?: unknown }) => {
    if (clone) clone.style.display = "flow-root";
    for (const [copy, source] of nodeMap as Map<HTMLElement, HTMLElement>) {
      for (const side of ["margin-top", "margin-bottom"]) {
        if (copy.style?.getPropertyValue(side) !== "0px" || source.style.getPropertyValue(side)) continue;
        copy.style.setProperty(side, getComputedStyle(source).getPropertyValue(side));
      }
    }
  },
};

async function draw(o: Options, background: string): Promise<HTMLCanvasElement> {
  const canvas = document.createElement("canvas");
  canvas.width = o.width;
  canvas.height = o.height;
  const to = canvas.getContext("2d");
  if (!to) throw new Error("no canvas");
  to.fillStyle = background;
  to.fillRect(0, 0, o.width, o.height);
  const shot = await snapdom(document.documentElement, { clip: o.region, dpr: 1, scale: 1, invalidate: true, placeholders: false, plugins: [whole] });
  const image = new Image();
  image.src = shot.url;
  await image.decode();
  console.debug(JSON.stringify(shot.meta), image.naturalWidth, image.naturalHeight);
  to.drawImage(image, 0, 0, o.width, o.height);
  for (const el of document.querySelectorAll("[data-snapdom-internal]")) el.remove();
  return canvas;
}

function encode(canvas: HTMLCanvasElement, o: Options): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((b) => (b ? resolve(b) : reject(new Error("Unable to capture screenshot"))), `image/${o.format}`, o.quality);
  });
}

function base64(data: Uint8Array): string {
  let text = "";
  for (let i = 0; i < data.length; i += 0x8000) text += String.fromCharCode(...data.subarray(i, i + 0x8000));
  return btoa(text);
}
