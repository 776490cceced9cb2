import { useState } from "preact/hooks";
import { post } from "../api/access";
import type { Hub, Target } from "../api/wire";
import { announce } from "./announce";

/** Hands a tab over to Clients that see only tabs of their own, and takes it away again. */
export function OwnTabs({ hub, target }: { hub: Hub; target: Target }) {
  const [problem, setProblem] = useState("");
  const clients = target.client ? [] : (hub.ownTabs ?? []);
  if (clients.length === 0) return null;
  const ask = async (what: "grant" | "revoke", client: string) => {
    const refused = await post(`${hub.path}/ui/api/${what}`, { targetId: target.targetId, client });
    setProblem(refused);
    if (!refused) announce(what === "grant" ? `${client} has this tab.` : `${client} has this tab no more.`);
  };
  return (
    <section aria-labelledby="owntabs">
      <h2 id="owntabs">Clients with tabs of their own</h2>
      <ul>
        {clients.map(({ client, tabs }) => {
          const has = tabs.includes(target.targetId);
          return (
            <li key={client}>
              {client} <span class="faint">{has ? "has this tab" : "does not see this tab"}</span>{" "}
              <button
                type="button"
                aria-label={has ? `Take away the tab from ${client}` : `Give the tab to ${client}`}
                onClick={() => ask(has ? "revoke" : "grant", client)}
              >
                {has ? "Take away" : "Give"}
              </button>
            </li>
          );
        })}
      </ul>
      {problem && (
        <p class="alert" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
