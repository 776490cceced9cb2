// The bundler replaces the globals of these names by these functions. What the rasteriser loads is then no request of
// the page, which Clients would see or intercept. It also works while the page's clock is stopped.

import { takeCanvasMethods } from "../canvasmethods";
import { lendStyles } from "./dom";

/** The browser's own functions, since the page's have been replaced. */
export interface Natives {
  fetch: typeof window.fetch;
  setTimeout(f: () => void, ms?: number): number;
  clearTimeout(timer?: number): void;
  getComputedStyle?: typeof getComputedStyle;
  canvas?: ReturnType<typeof takeCanvasMethods>;
  /** The answer of the agent in a frame of another origin to Page.captureScreenshot; undefined where there is none. */
  frame?(owner: Element): Promise<{ result?: object }> | undefined;
}

/** A page may have deleted the global Array. */
export const Array = [].constructor as ArrayConstructor;

let natives: Natives = {
  fetch: window.fetch.bind(window),
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
};
const present = takeCanvasMethods();

/** Sets the functions to use. */
export function lend(n: Natives): void {
  natives = n;
  if (n.getComputedStyle) lendStyles(n.getComputedStyle);
}

export function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  return natives.fetch(input, init);
}

export function setTimeout(f: () => void, ms?: number): number {
  return natives.setTimeout(f, ms);
}

export function clearTimeout(timer?: number): void {
  natives.clearTimeout(timer);
}

/** The methods of canvases and their contexts, to be called on them. */
export const canvasMethods = (): typeof present => natives.canvas ?? present;

/** The context in which a canvas is painted. */
export const contextOf = (canvas: HTMLCanvasElement): CanvasRenderingContext2D | null =>
  canvasMethods().getContext.call(canvas, "2d") as CanvasRenderingContext2D | null;

/** How long a picture waits for that of a frame. */
const FRAME_MS = 5_000;

/** The picture of a frame of another origin, in base64; undefined where it has no agent, or one that does not answer. */
export async function pictureOfFrame(owner: Element): Promise<string | undefined> {
  const late = new Promise<undefined>((r) => setTimeout(() => r(undefined), FRAME_MS));
  const answer = await Promise.race([natives.frame?.(owner), late]);
  const data = (answer?.result as { data?: unknown } | undefined)?.data;
  return typeof data === "string" && /^[\w+/=]+$/.test(data) ? data : undefined;
}
