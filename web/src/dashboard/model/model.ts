// The state of the dashboard, and how it changes. Nothing here uses the document.

import type { Problem } from "../api/events";
import type { Hub, State, Target } from "../api/wire";
import { type Rates, advance, count, noRates } from "./rates";

export interface Model {
  /**
   * live: `state` is current. lost: the hub does not answer, and `state` is the last one. ended: the handoff, which was
   * all that the page could show.
   */
  phase: "connecting" | "live" | "lost" | "login" | "refused" | "ended";
  /** The message to the user; "" if there is none. */
  problem: string;
  state?: State;
  rates: Rates;
  /** How far the hub's clock is ahead of this machine's, in ms. */
  ahead: number;
}

type ModelEvent =
  | { kind: "state"; state: State; now: number }
  | { kind: "problem"; problem: Problem; handoff: boolean; hadToken: boolean }
  | { kind: "tick"; now: number }
  | { kind: "login"; now: number }
  | { kind: "leave"; now: number };

export function start(now: number, needsToken: boolean): Model {
  return { phase: needsToken ? "login" : "connecting", problem: "", rates: noRates(now), ahead: 0 };
}

export function reduce(model: Model, event: ModelEvent): Model {
  switch (event.kind) {
    case "state":
      return take(model, event.state, event.now);
    case "problem":
      return trouble(model, event);
    case "tick":
      return { ...model, rates: advance(model.rates, event.now + model.ahead) };
    case "login":
      return start(event.now, false);
    case "leave":
      return start(event.now, true);
  }
}

function take(model: Model, state: State, now: number): Model {
  const rates = model.state ? model.rates : noRates(state.now);
  return { phase: "live", problem: "", state, rates: count(rates, state.now, state.hubs), ahead: state.now - now };
}

function trouble(model: Model, { problem, handoff, hadToken }: ModelEvent & { kind: "problem" }): Model {
  switch (problem.kind) {
    case "lost":
      return { ...model, phase: "lost", problem: model.state?.replay ? REPLAY_LOST : LOST };
    case "refused":
      return { ...model, phase: "refused", problem: problem.text };
    case "ended":
    case "login": {
      const { state: _, ...rest } = model; // a user with a wrong token must not see the old state
      if (handoff || problem.kind === "ended") return { ...rest, phase: "ended", problem: "" };
      if (problem.status === 429) return { ...rest, phase: "login", problem: problem.text };
      return { ...rest, phase: "login", problem: hadToken ? WRONG : "" };
    }
  }
}

const LOST = "The hub does not answer. This page goes on trying.";
const REPLAY_LOST = "cdphub replay has ended. Start it again to see more of the recording.";
const WRONG = 'This token is not valid for the role "client" on this hub. Enter another one.';

/** A target with its hub, as the lists of the page need them. */
export interface Place {
  hub: Hub;
  target: Target;
  /** Unique over all hubs. */
  key: string;
}

export function places(state: State | undefined): Place[] {
  return (state?.hubs ?? []).flatMap((hub) =>
    (hub.targets ?? []).map((target) => ({ hub, target, key: keyOf(hub.hub, target.targetId) })),
  );
}

export function keyOf(hub: string, targetId: string): string {
  return `${hub}/${targetId}`;
}

/** Whether a target matches a search: in its title, URL, hub or drivers. */
export function matches({ hub, target }: Place, words: string): boolean {
  const text = [target.title, target.url, hub.hub, target.client ?? "", ...(target.drivers ?? [])]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

interface Totals {
  targets: number;
  clients: number;
  sessions: number;
  pending: number;
}

export function totals(state: State | undefined): Totals {
  const sum = { targets: 0, clients: 0, sessions: 0, pending: 0 };
  for (const hub of state?.hubs ?? []) {
    sum.targets += hub.targets?.length ?? 0;
    sum.clients += hub.clients;
    sum.sessions += hub.sessions;
    sum.pending += hub.counters.pending;
  }
  return sum;
}
