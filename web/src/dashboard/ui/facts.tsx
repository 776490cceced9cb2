import type { Hub, Target } from "../api/wire";
import { inWords } from "../model/words";
import { ago, hubName } from "./text";

export function Facts({ hub, target, now }: { hub: Hub; target: Target; now: number }) {
  const { drivers, last } = target;
  const facts: [string, string][] = [
    ["Hub", hubName(hub.hub)],
    ["Type", target.type],
    ["Target", target.targetId],
    ["Clients", drivers?.length ? drivers.join(", ") : "none"],
    ...(target.client ? [["Private to", target.client] as [string, string]] : []),
    ["Last action", last ? `${inWords(last.method)}, ${ago(last.at, now)}` : "none"],
  ];
  return <Pairs look="facts" list={facts} />;
}

/** A list of names and what they stand for. */
export function Pairs({ look, list }: { look: string; list: [name: string, text: string][] }) {
  return (
    <dl class={look}>
      {list.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
