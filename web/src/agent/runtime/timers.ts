// Animation frames for a document that the browser does not paint: it is hidden, or in an off-screen frame of another
// origin.

import { originals } from "../base/originals";

const PATIENCE_MS = 120;
const PERIOD_MS = 16;

/** Wraps requestAnimationFrame of a window. A timer calls what the browser does not call in time. */
export function installTimers(win: Window & typeof globalThis): void {
  const request = win.requestAnimationFrame.bind(win);
  const cancel = win.cancelAnimationFrame.bind(win);
  const timers = new Map<number, number>(); // by the handle of requestAnimationFrame
  let painted = true;

  win.requestAnimationFrame = function requestAnimationFrame(callback: FrameRequestCallback): number {
    const handle = request((t) => {
      painted = true;
      originals.clearTimeout(timers.get(handle));
      timers.delete(handle);
      callback(t);
    });
    timers.set(
      handle,
      originals.setTimeout(
        () => {
          timers.delete(handle);
          cancel(handle);
          if (painted) request(() => (painted = true)); // detects that the browser paints again
          painted = false;
          callback(win.performance.now());
        },
        painted ? PATIENCE_MS : PERIOD_MS,
      ),
    );
    return handle;
  };
  win.cancelAnimationFrame = function cancelAnimationFrame(handle: number): void {
    originals.clearTimeout(timers.get(handle));
    timers.delete(handle);
    cancel(handle);
  };
}
