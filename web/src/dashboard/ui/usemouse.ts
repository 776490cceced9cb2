import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { MouseInput, ToView, Viewport } from "../api/wire";
import { toViewport } from "../input/geometry";
import { mouseInput, wheelInput } from "../input/keys";

/** Sends mouse events on a surface to the page whose picture is on the canvas. */
export function useMouse(
  surface: RefObject<HTMLElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  keyboard: RefObject<HTMLElement | null>,
  viewport: Viewport,
  send: (message: ToView) => void,
): void {
  const newest = useRef({ viewport, send });
  newest.current = { viewport, send };
  // A layout effect: the first click may come before the browser has painted the surface.
  useLayoutEffect(() => {
    const element = surface.current;
    if (!element) return;
    const at = (e: MouseEvent, clamp = false) =>
      canvas.current &&
      toViewport(e.clientX, e.clientY, canvas.current.getBoundingClientRect(), newest.current.viewport, clamp);
    let pressed = 0; // buttons whose press was sent

    // One move for each animation frame: more are not visible.
    let move: MouseInput | undefined;
    let frame = 0;
    const flush = () => {
      cancelAnimationFrame(frame);
      frame = 0;
      if (move) newest.current.send(move);
      move = undefined;
    };
    const moved = (e: MouseEvent) => {
      const point = at(e, pressed > 0);
      if (!point) return;
      move = mouseInput("mouseMoved", point, e);
      frame ||= requestAnimationFrame(flush);
    };
    const down = (e: MouseEvent) => {
      e.preventDefault(); // prevents a selection and a change of focus
      keyboard.current?.focus({ preventScroll: true });
      const point = at(e);
      if (!point) return;
      flush();
      pressed |= 1 << e.button;
      newest.current.send(mouseInput("mousePressed", point, e));
    };
    const up = (e: MouseEvent) => {
      const bit = 1 << e.button;
      if (!(pressed & bit)) return;
      pressed &= ~bit;
      flush();
      const point = at(e, true);
      if (point) newest.current.send(mouseInput("mouseReleased", point, e));
    };
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      const point = at(e);
      if (point) newest.current.send(wheelInput(point, e, newest.current.viewport.height));
    };
    const menu = (e: Event) => e.preventDefault();

    const listening = new AbortController();
    const { signal } = listening;
    // On the window, since a drag may leave the surface.
    addEventListener("mousemove", moved, { signal });
    addEventListener("mouseup", up, { signal });
    element.addEventListener("mousedown", down, { signal });
    element.addEventListener("wheel", wheel, { signal, passive: false });
    element.addEventListener("contextmenu", menu, { signal });
    return () => {
      cancelAnimationFrame(frame);
      listening.abort();
    };
  }, [surface, canvas, keyboard]);
}
