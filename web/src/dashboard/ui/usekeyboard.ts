import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ToView } from "../api/wire";
import { listenToKeyboard } from "../input/keyboard";

/** Sends the keys and text of a field to the page. */
export function useKeyboard(field: RefObject<HTMLTextAreaElement | null>, send: (message: ToView) => void): void {
  const newest = useRef(send);
  newest.current = send;
  useLayoutEffect(() => {
    const element = field.current;
    return element ? listenToKeyboard(element, (message) => newest.current(message)) : undefined;
  }, [field]);
}
