// The connection of the page to its hub.

import { useEffect, useReducer } from "preact/hooks";
import { access, forget, keepToken } from "../api/access";
import { follow } from "../api/events";
import { type Model, reduce, start } from "../model/model";
import { page } from "../page";

export interface HubAccess {
  model: Model;
  logIn(token: string): void;
  leave(): void;
}

export function useHub(): HubAccess {
  const [model, tell] = useReducer(reduce, undefined, () => start(Date.now(), page.token && !access().secret));
  // Without a valid token no connection is made. Each login begins one.
  const connected = model.phase !== "login";
  useEffect(() => {
    if (!connected) return;
    const { secret, handoff } = access();
    return follow(`${page.path}/ui/api/events`, {
      state: (state) => tell({ kind: "state", state, now: Date.now() }),
      problem: (problem) => {
        if (problem.kind === "login" && !handoff) forget();
        tell({ kind: "problem", problem, handoff, hadToken: secret !== "" });
      },
    });
  }, [connected]);
  useEffect(() => {
    const timer = setInterval(() => tell({ kind: "tick", now: Date.now() }), 1_000);
    return () => clearInterval(timer);
  }, []);
  return {
    model,
    logIn: (token) => {
      keepToken(token);
      tell({ kind: "login", now: Date.now() });
    },
    leave: () => {
      forget();
      tell({ kind: "leave", now: Date.now() });
    },
  };
}
