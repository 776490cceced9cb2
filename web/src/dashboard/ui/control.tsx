import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ToView, Viewport } from "../api/wire";
import { useKeyboard } from "./usekeyboard";
import { useMouse } from "./usemouse";

/** The id of the button that gets the focus when the lease ends. */
export const LEASE_BUTTON = "lease";

interface Props {
  viewport: Viewport;
  canvas: RefObject<HTMLCanvasElement | null>;
  send(message: ToView): void;
}

/**
 * Covers the picture while this page has the lease of the target. The invisible field receives keys, the text of
 * input methods, and pastes.
 */
export function Control({ viewport, canvas, send }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const surface = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    field.current?.focus({ preventScroll: true });
    return () => {
      const focused = document.activeElement;
      const elsewhere = focused !== document.body && !surface.current?.contains(focused);
      if (!elsewhere) document.getElementById(LEASE_BUTTON)?.focus({ preventScroll: true });
    };
  }, []);
  useKeyboard(field, send);
  useMouse(surface, canvas, field, viewport, send);
  return (
    <div class="control" ref={surface}>
      <textarea
        ref={field}
        aria-label="Keyboard of the page. Escape twice hands the page back."
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
    </div>
  );
}
