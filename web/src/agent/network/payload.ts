// The body of a request, as CDP reports it: postData and postDataEntries.

import type { Protocol } from "../../cdp";
import { originals } from "../base/originals";
import { allSessions } from "../base/session";

/** The body of a request. `bytes` are what is sent, as far as that is known without waiting. */
export interface Payload {
  bytes?: Uint8Array;
  blob?: Blob;
  /** The Content-Type that goes with it unless script sets another. */
  type?: string;
}

/** A longer body is not part of events. Clients can ask for it. */
const MAX_TOLD = 4 << 20;

const utf8 = new TextEncoder();
const text = (s: string, type: string): Payload => ({ bytes: utf8.encode(s), type: `${type};charset=UTF-8` });

/** The payload of a value given to fetch, send or sendBeacon. A form is encoded with this boundary. */
export function payloadOf(body: unknown, boundary = ""): Payload | undefined {
  if (body === undefined || body === null) return undefined;
  if (ArrayBuffer.isView(body)) return { bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice() };
  switch (originals.objectTag.call(body)) {
    case "[object ArrayBuffer]":
      return { bytes: new Uint8Array((body as ArrayBuffer).slice(0)) };
    case "[object Blob]":
    case "[object File]":
      return { bytes: bytesNow(body as Blob), blob: body as Blob, type: (body as Blob).type };
    case "[object URLSearchParams]":
      return text(String(body), "application/x-www-form-urlencoded");
    case "[object FormData]":
      return { bytes: boundary ? multipart(body as FormData, boundary) : undefined };
    case "[object ReadableStream]":
    case "[object HTMLDocument]":
    case "[object XMLDocument]":
      return {};
    default:
      return text(String(body), "text/plain");
  }
}

/** The boundary that a Content-Type names. */
export function boundaryOf(contentType: string | null): string {
  return /boundary=([^;]+)/.exec(contentType ?? "")?.[1] ?? "";
}

/**
 * A form in multipart/form-data (HTML Standard, "multipart form data"); undefined where it holds a file
 * that cannot be read without waiting.
 */
export function multipart(form: FormData, boundary: string): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  const lines = (s: string): string => s.replace(/\r\n|\r|\n/g, "\r\n");
  const quoted = (s: string): string => s.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(lines(name))}"`;
    if (typeof value === "string") {
      parts.push(utf8.encode(`${head}\r\n\r\n${lines(value)}\r\n`));
      continue;
    }
    const bytes = bytesNow(value);
    if (!bytes) return undefined;
    const type = value.type || "application/octet-stream";
    parts.push(utf8.encode(`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`));
    parts.push(bytes, utf8.encode("\r\n"));
  }
  parts.push(utf8.encode(`--${boundary}--\r\n`));
  const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const { open, send, overrideMimeType } = XMLHttpRequest.prototype; // before they are wrapped

/**
 * The bytes of a Blob, without waiting, if a Client listens. Only a synchronous XMLHttpRequest can do that. Undefined
 * for a long Blob, or if the page's policy forbids the request.
 */
function bytesNow(blob: Blob): Uint8Array | undefined {
  if (blob.size > MAX_TOLD || ![...allSessions()].some((s) => s.enabled.has("Network"))) return undefined;
  const url = URL.createObjectURL(blob);
  try {
    const xhr = new XMLHttpRequest();
    open.call(xhr, "GET", url, false);
    overrideMimeType.call(xhr, "text/plain; charset=x-user-defined"); // one character for each byte
    send.call(xhr);
    return Uint8Array.from(xhr.responseText, (c) => c.charCodeAt(0) & 0xff);
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The fields of Network.Request for a payload. */
export function postFields(
  p: Payload | undefined,
): Pick<Protocol.Network.Request, "hasPostData" | "postData" | "postDataEntries"> {
  if (!p) return {};
  if (!p.bytes?.length || p.bytes.length > MAX_TOLD) return { hasPostData: true };
  return { hasPostData: true, postData: textOf(p.bytes), postDataEntries: [{ bytes: base64(p.bytes) }] };
}

/** Decodes UTF-8. Other bytes become one character each. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return binary(bytes);
  }
}

function binary(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 0x2000) out += String.fromCharCode(...bytes.subarray(i, i + 0x2000));
  return out;
}

export function base64(bytes: Uint8Array): string {
  return btoa(binary(bytes));
}

/** Decodes base64. */
export function bytesOf(encoded: string): Uint8Array {
  return Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
}
