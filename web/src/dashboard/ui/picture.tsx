import { useEffect, useRef, useState } from "preact/hooks";
import { draw, useView } from "./useview";

interface Props {
  /** If false, no socket is open, and the last picture stays. */
  active: boolean;
  path: string;
  targetId: string;
  room: { width: number; height: number; fps: number };
}

/** The live picture of a tile. Screen readers read the tile's text instead. */
export function Picture({ active, path, targetId, room }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState(false);
  const [why, setWhy] = useState("Loading the picture …");
  const view = useView(active, path, targetId, {
    picture: async (_, bytes) => {
      await draw(canvas.current, bytes);
      setDrawn(true);
    },
    gone: (text) => {
      setDrawn(false);
      setWhy(text);
    },
    refused: (text) => setWhy(text || "No picture yet"),
  });
  useEffect(() => view?.room(room.width, room.height, room.fps), [view, room]);
  return (
    <>
      <canvas ref={canvas} width="320" height="200" class={drawn ? "" : "unseen"} />
      {!drawn && <span class="placeholder">{why}</span>}
    </>
  );
}
