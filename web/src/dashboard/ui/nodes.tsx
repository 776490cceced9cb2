import { useState } from "preact/hooks";
import { post } from "../api/access";
import type { ClusterNode, State } from "../api/wire";
import { Table } from "./table";
import { ago } from "./text";

/** The nodes of the cluster. */
export function Nodes({ state, nodes }: { state: State; nodes: ClusterNode[] }) {
  const browsers = nodes.some((n) => n.maxBrowsers);
  return (
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
