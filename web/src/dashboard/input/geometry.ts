// Converts points on the screen to points in the page.

import type { Viewport } from "../api/wire";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The box of a picture within its element, with object-fit: contain. */
export function fit(element: Box, picture: Viewport): Box {
  if (picture.width <= 0 || picture.height <= 0) return { ...element };
  const scale = Math.min(element.width / picture.width, element.height / picture.height);
  const width = picture.width * scale;
  const height = picture.height * scale;
  return {
    left: element.left + (element.width - width) / 2,
    top: element.top + (element.height - height) / 2,
    width,
    height,
  };
}

/**
 * The position in the viewport, in CSS px, of a point on the screen. Undefined beside the picture. With `clamp`, as
 * for a drag that has left the picture, it is the nearest point within.
 */
export function toViewport(
  x: number,
  y: number,
  element: Box,
  viewport: Viewport,
  clamp = false,
): { x: number; y: number } | undefined {
  const box = fit(element, viewport);
  if (box.width <= 0 || box.height <= 0 || viewport.width <= 0 || viewport.height <= 0) return undefined;
  const px = ((x - box.left) / box.width) * viewport.width;
  const py = ((y - box.top) / box.height) * viewport.height;
  const inside = px >= 0 && py >= 0 && px < viewport.width && py < viewport.height;
  if (!inside && !clamp) return undefined;
  return { x: within(px, viewport.width), y: within(py, viewport.height) };
}

function within(at: number, size: number): number {
  return Math.round(Math.min(Math.max(at, 0), size - 1) * 100) / 100;
}
