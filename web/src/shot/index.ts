// Page.captureScreenshot: draws the document again, since page script cannot read what the browser has painted. A
// bundle of its own, because of its size.

import type { Protocol } from "../cdp";
import { ClientError } from "../clienterror";
import { base64 } from "../base64";
import { blank } from "./canvasbackground";
import { keep } from "./draft";
import { newCanvas, newImage } from "./dom";
import { label } from "./label";
import { canvasMethods, contextOf, lend, type Natives } from "./natives";
import { picture } from "./picture";
import { type Options, noPicture, optionsOf, viewport } from "./options";
import { type CastParams, type Receiver, startCast } from "./screencast";

export { acknowledge, stopCast } from "./screencast";

const MAX_MS = 25_000;

/** Answers Page.startScreencast: `to` gets the pictures. `background` as that of capture. */
export function screencast(to: Receiver, p: CastParams, natives: Natives, background: () => string | undefined): void {
  startCast(to, p, natives, (o) => render({ ...o, region: viewport() }, background() ?? blank(document), natives));
}

/**
 * Answers Page.captureScreenshot: {data}, base64. `background`, as CSS, is what
 * shows where the page paints nothing.
 */
export async function capture(
  p: Protocol.Page.CaptureScreenshotRequest,
  natives: Natives,
  background?: string,
): Promise<Protocol.Page.CaptureScreenshotResponse> {
  lend(natives);
  return { data: await render(optionsOf(p), background ?? blank(document), natives) };
}

/** A picture, in base64. */
async function render(o: Options, background: string, natives: Natives): Promise<string> {
  let timer = 0;
  const late = new Promise<never>((_resolve, reject) => {
    timer = natives.setTimeout(
      () => reject(new ClientError(`Unable to capture screenshot within ${MAX_MS} ms`)),
      MAX_MS,
    );
  });
  try {
    const canvas = await Promise.race([draw(o, background), late]);
    const blob = await encode(canvas, o);
    return base64(label(new Uint8Array(await blob.arrayBuffer())));
  } finally {
    natives.clearTimeout(timer);
  }
}

async function draw(o: Options, background: string): Promise<HTMLCanvasElement> {
  const image = await decoded(o.draft ?? (await pictureOf(o)));
  const canvas = newCanvas();
  canvas.width = o.width;
  canvas.height = o.height;
  const to = contextOf(canvas);
  if (!to) throw noPicture(`no canvas holds ${o.width} by ${o.height} pixels`);
  to.fillStyle = background;
  const { drawImage, fillRect } = canvasMethods();
  fillRect.call(to, 0, 0, o.width, o.height);
  drawImage.call(to, image, 0, 0, o.width, o.height);
  return canvas;
}

async function pictureOf(o: Options): Promise<string> {
  const made = await picture(document, o.region);
  if (o.keep) keep(made);
  return made.url;
}

async function decoded(url: string): Promise<HTMLImageElement> {
  const image = newImage();
  image.src = url;
  try {
    await image.decode();
    return image;
  } catch {
    if (url === SMALLEST) throw noPicture("the page's Content Security Policy allows no data: images");
    await decoded(SMALLEST); // throws if a policy forbids images, so that the document is not the reason
    throw noPicture("the browser cannot draw a copy of the document");
  }
}

const SMALLEST = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

function encode(canvas: HTMLCanvasElement, o: Options): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvasMethods().toBlob.call(
      canvas,
      (b) => {
        if (b?.type === `image/${o.format}`)
          resolve(b); // a browser without an encoder for the format makes PNG
        else reject(b ? noPicture(`the browser encodes no ${o.format}`) : new Error("Unable to capture screenshot"));
      },
      `image/${o.format}`,
      o.quality,
    );
  });
}
