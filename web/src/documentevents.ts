// Events of the request for a document. The Host sends those of the navigations that it begins, and the agent all others.

import type { Protocol } from "./cdp";
import { splitFragment } from "./host/addresses";

/** Network.requestWillBeSent, but for its times. `more` has the body of a form. */
export function documentRequest(
  frameId: string,
  loaderId: string,
  address: string,
  userAgent: string,
  method = "GET",
  more: Partial<Protocol.Network.Request> = {},
): Omit<Protocol.Network.RequestWillBeSentEvent, "timestamp" | "wallTime"> {
  const [url, fragment] = splitFragment(address);
  return {
    requestId: loaderId,
    loaderId,
    documentURL: url,
    request: {
      url,
      ...(fragment && { urlFragment: fragment }),
      method,
      headers: { "Upgrade-Insecure-Requests": "1", "User-Agent": userAgent, ...more.headers },
      mixedContentType: "none",
      initialPriority: "VeryHigh",
      referrerPolicy: "strict-origin-when-cross-origin",
      isSameSite: true,
      ...(more.hasPostData && { hasPostData: true, postData: more.postData, postDataEntries: more.postDataEntries }),
    },
    initiator: { type: "other" },
    redirectHasExtraInfo: false,
    type: "Document",
    frameId,
    hasUserGesture: false,
  };
}

/** Network.loadingFailed; the time is in seconds. */
export function documentFailed(
  requestId: string,
  timestamp: number,
  errorText: string,
): Protocol.Network.LoadingFailedEvent {
  return { requestId, timestamp, type: "Document", errorText, canceled: errorText === "net::ERR_ABORTED" };
}
