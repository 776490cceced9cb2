// Sends the events of the Network domain. The sessions that got the first event of a request get all others, so no
// session gets only some of them. Every request has an end, even if its document is unloaded first.

import type { EventName, EventParams } from "../../cdp";
import { type Frame, frameOfDocument, mainFrame } from "../page/frames";
import { awaitQuiet, isQuiet } from "../page/lifecycle";
import { mint, originals } from "../base/originals";
import { type Session, allSessions, emitTo, isEnabled } from "../base/session";
import { type UnderWay, underWay } from "./unfinished";

type Win = Window & typeof globalThis;

// ------------------------------------------------------------- until the welcome

const MAX_EARLY = 1000;
/** Events from before the welcome, which names the sessions. */
let early: (() => void)[] | undefined = [];
let begun: () => void = () => {};

/** Resolves when the sessions are known. */
export const welcomed = new Promise<void>((r) => (begun = r));
let ready = false;

/** Whether the sessions are known. */
export function isReady(): boolean {
  return ready;
}

/** How long after its start a document stops waiting for a Host. */
export const PATIENCE_MS = 3000;
originals.setTimeout(beginNetwork, PATIENCE_MS);

/** Called at the welcome, or after PATIENCE_MS without one. Sends the events that were kept. */
export function beginNetwork(): void {
  if (ready) return;
  ready = true;
  begun();
  const all = early ?? [];
  early = undefined;
  for (const f of all) f();
}

/** Calls f once the sessions are known. */
export function whenReady(f: () => void): void {
  if (!early) f();
  else if (early.length < MAX_EARLY) early.push(f);
}

/** Whether a session listens to a request that begins now. Before the welcome: yes. */
export function hasListeners(): boolean {
  return !ready || isEnabled("Network", "Log");
}

// ---------------------------------------------------------------- reporting

const nothing = (): void => {};

/** Counts an unreported request of a document (for networkIdle). Returns a function that ends it. */
export function countUnreported(win: Win): () => void {
  const frame = frameOfDocument(win.document) ?? mainFrame();
  if (isQuiet(frame)) return nothing;
  const list = underWay(win);
  const request: UnderWay = { isRequest: true, abandon: nothing };
  list.add(request);
  awaitQuiet(frame);
  return () => {
    if (list.delete(request)) awaitQuiet(frame);
  };
}

/** The events of the Network domain, without its name. */
export type NetworkEvent = EventName extends infer N ? (N extends `Network.${infer E}` ? E : never) : never;

/** Sends the events of one request or connection to the sessions that got its first event. */
export abstract class NetworkReporter implements UnderWay {
  readonly id = mint();
  readonly isRequest: boolean = false;
  readonly frame: Frame;
  private to: Session[] | undefined;
  private readonly rest: Set<UnderWay>;
  private ended = false;

  constructor(win: Win) {
    this.frame = frameOfDocument(win.document) ?? mainFrame();
    this.rest = underWay(win).add(this);
  }

  abstract abandon(): void;

  get over(): boolean {
    return this.ended;
  }

  /** Marks the end. Returns false when it has been marked before. */
  protected end(): boolean {
    this.rest.delete(this);
    return !this.ended && (this.ended = true);
  }

  /** Whether a session gets the events. Before the welcome: yes. */
  get heard(): boolean {
    return !ready || !!this.to?.length;
  }

  protected tell<E extends NetworkEvent>(
    method: E,
    params: () => Omit<EventParams<`Network.${E}`>, "requestId">,
  ): void {
    whenReady(() => {
      this.to ??= [...allSessions()].filter((s) => s.enabled.has("Network"));
      const list = this.to.filter((s) => s.enabled.has("Network"));
      if (list.length)
        emitTo(list, `Network.${method}`, { requestId: this.id, ...params() } as EventParams<`Network.${E}`>);
    });
  }
}
