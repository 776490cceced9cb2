// The params of Page.captureScreenshot.

import type { Protocol } from "../cdp";
import { ClientError, impossible } from "../clienterror";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Options {
  format: "png" | "jpeg" | "webp";
  /** 0 to 1, for the lossy formats. Undefined is the browser's default. */
  quality: number | undefined;
  /** In CSS pixels of the document. */
  region: Rect;
  /** The size of the image, in its own pixels. */
  width: number;
  height: number;
  /** The image of a draft, which is drawn instead. */
  draft?: string;
  /** Whether drafts may follow. */
  keep?: boolean;
}

/** The error for what page script cannot do. */
export const noPicture = (reason: string): ClientError => impossible("Page.captureScreenshot", reason);

// The canvas size that every browser supports.
const MAX_SIDE = 32_767;
const MAX_AREA = 1 << 28;

/**
 * Reads the params of Page.captureScreenshot, with the errors of Chromium 156. fromSurface and optimizeForSpeed are
 * ignored: there is only one way to draw here.
 */
export function optionsOf(p: Protocol.Page.CaptureScreenshotRequest): Options {
  const format = formatOf(p.format);
  const region = p.clip ? clip(p.clip) : p.captureBeyondViewport ? content() : viewport();
  const scale = (p.clip?.scale ?? 1) * devicePixelRatio;
  const width = Math.max(1, Math.round(region.width * scale));
  const height = Math.max(1, Math.round(region.height * scale));
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_AREA) {
    throw noPicture(`no canvas holds ${width} by ${height} pixels`);
  }
  return { format, quality: qualityOf(p.quality), region, width, height };
}

export function formatOf(format = "png"): Options["format"] {
  if (!["png", "jpeg", "webp"].includes(format)) throw new ClientError("Invalid image format", -32602);
  return format as Options["format"];
}

export function qualityOf(percent = -1): number | undefined {
  return percent >= 0 && percent <= 100 ? percent / 100 : undefined;
}

function clip(c: Protocol.Page.Viewport): Rect {
  for (const name of ["x", "y", "width", "height", "scale"] as const) {
    if (!Number.isFinite(c[name])) throw new ClientError("Invalid parameters", -32602);
  }
  if (!(c.width > 0 && c.height > 0 && c.scale > 0)) throw new ClientError("Unable to capture screenshot");
  return { x: c.x, y: c.y, width: c.width, height: c.height };
}

export function viewport(): Rect {
  return { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight };
}

function content(): Rect {
  const root = document.scrollingElement ?? document.documentElement;
  return { x: 0, y: 0, width: root.scrollWidth, height: root.scrollHeight };
}
