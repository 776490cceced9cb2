import type { Close, State } from "../api/wire";
import type { Model } from "../model/model";
import { NORMAL, closeWords } from "../model/words";
import { Nodes } from "./nodes";
import { Plot } from "./plot";
import { Table } from "./table";
import { hubName } from "./text";

/** Rates, hubs, and what has ended. */
export function Activity({ model, state }: { model: Model; state: State }) {
  const { rates } = model;
  return (
    <aside aria-label="Activity">
      <Plot title="Commands per second" values={rates.commands} end={rates.end} begin={rates.begin} />
      <Plot title="Events per second" values={rates.events} end={rates.end} begin={rates.begin} />
      {state.hubs.length > 1 && <Hubs state={state} />}
      {state.nodes && <Nodes state={state} nodes={state.nodes} />}
      <Closes closes={state.closes ?? []} hubs={state.hubs.length > 1} />
    </aside>
  );
}

function Hubs({ state }: { state: State }) {
  return (
    <Table id="hubs" title="Hubs" columns={["Hub", "Targets", "Clients", "Sessions", "Waiting"]}>
      {state.hubs.map((h) => (
        <tr key={h.hub}>
          <th scope="row">
            <a href={`${h.path}/`}>{hubName(h.hub)}</a>
          </th>
          <td>{h.targets?.length ?? 0}</td>
          <td>{h.clients}</td>
          <td>{h.sessions}</td>
          <td>{h.counters.pending}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Maximum number of listed entries. */
const LISTED = 12;

function Closes({ closes, hubs }: { closes: Close[]; hubs: boolean }) {
  // The normal end of a view of the dashboard is left out.
  const news = closes.filter((c) => c.side !== "viewer" || !NORMAL.has(c.code));
  const newest = news.sort((a, b) => Date.parse(b.time) - Date.parse(a.time)).slice(0, LISTED);
  return (
    <section class="panel" aria-labelledby="closes">
      <h2 id="closes">Connections that ended</h2>
      {newest.length === 0 && <p class="faint">None yet.</p>}
      <ul class="closes">
        {newest.map((c) => (
          <li key={c.time + c.peer}>
            <span>
              {c.side}
              {hubs && c.hub ? ` of ${c.hub}` : ""} {c.peer && <span class="faint">{c.peer}</span>}
              <span class={NORMAL.has(c.code) ? "reason" : "reason bad"}>
                {closeWords(c.code, c.reason)} <span class="faint">({c.code})</span>
              </span>
            </span>
            <time dateTime={c.time}>{new Date(c.time).toLocaleTimeString()}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
