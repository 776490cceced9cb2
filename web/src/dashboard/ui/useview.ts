import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { askWhy, protocols, socketAddress } from "../api/access";
import { View, type ViewListener, type ViewSocket } from "../api/view";

/** Tells the page that its views are refused, for this reason; "" once one opens. */
export const Refusals = createContext<(text: string) => void>(() => {});

/** Opens the view socket of a target while it is active. Messages go to the listener of the last rendering. */
export function useView(active: boolean, path: string, targetId: string, listener: ViewListener): View | undefined {
  const [view, setView] = useState<View>();
  const newest = useRef(listener);
  newest.current = listener;
  const refuse = useContext(Refusals);
  useEffect(() => {
    if (!active) return;
    const at = `${path}/ui/api/view`;
    const query = `?target=${encodeURIComponent(targetId)}`;
    const listening: ViewListener = {
      picture: (message, bytes) => newest.current.picture(message, bytes),
      holder: (message) => newest.current.holder?.(message),
      dialog: (message) => newest.current.dialog?.(message),
      error: (text) => newest.current.error?.(text),
      gone: (text) => newest.current.gone?.(text),
      connected: (is) => newest.current.connected?.(is),
      refused: (text, all) => {
        newest.current.refused?.(text, all);
        if (all) refuse(text);
      },
    };
    const connect = () => new WebSocket(socketAddress(at + query), protocols()) as ViewSocket;
    const opened = new View(connect, listening, () => askWhy(`${at}/why${query}`));
    setView(opened);
    return () => {
      opened.close();
      setView(undefined);
    };
  }, [active, path, targetId]);
  return view;
}

/** Draws a picture on a canvas, which takes its size. */
export async function draw(canvas: HTMLCanvasElement | null, bytes: Blob): Promise<void> {
  const bitmap = await createImageBitmap(bytes);
  try {
    if (!canvas) return;
    if (canvas.width !== bitmap.width) canvas.width = bitmap.width;
    if (canvas.height !== bitmap.height) canvas.height = bitmap.height;
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  } finally {
    bitmap.close();
  }
}
