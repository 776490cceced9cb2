import { useEffect, useRef, useState } from "preact/hooks";
import type { State } from "../api/wire";
import { type Model, matches, places, totals } from "../model/model";
import type { Route } from "../model/route";
import { Activity } from "./activity";
import { announce } from "./announce";
import { Connect } from "./connect";
import { Pairs } from "./facts";
import { HubSection } from "./hubsection";
import { count } from "./text";
import { tileId } from "./tile";
import { useTiles } from "./usetiles";

/** The search is shown from this number of targets on. */
const SEARCH_FROM = 7;

interface Props {
  model: Model;
  state: State;
  /** The target that was open last. Its tile gets the focus. */
  from: Route | undefined;
}

export function Overview({ model, state, from }: Props) {
  const [words, setWords] = useState("");
  const all = places(state);
  const found = all.filter((place) => matches(place, words));
  const shown = new Set(found.map((place) => place.key));
  const list = useRef<HTMLElement>(null);
  const { width, room } = useTiles(
    list,
    state.hubs.map((hub) => found.filter((f) => f.hub === hub).length),
  );
  useCount(all.length);
  useEffect(() => {
    if (from?.at === "target") document.getElementById(tileId(from.hub, from.targetId))?.focus();
  }, []);
  useEffect(() => {
    document.title = `${count(all.length, "target")} - cdphub`;
  }, [all.length]);
  return (
    <>
      <h1 class="unseen">What runs</h1>
      <Numbers model={model} state={state} />
      <div class="columns">
        <section aria-labelledby="targets" class="targets" ref={list} style={{ "--tile": `${width}px` }}>
          <div class="row heading">
            <h2 id="targets">Targets</h2>
            {(all.length >= SEARCH_FROM || words) && (
              <>
                <input
                  type="search"
                  class="search"
                  aria-label="Search targets by title, address, hub or client"
                  placeholder="Search"
                  value={words}
                  onInput={(e) => setWords(e.currentTarget.value)}
                />
                {words && (
                  <p class="faint" role="status">
                    {found.length} of {count(all.length, "target")}
                  </p>
                )}
              </>
            )}
          </div>
          {state.hubs.map((hub) => (
            <HubSection
              key={hub.hub}
              hub={hub}
              shown={shown}
              searching={words !== ""}
              now={Date.now() + model.ahead}
              room={room}
            />
          ))}
          {all.length === 0 && <Connect heading={false} />}
        </section>
        <Activity model={model} state={state} />
      </div>
    </>
  );
}

function Numbers({ model, state }: { model: Model; state: State }) {
  const { targets, clients, sessions, pending } = totals(state);
  const numbers: [string, number][] = [
    ["Hubs", state.hubs.length],
    ["Targets", targets],
    ["Clients", clients],
    ["Sessions", sessions],
    ["Waiting", pending],
  ];
  const list = numbers.map(([name, n]): [string, string] => [name, n.toLocaleString()]);
  return <Pairs look={`numbers ${model.phase === "live" ? "" : "stale"}`} list={list} />;
}

/** Tells screen readers of a change in the number of targets, after the number has stayed the same for a while. */
function useCount(n: number): void {
  const before = useRef(n);
  useEffect(() => {
    if (before.current === n) return;
    const timer = setTimeout(() => {
      before.current = n;
      announce(`${count(n, "target")} now.`);
    }, 1_000);
    return () => clearTimeout(timer);
  }, [n]);
}
