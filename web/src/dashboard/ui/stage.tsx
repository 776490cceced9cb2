import type { RefObject } from "preact";
import { Control } from "./control";
import { PageDialog } from "./pagedialog";
import type { PastPicture } from "./usetimeline";
import type { Live } from "./uselive";

interface Props {
  stage: RefObject<HTMLDivElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
  live: Live;
  title: string;
  mine: boolean;
  /** The picture that is shown instead of the live one. */
  past: PastPicture | undefined;
  /** Why there is no live picture; "" where there is one. */
  still: string;
  /** Whether the target is a recording, which has no live picture. */
  recorded: boolean;
}

/** The large picture of a target. The holder of the lease acts in it. */
export function Stage({ stage, canvas, live, title, mine, past, still, recorded }: Props) {
  const { holder } = live;
  const viewport = still ? undefined : live.viewport;
  const ratio = viewport ? `${viewport.width} / ${viewport.height}` : "16 / 10";
  return (
    <div class={`stage ${mine ? "mine" : ""}`} ref={stage} style={{ aspectRatio: ratio }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Live picture of ${title}`}
        class={viewport && !past ? "" : "unseen"}
      />
      {past && (past.url ? <img src={past.url} alt={past.text} /> : <p class="placeholder">{past.text}</p>)}
      {!viewport && !past && <p class="placeholder">{still || live.gone || "Waiting for a picture …"}</p>}
      {holder?.name && <p class="holder">{mine ? "You have the page" : `${holder.name} has the page`}</p>}
      {past && !recorded && <p class="holder past">This is the past</p>}
      {mine && live.dialog && <PageDialog dialog={live.dialog} send={live.send} />}
      {mine && viewport && !past && !live.dialog && <Control viewport={viewport} send={live.send} canvas={canvas} />}
    </div>
  );
}
