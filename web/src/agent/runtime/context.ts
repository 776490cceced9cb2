// Execution contexts, and which of them are live. Those of frames are made in contexts.ts, that of a worker in
// worker/index.ts.

import type { Frame } from "../page/frames";

/** An execution context. All worlds of a frame have the same global object. */
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

/** The error message for a context that does not exist, with the code -32000. */
export const NO_CONTEXT = "Cannot find context with specified id";

const live = new Set<Context>();
const dropped: ((c: Context) => void)[] = [];

/** Marks a context as live. */
export function addContext(c: Context): void {
  live.add(c);
}

/** Marks a context as gone. */
export function dropContext(c: Context): void {
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
