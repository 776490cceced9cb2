import { useState } from "preact/hooks";
import { headers } from "../api/access";
import type { Hub, Named } from "../api/wire";
import { ago, count } from "./text";

/** The named sessions of the token at a hub. */
export function NamedSessions({ hub, named, now }: { hub: Hub; named: Named[]; now: number }) {
  return (
    <details>
      <summary>{count(named.length, "named session")}</summary>
      <ul>
        {named.map(({ name, client, awaySince }) => (
          <li key={name}>
            {name}{" "}
            <span class="faint">
              {awaySince ? `${client} lost its connection ${ago(awaySince, now)}` : `${client} is connected`}
            </span>{" "}
            <End path={`${hub.path}/sessions/${name}`} name={name} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function End({ path, name }: { path: string; name: string }) {
  const [state, setState] = useState<"" | "asked" | "failed">("");
  const end = async () => {
    setState("asked");
    const answer = await fetch(path, { method: "DELETE", headers: headers() }).catch(() => undefined);
    if (!answer?.ok) setState("failed");
  };
  return (
    <>
      <button type="button" aria-label={`End ${name}`} disabled={state === "asked"} onClick={end}>
        End
      </button>
      {state === "failed" && <span role="alert"> The hub did not end it.</span>}
    </>
  );
}
