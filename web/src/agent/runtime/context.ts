// An execution context, and which there are: those of frames (contexts.ts), or
// the one of a worker.

import type { Frame } from "../page/frames";

/** An execution context: one logical world of one frame, over that frame's real global. */
export interface Context {
  id: number;
  uniqueId: string;
  name: string;
  isDefault: boolean;
  /** Absent in a worker. */
  frame?: Frame;
}

/** A context of a frame. */
export interface FrameContext extends Context {
  frame: Frame;
}

/** What -32000 says of a context that is gone or never was. */
export const NO_CONTEXT = "Cannot find context with specified id";

const live = new Set<Context>();
const dropped: ((c: Context) => void)[] = [];

/** A context has come. */
export function contextCame(c: Context): void {
  live.add(c);
}

/** A context has gone. */
export function contextWent(c: Context): void {
  live.delete(c);
  for (const f of dropped) f(c);
}

/** Whether the context is still there. */
export function isLive(c: Context): boolean {
  return live.has(c);
}

/** Calls f for each context that goes. */
export function onContextGone(f: (c: Context) => void): void {
  dropped.push(f);
}
