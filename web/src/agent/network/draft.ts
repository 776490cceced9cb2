// A request on its way through the Clients that may change it, and what they make of it.

import type { Payload } from "./payload";

type Pairs = [name: string, value: string][];

/** Thrown for a request that a Client has failed. Its message is a net error. */
export class FailedByClient extends Error {}

/** What Fetch.continueRequest may change. An absent field stays as it is. */
export interface RequestChanges {
  url?: string;
  method?: string;
  headers?: Pairs;
  body?: Uint8Array;
}

/** A request with the changes that Clients have made so far. */
export interface Draft {
  readonly url: string;
  readonly method: string;
  readonly headers: Pairs;
  readonly payload: Payload | undefined;
  /** The address that the page sees, whatever a Client makes of it. */
  readonly shown: string;
  readonly changed: RequestChanges;
}

/** A request as the page makes it, without changes by a Client. */
export function draftOf(url: string, method: string, headers: Pairs, payload: Payload | undefined): Draft {
  return { url, method, headers, payload, shown: url, changed: {} };
}

const madeUp = new WeakSet<Response>();

/** Marks a response as made up by a Client. */
export function noteMadeUp(r: Response): void {
  madeUp.add(r);
}

/** Whether a Client has made up a response. */
export function isMadeUp(r: Response): boolean {
  return madeUp.has(r);
}
