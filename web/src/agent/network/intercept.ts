// Which requests may pause for Clients. The pausing itself is in pausing.ts, in the part network.js, which is loaded
// when a Client first intercepts.

import type { Protocol } from "../../cdp";
import { originals } from "../base/originals";
import type { Session } from "../base/session";
import type { Asker, Refusal } from "./cors";
import { kept, leaving } from "../link/kept";
import { type Draft, isMadeUp } from "./draft";
import type { Exchange } from "./exchange";
import { PATIENCE_MS, isReady, welcomed } from "./reporter";
import type { Answered } from "./xhranswer";
import type { DeliveredAnswer } from "./xhrdelivery";

/** A request that may pause. */
export interface Job {
  exchange: Exchange;
  /** The window whose script makes the request. */
  win: Window & typeof globalThis;
  draft: Draft;
  /** Aborted when the page aborts the request. */
  signal: AbortSignal;
  /** Whether redirects are followed. */
  follows: boolean;
  /**
   * Sends the request, with the changes of Clients. Resolves to undefined if the browser gives the response to the
   * page directly. With toBeSeen the browser must not do so: a Client wants to see the response first.
   */
  send(changed: Draft | undefined, toBeSeen: boolean): Promise<Response | undefined>;
}

interface Pattern {
  url: RegExp;
  type?: Protocol.Network.ResourceType;
  response: boolean;
}

export const patterns = new Map<Session, Pattern[]>();

// ---------------------------------------------------------------- pausing

/**
 * How long after its start a document's requests wait for its sessions to be
 * known, unless the last document of this origin had requests paused.
 */
const WAIT_MS = 300;
const boot = performance.now();
leaving.push(() => ({ paused: isReady() ? patterns.size > 0 : kept.paused }));

/** Whether a request may be of interest to a Client. */
export function wanted(url: string): boolean {
  if (url.startsWith("data:")) return false; // Chromium pauses no such request
  return isReady() ? interceptors(url).length > 0 : millisecondsToWait() > 0;
}

/** Whether any request may be of interest. */
export function mayPause(): boolean {
  return isReady() ? patterns.size > 0 : millisecondsToWait() > 0;
}

/** The sessions that a request may pause for, in their order; without a URL, all that have patterns. */
export function interceptors(url?: string, type: Protocol.Network.ResourceType = "XHR"): Session[] {
  return [...patterns.keys()].filter(
    (s) => url === undefined || matchesPattern(s, url, false, type) || matchesPattern(s, url, true, type),
  );
}

/** Whether a pattern of a session matches. A request of fetch has the type XHR here, as in Chromium. */
export function matchesPattern(
  s: Session,
  url: string,
  response: boolean,
  type: Protocol.Network.ResourceType = "XHR",
): boolean {
  return !!patterns.get(s)?.some((p) => p.response === response && (!p.type || p.type === type) && p.url.test(url));
}

/** What network.js does with requests and their answers. */
interface Interception {
  /** Sends a request after all Clients have let it go on. */
  proceed(job: Job): Promise<Response | undefined>;
  /** Says why script does not get a response that a Client has made up. */
  judge(r: Response, a: Asker): Refusal | undefined;
  headersSeen(r: Response, a: Asker): Headers;
  seenByScript(win: Window & typeof globalThis, r: Response, a: Asker): Response;
  answerFor(xhr: XMLHttpRequest, call: Answered): DeliveredAnswer;
}

let interception: Interception | undefined;

/** Sets them. Called by network.js when it is loaded. */
export function addInterception(i: Interception): void {
  interception = i;
}

/**
 * Sends a request after all Clients have let it go on. Rejects with
 * FailedByClient when a Client fails it, and with the signal's reason when the
 * page aborts it.
 */
export async function intercepted(job: Job): Promise<Response | undefined> {
  if (!isReady()) await Promise.race([welcomed, new Promise((r) => originals.setTimeout(r, millisecondsToWait()))]);
  job.signal.throwIfAborted();
  return interception ? interception.proceed(job) : job.send(undefined, false);
}

/** The functions for a response that a Client has made up; undefined for any other response. */
export function interceptionOf(r: Response): Interception | undefined {
  return isMadeUp(r) ? interception : undefined;
}

/** Delivers a response to an XMLHttpRequest by script, since a Client has seen or made it. */
export function answerFor(xhr: XMLHttpRequest, call: Answered): DeliveredAnswer {
  return interception!.answerFor(xhr, call);
}

/** How long a request that is made now would wait for the sessions, in milliseconds. */
function millisecondsToWait(): number {
  return Math.max(0, boot + (kept.paused ? PATIENCE_MS : WAIT_MS) - performance.now());
}
