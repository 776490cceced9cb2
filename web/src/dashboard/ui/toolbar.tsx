import type { RefObject } from "preact";
import type { Hub, Target, You } from "../api/wire";
import { LEASE_BUTTON } from "./control";
import { DevTools } from "./devtools";
import type { Live } from "./uselive";

interface Props {
  hub: Hub;
  target: Target;
  you: You;
  live: Live;
  stage: RefObject<HTMLElement | null>;
  alone: boolean;
}

export function Toolbar({ hub, target, you, live, stage, alone }: Props) {
  const mine = live.holder?.mine === true;
  const elsewhere = !mine && live.holder?.you;
  const other = !mine && !elsewhere && live.holder?.name;
  const devTools = you.devtools && !alone;
  return (
    <div class="row tools">
      {you.control && !alone && (
        <button
          type="button"
          id={LEASE_BUTTON}
          class={mine ? "" : "main"}
          disabled={!live.connected || !!other}
          onClick={() => live.send({ kind: mine ? "release" : "take" })}
        >
          {mine ? "Hand back" : elsewhere ? "Use it here" : "Take over"}
        </button>
      )}
      {mine && (
        <>
          <button type="button" onClick={() => live.send({ kind: "reload" })}>
            Reload
          </button>
          {!alone && (
            <button type="button" onClick={() => live.send({ kind: "close" })}>
              Close the page
            </button>
          )}
        </>
      )}
      {document.fullscreenEnabled && (
        <button type="button" onClick={() => void stage.current?.requestFullscreen()}>
          Full screen
        </button>
      )}
      {devTools && <DevTools hub={hub} target={target} />}
      <p class="hold">{holdText(you, live, alone)}</p>
    </div>
  );
}

function holdText(you: You, { holder, connected, gone, refused }: Live, alone: boolean): string {
  if (gone || refused) return "";
  if (!connected) return "Connecting to the page …";
  if (holder?.mine) return alone ? "You have the page." : "You have the page. Escape twice hands it back.";
  if (holder?.you) return "You have the page in another window.";
  if (holder?.name) return `${holder.name} has the page`;
  return you.control ? "" : "Your token can view this page, but not act on it.";
}
