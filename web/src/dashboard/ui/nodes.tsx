import { useState } from "preact/hooks";
import { post } from "../api/access";
import type { ClusterNode, State } from "../api/wire";
import { page } from "../page";
import { Table } from "./table";
import { ago, count } from "./text";

/** The nodes of the cluster. */
export function Nodes({ state, nodes }: { state: State; nodes: ClusterNode[] }) {
  const browsers = nodes.some((n) => n.maxBrowsers);
  const elsewhere = nodes.reduce((sum, n) => sum + (n.answers ? 0 : n.hubs), 0);
  return (
    <>
      <Table id="nodes" title="Nodes" columns={["Node", "Hubs", ...(browsers ? ["Browsers"] : []), "Started", "State"]}>
        {nodes.map((n) => (
          <tr key={n.id}>
            <th scope="row" title={`cdphub ${n.version}`}>
              {n.name}
            </th>
            <td>{n.hubs.toLocaleString()}</td>
            {browsers && <td>{n.maxBrowsers ? `${n.browsers ?? 0} of ${n.maxBrowsers}` : "none"}</td>}
            <td>{ago(n.since, state.now)}</td>
            <td>
              {n.draining ? "drains" : "serves"}
              {n.answers && ", shows this"}
              {state.you.drain && !n.draining && <Drain node={n} path={state.hubs[0]?.path ?? ""} />}
            </td>
          </tr>
        ))}
      </Table>
      {elsewhere > 0 && <Elsewhere hubs={elsewhere} here={nodes.find((n) => n.answers)?.name ?? "this node"} />}
    </>
  );
}

/** A way to the hubs of other nodes: each node serves the page of every hub. */
function Elsewhere({ hubs, here }: { hubs: number; here: string }) {
  const open = (event: Event) => {
    event.preventDefault();
    const name = new FormData(event.currentTarget as HTMLFormElement).get("hub") as string;
    const root = page.path.replace(/\/hub\/[^/]+$/, ""); // a reverse proxy may have a path before it
    location.assign(`${root}/hub/${encodeURIComponent(name.trim())}/`);
  };
  return (
    <form class="panel" onSubmit={open} aria-label="Hubs of other nodes">
      <p>
        This page shows the hubs of {here}. Other nodes have {count(hubs, "hub")}.
      </p>
      <label for="other-hub">Open a hub by its name</label>
      <div class="row">
        <input id="other-hub" name="hub" required pattern="[A-Za-z0-9_.\\-]+" autocomplete="off" spellcheck={false} />
        <button type="submit">Open</button>
      </div>
    </form>
  );
}

/** Ends a node when it was pressed twice. */
function Drain({ node, path }: { node: ClusterNode; path: string }) {
  const [step, setStep] = useState<"" | "asks" | "sent">("");
  const [failed, setFailed] = useState("");
  const drain = async () => {
    setStep("sent");
    const problem = await post(`${path}/ui/api/drain`, { node: node.id });
    setFailed(problem);
    if (problem) setStep("");
  };
  if (step === "asks") {
    return (
      <fieldset class="confirm">
        <legend>End {node.name}? Its browsers end, and its Hosts and Clients go to other nodes.</legend>
        <button type="button" onClick={drain}>
          Drain {node.name}
        </button>{" "}
        <button type="button" onClick={() => setStep("")}>
          Cancel
        </button>
      </fieldset>
    );
  }
  return (
    <>
      {" "}
      <button
        type="button"
        aria-label={`Drain ${node.name}…`}
        disabled={step === "sent"}
        onClick={() => setStep("asks")}
      >
        Drain…
      </button>
      {failed && <span role="alert"> {failed}</span>}
    </>
  );
}
