// The functions of the agent for this bundle, which has no copy of the agent's state.

import type { Lent } from "../agent/devtools";

export type { Handlers } from "../agent/base/registry";
export type { Lent } from "../agent/devtools";
export type Session = Parameters<Lent["wrap"]>[2];

/** The functions of the agent; set before the first command. */
export let agent: Lent;

export function lend(lent: Lent): void {
  agent = lent;
}

/** An error that reaches the Client. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code = -32000,
  ) {
    super(message);
  }
}

/** The error for what page script cannot do. */
export function impossible(method: string, reason: string): CommandError {
  return new CommandError(`${method} is not possible in an embedded frame: ${reason}`);
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
