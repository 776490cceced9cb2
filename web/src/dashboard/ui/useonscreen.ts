import { useEffect, useState } from "preact/hooks";

/**
 * How long an element must be on the screen before it counts, in ms: scrolling past it must not open a connection.
 */
const STAYS_MS = 150;

/** Whether an element is on the screen, and its tab is shown. */
export function useOnScreen(element: Element | null): boolean {
  const [is, setIs] = useState(false);
  useEffect(() => {
    if (!element) return;
    let within = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const decide = () => {
      clearTimeout(timer);
      const shown = within && !document.hidden;
      if (shown) timer = setTimeout(() => setIs(true), STAYS_MS);
      else setIs(false);
    };
    const observer = new IntersectionObserver((entries) => {
      within = entries[entries.length - 1]!.isIntersecting;
      decide();
    });
    observer.observe(element);
    document.addEventListener("visibilitychange", decide);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("visibilitychange", decide);
    };
  }, [element]);
  return is;
}
