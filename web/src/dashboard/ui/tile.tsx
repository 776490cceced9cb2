import { useId, useState } from "preact/hooks";
import type { Hub, Target } from "../api/wire";
import { keyOf } from "../model/model";
import { linkTo } from "../model/route";
import { Badges } from "./badges";
import { Picture } from "./picture";
import { inWords } from "../model/words";
import { ago } from "./text";
import type { Room } from "./usetiles";
import { useOnScreen } from "./useonscreen";

/** The id of the link of a target's tile. */
export function tileId(hub: string, targetId: string): string {
  return `target-${keyOf(hub, targetId)}`;
}

interface Props {
  hub: Hub;
  target: Target;
  now: number;
  /** What a picture has room for, in pixels of the screen. */
  room: Room;
}

export function Tile({ hub, target, now, room }: Props) {
  const id = useId();
  const [element, setElement] = useState<HTMLElement | null>(null);
  const onScreen = useOnScreen(element);
  const title = target.title || target.url || "(no title)";
  return (
    <li class="tile" ref={setElement}>
      <div class="shot">
        <Picture active={onScreen} path={hub.path} targetId={target.targetId} room={room} />
      </div>
      <div class="name">
        <h4>
          <a
            href={linkTo({ at: "target", hub: hub.hub, targetId: target.targetId })}
            id={tileId(hub.hub, target.targetId)}
            aria-describedby={id}
          >
            {title}
          </a>
        </h4>
        <Badges target={target} />
      </div>
      <div id={id} class="about">
        <p class="address" title={target.url}>
          {target.url}
        </p>
        <p class="did">
          <span>{doing(target)}</span>
          {target.last && <span class="when">{ago(target.last.at, now)}</span>}
        </p>
      </div>
    </li>
  );
}

/** The Clients that drive a target, or the holder of its lease, and the last command. */
function doing(target: Target): string {
  const driver = driverOf(target);
  return target.last ? `${driver} · ${inWords(target.last.method)}` : driver;
}

function driverOf({ client, drivers, holder }: Target): string {
  if (holder) return holder.you ? "You" : holder.name;
  return drivers?.length ? drivers.join(", ") : (client ?? "Not driven");
}
