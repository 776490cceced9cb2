import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { View } from "../api/view";
import type { DialogMessage, HolderMessage, ToView, Viewport } from "../api/wire";
import { draw, useView } from "./useview";

/** The live view of one target. */
export interface Live {
  view: View | undefined;
  connected: boolean;
  /** The viewport of the picture; undefined before the first one. */
  viewport: Viewport | undefined;
  /** Whether the picture is smaller than its place: it was made for a small one, and a larger one is on its way. */
  coarse: boolean;
  holder: HolderMessage | undefined;
  /** An open dialog of the page, which the holder of the lease must answer. */
  dialog: DialogMessage | undefined;
  /** Why the hub refused the last message; "" if it did not. */
  problem: string;
  /** Why there is no live view; "" if there is one. */
  gone: string;
  /** Why the hub does not open one; "" if it does. */
  refused: string;
  send(message: ToView): void;
}

/** Pictures per second of the large view. */
const FULL_RATE = 30;

export function useLive(path: string | undefined, targetId: string, canvas: RefObject<HTMLCanvasElement | null>): Live {
  const [connected, setConnected] = useState(false);
  const [viewport, setViewport] = useState<Viewport>();
  const [coarse, setCoarse] = useState(false);
  const [holder, setHolder] = useState<HolderMessage>();
  const [dialog, setDialog] = useState<DialogMessage>();
  const [problem, setProblem] = useState("");
  const [gone, setGone] = useState("");
  const [refused, setRefused] = useState("");
  const shown = useShown();
  // A hidden tab needs no pictures. But the lease must not be lost when its holder looks at another tab.
  const active = path !== undefined && (shown || holder?.mine === true);
  const view = useView(active, path ?? "", targetId, {
    picture: async ({ width, height }, bytes) => {
      await draw(canvas.current, bytes);
      setCoarse(isCoarse(canvas.current, width, height));
      setGone("");
      setViewport((old) => (old?.width === width && old.height === height ? old : { width, height }));
    },
    holder: (message) => {
      setHolder(message);
      if (!message.mine) setDialog(undefined);
      setProblem("");
    },
    dialog: (message) => setDialog(message.type ? message : undefined),
    error: setProblem,
    gone: (text) => {
      setGone(text);
      setViewport(undefined);
    },
    refused: setRefused,
    connected: (is) => {
      setConnected(is);
      if (is) return;
      setHolder(undefined);
      setDialog(undefined);
    },
  });
  useRoom(view, canvas);
  const send = (message: ToView) => view?.send(message);
  return { view, connected, viewport, coarse, holder, dialog, problem, gone, refused, send };
}

/** Whether a picture has far fewer pixels than the page, and than the place that it is drawn in. */
function isCoarse(canvas: HTMLCanvasElement | null, width: number, height: number): boolean {
  const stage = canvas?.parentElement;
  if (!canvas || !stage) return false;
  const scale = Math.min(stage.clientWidth / width, stage.clientHeight / height, 1);
  return canvas.width < width * scale * 0.7;
}

/** Whether the tab is shown. */
function useShown(): boolean {
  const [shown, setShown] = useState(!document.hidden);
  useEffect(() => {
    const changed = () => setShown(!document.hidden);
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  return shown;
}

/** Tells the hub the size of the canvas whenever it changes. */
function useRoom(view: View | undefined, canvas: RefObject<HTMLCanvasElement | null>): void {
  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (!view || !element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = () =>
      view.room(element.clientWidth * devicePixelRatio, element.clientHeight * devicePixelRatio, FULL_RATE);
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(tell, 100);
    });
    tell();
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [view, canvas]);
}
