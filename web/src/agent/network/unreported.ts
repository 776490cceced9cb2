// Requests that no session listens to go straight to the browser. Failures are logged all the same, for Clients that
// come later.

import { mint, originals } from "../base/originals";
import { mayPause } from "./intercept";
import { logFailure, logStatus } from "./log";
import { netErrorOf } from "./neterror";
import { hasListeners } from "./reporter";

/** Whether a request that begins now can be neither reported nor paused, so that it goes straight to the browser. */
export const isUnreported = (): boolean => !hasListeners() && !mayPause();

/** A response to such a request has come. */
export function logUnreportedResponse(url: string, status: number, text: string): void {
  if (status >= 400) logStatus(status, text, url, mint());
}

/** Such a request has failed. The securitypolicyviolation event, which may say why, comes later. */
export function logUnreportedFailure(url: string): void {
  originals.setTimeout(() => logFailure(netErrorOf(url)[0], url, mint()), 0);
}
