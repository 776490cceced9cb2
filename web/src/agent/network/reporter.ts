// Sends the events of the Network domain. The sessions that got the first event of a request get all others, so no
// session gets only some of them. Every request has an end, even if its document is unloaded first.

import type { EventName, EventParams } from "../../cdp";
import { type Frame, frameOfDocument, mainFrame } from "../page/frames";
import { mint, originals } from "../base/originals";
import { type Session, allSessions, emitTo, isEnabled } from "../base/session";

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

/** A request or connection of a document that has not ended. */
interface UnderWay {
  /** Whether it is a request, not a connection. */
  readonly isRequest: boolean;
  /** Called if the document is unloaded before the end. */
  abandon(): void;
}

const unfinished = new WeakMap<Document, Set<UnderWay>>();

function underWay(win: Win): Set<UnderWay> {
  let list = unfinished.get(win.document);
  if (!list) unfinished.set(win.document, (list = new Set()));
  return list;
}

/** Ends the requests that a document leaves unfinished with net::ERR_ABORTED, as Chromium does. */
export function abandonUnfinished(win: Win): void {
  for (const s of unfinished.get(win.document) ?? []) s.abandon();
}

let onActivity: (frame: Frame) => void = () => {};
let isQuiet: (frame: Frame) => boolean = () => false;

/** Called when a request begins or ends. */
export function notifyActivity(frame: Frame): void {
  onActivity(frame);
}

/** Sets the listener for requests that begin or end. `enough` says whether it needs no more of a frame. */
export function setActivityListener(f: typeof onActivity, enough: typeof isQuiet): void {
  onActivity = f;
  isQuiet = enough;
}

const nothing = (): void => {};

/** Counts an unreported request of a document (for networkIdle). Returns a function that ends it. */
export function countUnreported(win: Win): () => void {
  const frame = frameOfDocument(win.document) ?? mainFrame();
  if (isQuiet(frame)) return nothing;
  const list = underWay(win);
  const request: UnderWay = { isRequest: true, abandon: nothing };
  list.add(request);
  notifyActivity(frame);
  return () => {
    if (list.delete(request)) notifyActivity(frame);
  };
}

/** How many requests of a document have not ended. WebSockets do not count. */
export function inFlight(document: Document): number {
  return [...(unfinished.get(document) ?? [])].filter((r) => r.isRequest).length;
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
