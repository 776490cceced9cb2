// A request on its way through the clients that may change it, and what they make of it.

import type { Payload } from "./payload";

type Pairs = [name: string, value: string][];

/** The request that a client has failed; its message is a net error. */
export class FailedByClient extends Error {}

/** What Fetch.continueRequest may change; absent stays. */
export interface RequestChanges {
  url?: string;
  method?: string;
  headers?: Pairs;
  body?: Uint8Array;
}

/** A request with the changes that clients have made so far. */
export interface Draft {
  readonly url: string;
  readonly method: string;
  readonly headers: Pairs;
  readonly payload: Payload | undefined;
  /** The address that the page sees, whatever a client makes of it. */
  readonly shown: string;
  readonly changed: RequestChanges;
}

/** A request as the page makes it, without changes by a client. */
export function draftOf(url: string, method: string, headers: Pairs, payload: Payload | undefined): Draft {
  return { url, method, headers, payload, shown: url, changed: {} };
}

const madeUp = new WeakSet<Response>();

/** Notes that a client has made a response up. */
export function noteMadeUp(r: Response): void {
  madeUp.add(r);
}

/** Whether a client has made a response up. */
export function isMadeUp(r: Response): boolean {
  return madeUp.has(r);
}
