// Requests that nobody hears of go straight to the browser. What fails is logged all the same, for the clients
// that come later.

import { mint, originals } from "../base/originals";
import { mayPause } from "./intercept";
import { logFailure, logStatus } from "./log";
import { netErrorOf } from "./neterror";
import { isHeard } from "./reporter";

/** Whether a request that begins now goes straight to the browser. */
export const isUnheard = (): boolean => !isHeard() && !mayPause();

/** A response to such a request has come. */
export function unheardCame(url: string, status: number, text: string): void {
  if (status >= 400) logStatus(status, text, url, mint());
}

/** The browser has not carried such a request out. Its policy's event, which may say why, comes after. */
export function unheardFailed(url: string): void {
  originals.setTimeout(() => logFailure(netErrorOf(url)[0], url, mint()), 0);
}
