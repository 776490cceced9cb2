// Commands that wait until the part of the agent is there that carries them out.

import type { Json } from "../../wire/cdp";
import { handlerOf, isRegistered } from "./registry";
import type { Session } from "./session";

let missing: (method: string, p: Json) => Promise<void> | undefined = () => undefined;

/** Sets what loads what a command needs, if it is in a part that is not there. */
export function loadMissing(find: typeof missing): void {
  missing = find;
}

/** Whether the params of a Runtime command ask for what few clients do, and what is in a part for that reason. */
export const wantsMore = (p: Json): unknown => p.serializationOptions ?? (p.replMode || p.includeCommandLineAPI);

/** Resolves when what a command needs is there, if that is in a part. Undefined when there is nothing to wait for. */
export function ready(method: string, p: Json = {}): Promise<void> | undefined {
  return isRegistered(method) && !wantsMore(p) ? undefined : missing(method, p);
}

/** Carries a command out, once its handler is there. */
export async function carryOut(method: string, p: Json, s: Session): Promise<Json | void> {
  await ready(method, p);
  return handlerOf(method)?.(p, s);
}

/** The last command of each session that waits. */
const waiting = new Map<Session, Promise<void>>();

/**
 * Runs a command when its handler is there. The commands that its session sends meanwhile run after it, in
 * their order. When a part cannot be loaded, `fail` gets the reason.
 */
export function inOrder(s: Session, method: string, p: Json, run: () => void, fail: (e: unknown) => void): void {
  const before = waiting.get(s);
  const part = ready(method, p);
  if (!before && !part) return run();
  part?.catch(() => {}); // it is heard below, after the commands before
  const turn = (before ?? Promise.resolve())
    .then(() => part)
    .then(run, fail)
    .then(() => {
      if (waiting.get(s) === turn) waiting.delete(s);
    });
  waiting.set(s, turn);
}
