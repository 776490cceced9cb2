// Sends the events of the Network domain to the sessions that are to have them. The sessions that got
// the first event of a request get all others, and no session gets a part only. Every request has an
// end, even if its document is unloaded first.

import type { EventName, EventParams } from "../../cdp";
import { type Frame, frameOfDocument, mainFrame } from "../page/frames";
import { mint, originals } from "../base/originals";
import { type Session, allSessions, emitTo, isEnabled } from "../base/session";

type Win = Window & typeof globalThis;

// ------------------------------------------------------------- until the welcome

const MAX_EARLY = 1000;
/** What a new document's scripts ask for before the Host has named its sessions. */
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

/** The sessions are known, or none have come: tells them what has happened so far. */
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

/** Whether anybody hears of what begins now, as far as that is known. */
export function isHeard(): boolean {
  return !ready || isEnabled("Network", "Log");
}

// ---------------------------------------------------------------- reporting

/** What is under way in a document. */
interface UnderWay {
  /** Whether it is a request, not a connection. */
  readonly isRequest: boolean;
  /** The document is unloaded before the end. */
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

/** Tells of a request that begins or ends. */
export function active(frame: Frame): void {
  onActivity(frame);
}

/** Sets what hears of each request that begins or ends, and whether it has heard enough of a frame. */
export function setActivityListener(f: typeof onActivity, enough: typeof isQuiet): void {
  onActivity = f;
  isQuiet = enough;
}

const nothing = (): void => {};

/** Counts a request that nobody hears of among those of its document. Returns what ends it. */
export function countUnheard(win: Win): () => void {
  const frame = frameOfDocument(win.document) ?? mainFrame();
  if (isQuiet(frame)) return nothing;
  const list = underWay(win);
  const request: UnderWay = { isRequest: true, abandon: nothing };
  list.add(request);
  active(frame);
  return () => {
    if (list.delete(request)) active(frame);
  };
}

/** How many requests of a document have begun and not ended. Sockets are none. */
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

  /** Whether anybody listens, as far as that is known. */
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
