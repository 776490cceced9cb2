// Requests and connections of each document that have not ended.

type Win = Window & typeof globalThis;

/** A request or connection of a document that has not ended. */
export interface UnderWay {
  /** Whether it is a request, not a connection. */
  readonly isRequest: boolean;
  /** Called if the document is unloaded before the end. */
  abandon(): void;
}

const unfinished = new WeakMap<Document, Set<UnderWay>>();

/** Those of a document. */
export function underWay(win: Win): Set<UnderWay> {
  let list = unfinished.get(win.document);
  if (!list) unfinished.set(win.document, (list = new Set()));
  return list;
}

/** Ends the requests that a document leaves unfinished with net::ERR_ABORTED, as Chromium does. */
export function abandonUnfinished(win: Win): void {
  for (const s of unfinished.get(win.document) ?? []) s.abandon();
}

/** How many requests of a document have not ended. WebSockets do not count. */
export function inFlight(document: Document): number {
  return [...(unfinished.get(document) ?? [])].filter((r) => r.isRequest).length;
}
