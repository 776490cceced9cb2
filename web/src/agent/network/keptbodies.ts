// Network.getResponseBody and Network.getRequestPostData.

import type { Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
import { impossible } from "../base/unsupported";
import { hubOfProxy } from "../link/hub";
import { allFrames } from "../page/frames";
import { bodies, bytesAt, documents, keepBody, payloads, urls } from "./bodies";
import { base64, textOf } from "./payload";

/** Network.getResponseBody. A document's and a sub-resource's are fetched again, from the cache where it has them. */
async function getResponseBody(
  p: Protocol.Network.GetResponseBodyRequest,
): Promise<Protocol.Network.GetResponseBodyResponse> {
  const kept = bodies.get(p.requestId);
  if (kept) return encoded(kept);
  if (kept === null) throw new ProtocolError("Request content was evicted from inspector cache");
  const key = documents.get(p.requestId);
  const sent = key && hubOfProxy() && (await bytesAt(`${hubOfProxy()}/body/${key}`, "no-store"));
  if (sent) {
    keepBody(p.requestId, sent);
    return encoded(sent);
  }
  const url = urls.get(p.requestId) ?? allFrames().find((f) => f.win && f.loaderId === p.requestId)?.win?.location.href;
  if (!url) throw new ProtocolError("No resource with given identifier found");
  if (new URL(url).origin !== location.origin) {
    throw new ProtocolError(impossible("Network.getResponseBody", "page script reads bodies of its own origin only"));
  }
  const bytes = await bytesAt(url, "force-cache");
  if (!bytes) throw new ProtocolError("No data found for resource with given identifier");
  return encoded(bytes);
}

function encoded(bytes: Uint8Array): Protocol.Network.GetResponseBodyResponse {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(bytes), base64Encoded: false };
  } catch {
    return { body: base64(bytes), base64Encoded: true };
  }
}

/** Network.getRequestPostData. */
async function getRequestPostData(
  p: Protocol.Network.GetRequestPostDataRequest,
): Promise<Protocol.Network.GetRequestPostDataResponse> {
  const payload = payloads.get(p.requestId);
  const bytes = payload?.bytes ?? (payload?.blob && new Uint8Array(await payload.blob.arrayBuffer()));
  if (!bytes) throw new ProtocolError("No resource with given id was found");
  return { postData: textOf(bytes) } as Protocol.Network.GetRequestPostDataResponse; // base64Encoded is newer than Chromium 156
}

register("Network", { getResponseBody, getRequestPostData });
