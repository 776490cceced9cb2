import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Control } from "./control";
import { PageDialog } from "./pagedialog";
import type { PastPicture } from "./usetimeline";
import type { Live } from "./uselive";

interface Props {
  stage: RefObject<HTMLElement | null>;
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
  /** Whether this person has the page in another window. */
  elsewhere: boolean;
  /** Takes the page over at the first click or key; undefined where a button does that. */
  begin: (() => void) | undefined;
}

/** The large picture of a target, and what there is to say of it, which never covers it. The holder of the lease acts in it. */
export function Stage({ stage, canvas, live, title, mine, past, still, recorded, elsewhere, begin }: Props) {
  const { holder } = live;
  const viewport = still ? undefined : live.viewport;
  const ratio = viewport ? `${viewport.width} / ${viewport.height}` : "16 / 10";
  const other = holder?.name && !mine && !elsewhere ? `${holder.name} has the page` : "";
  const says = past ? (recorded ? "" : PAST) : viewport && live.coarse ? "Loading a sharp picture …" : other;
  return (
    <figure class={`stage ${mine ? "mine" : ""}`} ref={stage}>
      <div class="picture" style={{ aspectRatio: ratio }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Live picture of ${title}`}
          class={viewport && !past ? "" : "unseen"}
        />
        {past && (past.url ? <img src={past.url} alt={past.text} /> : <p class="placeholder">{past.text}</p>)}
        {!viewport && !past && (
          <p class="placeholder">{still || live.refused || live.gone || "Loading the picture …"}</p>
        )}
        {begin && viewport && <Begin begin={begin} elsewhere={elsewhere} />}
        {mine && live.dialog && <PageDialog dialog={live.dialog} send={live.send} />}
        {mine && viewport && !past && !live.dialog && <Control viewport={viewport} send={live.send} canvas={canvas} />}
      </div>
      <figcaption>{says}</figcaption>
    </figure>
  );
}

const PAST = "This is the past";

/** Covers the picture until a person clicks into it or presses a key. Keys that only move the focus do not count. */
function Begin({ begin, elsewhere }: { begin(): void; elsewhere: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus({ preventScroll: true }), []);
  const pressed = (event: KeyboardEvent) => {
    if (STAYS.has(event.key)) return;
    event.preventDefault();
    begin();
  };
  return (
    <button type="button" class="begin" ref={button} onClick={begin} onKeyDown={pressed}>
      <span>Click here, or press a key, to use the page{elsewhere && " in this window"}</span>
    </button>
  );
}

const STAYS = new Set(["Tab", "Shift", "Control", "Alt", "Meta", "Escape", "CapsLock"]);
