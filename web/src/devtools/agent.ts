// The functions of the agent for this bundle, which has no copy of the agent's state.

import type { Lent } from "../agent/devtools";

export { ClientError as CommandError, impossible } from "../clienterror";
export type { Handlers } from "../agent/base/registry";
export type { Lent } from "../agent/devtools";
export type Session = Parameters<Lent["wrap"]>[2];

/** The functions of the agent; set before the first command. */
export let agent: Lent;

export function lend(lent: Lent): void {
  agent = lent;
}

/** Calls `look` every `ms` milliseconds while a session has enabled the domain. */
export function watchWhileEnabled(domain: string, ms: number, look: () => void | Promise<void>): () => void {
  let running = false;
  const round = async (): Promise<void> => {
    await look();
    running = [...agent.allSessions()].some((s) => s.enabled.has(domain));
    if (running) agent.originals.setTimeout(() => void round(), ms);
  };
  return () => {
    if (running) return;
    running = true;
    agent.originals.setTimeout(() => void round(), ms);
  };
}
