import type { RefObject } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { RATIO, tileWidth } from "../model/tiles";

/** What a picture has room for. */
export interface Room {
  width: number;
  height: number;
  fps: number;
}

/** Pixels: each step costs a new picture of every target, and a tile looks no sharper with more than the most. */
const STEP = 160;
const MOST = 1280;

/** How wide tiles are, in CSS px, so that those of all hubs fit below the top of their list, and what a picture has room for. */
export function useTiles(list: RefObject<HTMLElement | null>, hubs: number[]): { width: number; room: Room } {
  const [area, setArea] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = list.current!;
    const measure = () => {
      const box = element.getBoundingClientRect();
      const next = { width: box.width, height: innerHeight - (box.top + scrollY) };
      setArea((old) => (old.width === next.width && old.height === next.height ? old : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, []);
  const width = tileWidth(area, hubs);
  const pixels = Math.min(Math.ceil((width * devicePixelRatio) / STEP) * STEP, MOST);
  // Once a second.
  const room = useMemo(() => ({ width: pixels, height: pixels / RATIO, fps: 1 }), [pixels]);
  return { width, room };
}
