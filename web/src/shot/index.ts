// Page.captureScreenshot by drawing the document anew: a bundle of its own,
// because it is large and few clients ask.

import type { Json } from "../protocol";
import { lend } from "./fetch";
import { label } from "./label";
import { picture } from "./picture";
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

async function draw(o: Options, background: string): Promise<HTMLCanvasElement> {
  const canvas = document.createElement("canvas");
  canvas.width = o.width;
  canvas.height = o.height;
  const to = canvas.getContext("2d");
  if (!to) throw new Error("no canvas");
  to.fillStyle = background;
  to.fillRect(0, 0, o.width, o.height);
  const image = new Image();
  image.src = await picture(document, o.region);
  await image.decode();
  to.drawImage(image, 0, 0, o.width, o.height);
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
