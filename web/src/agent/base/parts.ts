// Commands wait here until the part of the agent that carries them out has been loaded (see ../lazy.ts).

import type { Json } from "../../wire/cdp";
import { added } from "./added";
import { handlerOf } from "./registry";
import type { Session } from "./session";

declare module "./added" {
  interface Added {
    /** Loads the part for a command. Returns undefined if no part must be loaded. */
    loadPart(method: string, p: Json): Promise<void> | undefined;
  }
}

/** Whether the params of a Runtime command need extras.js: few Clients use them. */
export const wantsMore = (p: Json): unknown => p.serializationOptions ?? (p.replMode || p.includeCommandLineAPI);

/** Whether the browser is a WebKit, for which extras.js has input/webkitfocus.ts. The vendor is the same in all. */
export const withholdsFocus = navigator.vendor === "Apple Computer, Inc.";

/** Resolves when the part for a command has been loaded. Undefined if no part must be loaded. */
export function ready(method: string, p: Json = {}): Promise<void> | undefined {
  return added.loadPart?.(method, p);
}

/** Carries a command out when its part has been loaded. */
export async function carryOut(method: string, p: Json, s: Session): Promise<Json | void> {
  await ready(method, p);
  return handlerOf(method)?.(p, s);
}

/** The last command of each session that waits. */
const waiting = new Map<Session, Promise<void>>();

/**
 * Runs a command when its part has been loaded. Later commands of its session run after it, in their order. If the
 * part cannot be loaded, `fail` gets the reason.
 */
export function inOrder(s: Session, method: string, p: Json, run: () => void, fail: (e: unknown) => void): void {
  const before = waiting.get(s);
  const part = ready(method, p);
  if (!before && !part) return run();
  part?.catch(() => {}); // not an unhandled rejection: the chain below handles it after the earlier commands
  const turn = (before ?? Promise.resolve())
    .then(() => part)
    .then(run, fail)
    .then(() => {
      if (waiting.get(s) === turn) waiting.delete(s);
    });
  waiting.set(s, turn);
}
