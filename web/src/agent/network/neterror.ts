// Why a request failed, as far as page script can know.

import type { Protocol } from "../../cdp";
import { logBlockedHandler } from "./log";

const MAX = 100;
const blocked: string[] = [];

/** Notes what a document's Content Security Policy blocks. */
export function watchPolicy(win: Window): void {
  win.document.addEventListener(
    "securitypolicyviolation",
    (e) => {
      if (e.disposition !== "enforce") return;
      // Of other scripts that it blocks, some are the agent's own.
      if (e.effectiveDirective === "script-src-attr") logBlockedHandler(e);
      blocked.push(e.blockedURI);
      if (blocked.length > MAX) blocked.shift();
    },
    true,
  );
}

/** Other fields of Network.loadingFailed. */
export type FailureFields = Pick<Protocol.Network.LoadingFailedEvent, "blockedReason" | "corsErrorStatus">;

/** The arguments of Exchange.failed for a request that the browser did not carry out. */
export function netErrorOf(url: string): [errorText: string, canceled: boolean, more?: FailureFields] {
  const plain = url.split("#")[0];
  const i = blocked.findIndex((b) => b === plain || b === new URL(plain).origin);
  if (i >= 0) {
    blocked.splice(i, 1);
    return ["net::ERR_BLOCKED_BY_CSP", false, { blockedReason: "csp" }];
  }
  return [navigator.onLine ? "net::ERR_FAILED" : "net::ERR_INTERNET_DISCONNECTED", false];
}
