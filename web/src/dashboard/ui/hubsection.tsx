import type { Closed, Hub } from "../api/wire";
import { keyOf } from "../model/model";
import { linkTo } from "../model/route";
import { NamedSessions } from "./named";
import { ago, count, hubName, stateOf } from "./text";
import { Tile } from "./tile";
import type { Room } from "./usetiles";

interface Props {
  hub: Hub;
  /** Keys of the targets that the search has found. */
  shown: ReadonlySet<string>;
  searching: boolean;
  now: number;
  room: Room;
}

export function HubSection({ hub, shown, searching, now, room }: Props) {
  const targets = (hub.targets ?? []).filter((t) => shown.has(keyOf(hub.hub, t.targetId)));
  if (searching && targets.length === 0) return null;
  const id = `hub-${hub.hub}`;
  const alive = hub.hostConnected || hub.browser;
  return (
    <section class="hub" aria-labelledby={id}>
      <div class="row">
        <h3 id={id}>{hubName(hub.hub)}</h3>
        <p class={`state ${hub.hostHangs ? "bad" : alive ? "good" : ""}`}>{stateOf(hub)}</p>
        {hub.counters.pending > 0 && <p class="faint">{count(hub.counters.pending, "command")} waiting</p>}
      </div>
      {targets.length > 0 && (
        <ul class="tiles">
          {targets.map((target) => (
            <Tile key={target.targetId} hub={hub} target={target} now={now} room={room} />
          ))}
        </ul>
      )}
      {!searching && !!hub.named?.length && <NamedSessions hub={hub} named={hub.named} now={now} />}
      {!searching && hub.closed && <Ended hub={hub} closed={hub.closed} now={now} />}
    </section>
  );
}

/** Links to the timelines of targets that have ended. */
function Ended({ hub, closed, now }: { hub: Hub; closed: Closed[]; now: number }) {
  return (
    <details>
      <summary>Ended: {count(closed.length, "target")}</summary>
      <ul>
        {closed.map(({ targetId, title, url, at }) => (
          <li key={targetId}>
            <a href={linkTo({ at: "target", hub: hub.hub, targetId })}>{title || url || targetId}</a>{" "}
            <span class="faint">{ago(at, now)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
