// The functions of the agent for this bundle, which has no copy of the agent's state.

import type { Handlers as Possible } from "../agent/base/registry";
import { byMethod } from "../agent/base/table";
import type { Lent } from "../agent/devtools";
import type { Domain } from "../cdp";
import { type ClientError, impossible as clientError } from "../clienterror";
import { DEVTOOLS_REFUSED, type Handled } from "../methods";

export { ClientError as CommandError } from "../clienterror";
export type Session = Parameters<Lent["wrap"]>[2];

type Verbs<D extends string> = Handled["devtools.js"] extends infer M
  ? M extends `${D}.${infer V}`
    ? V
    : never
  : never;

/** Handlers for a domain: of all methods that this bundle carries out, and of those of others that need one. */
export type Handlers<D extends Domain> = Possible<D> & Required<Pick<Possible<D>, Verbs<D> & keyof Possible<D>>>;

/** The functions of the agent; set before the first command. */
export let agent: Lent;

export function lend(lent: Lent): void {
  agent = lent;
}

const reasons = byMethod(DEVTOOLS_REFUSED);

/** Why a method is refused, if it is. */
export const reasonOf = (method: string): string => reasons.get(method) ?? "";

/** The error for what page script cannot do. */
export function impossible(method: string, reason = reasonOf(method)): ClientError {
  return clientError(method, reason);
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
