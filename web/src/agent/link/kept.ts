// What a document leaves for the next one of its frame and origin, which needs it before its welcome. It goes through
// sessionStorage, which only this origin can read, and not through the frame's name. The page does not meet it there:
// it is written after the page's last listener has run, and taken out before the next document's first script. Where a
// frame beside this one is of the same origin, and could look meanwhile, the agent there holds it.

import type { HubAccess } from "../../wire/frame";
import { originals, parentOf } from "../base/originals";
import { carriedTarget, takeLoad } from "./framename";

/** A script of Page.addScriptToEvaluateOnNewDocument. */
export interface Script {
  sessionId: string;
  identifier: string;
  source: string;
  worldName?: string;
}

interface Kept extends HubAccess {
  scripts?: Script[];
  /** Names bound in the main world. */
  bindings?: string[];
  /** Whether Clients have intercepted requests. */
  paused?: boolean;
}

const STORED = "__hubAgent.";
/** The key of this frame: its Target, where the frame's name carries that, as its Host or an opener has set it. */
let own = STORED;
/** The property by which the agents of one origin know each other. */
export const PRESENT = Symbol.for("cdphub.agent");

/** What the document before has left. */
export let kept: Kept = {};
/** What this document leaves, by the modules that know it. */
export const leaving: (() => Kept)[] = [];

/** What an agent shows to those of its origin. */
interface Neighbour {
  leaves(): Kept;
  /** What documents beside it have left, as JSON, by their frames. */
  held: Record<string, string>;
  popups?: object;
}

/** What this document shows. */
export const neighbour: Neighbour = { leaves: () => Object.assign({}, ...leaving.map((f) => f())), held: {} };

/** What f finds in a frame beside this one whose document is of this origin. */
export function beside<T>(f: (win: Record<symbol, unknown>) => T | undefined): T | undefined {
  const around = parentOf(window);
  for (let i = 0; i < around.length; i++) {
    try {
      const found = around[i] !== window && f(around[i] as unknown as Record<symbol, unknown>);
      if (found) return found;
    } catch {
      // another origin
    }
  }
  return undefined;
}

const agentBeside = (): Neighbour | undefined => beside((win) => win[PRESENT] as Neighbour | undefined);

/**
 * Takes what the document before has left, at boot. Where there is none, what a frame beside this one would leave: a
 * window has the sessions of its opener, for example.
 */
export function takeKept(): void {
  own += carriedTarget();
  const agent = agentBeside();
  const { held } = neighbour;
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (!name.startsWith(STORED)) continue;
      held[name] = sessionStorage.getItem(name) as string;
      sessionStorage.removeItem(name);
    }
  } catch {
    // Storage is blocked: all of it comes with the welcome.
  }
  const left = (key: string): string | undefined => agent?.held[key] || held[key];
  const text = takeLoad() || left(own) || left(STORED); // the document before was the first with the name
  kept = text ? (originals.parse(text) as Kept) : (agent?.leaves() ?? {});
}

type Policy = { allowsFeature(name: string): boolean } | undefined;

/** Leaves it, at pagehide. The event unload comes later, and its last listener is the one that is added now. */
export function leaveKept(): void {
  const write = (): void => {
    const left = neighbour.leaves();
    if (!(left.key || left.paused || left.scripts?.length || left.bindings?.length)) return;
    const text = originals.stringify(left);
    const agent = agentBeside();
    try {
      if (agent)
        agent.held[own] = text; // whose page would see it in sessionStorage
      else sessionStorage.setItem(own, text);
    } catch {
      // Storage is blocked or full.
    }
  };
  // Chromium has a policy by which no document gets the event.
  const policy = (document as { featurePolicy?: Policy }).featurePolicy;
  if (policy?.allowsFeature("unload") === false) write();
  else window.addEventListener("unload", write);
}
