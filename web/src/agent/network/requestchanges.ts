// Requests that Clients have changed by Fetch.continueRequest, and responses that
// they have made up by Fetch.fulfillRequest.

import type { Protocol } from "../../cdp";
import { ProtocolError } from "../base/registry";
import { impossible } from "../base/unsupported";
import { isUrl } from "../base/urls";
import { type Asker, type Refusal, exposed, isSameOrigin, refusal } from "./cors";
import { type Draft, type RequestChanges, noteMadeUp } from "./draft";
import { type Payload, postFields } from "./payload";
import { withOverrides } from "./responses";

type Win = Window & typeof globalThis;
type Pairs = [name: string, value: string][];

/** A request with the changes that Clients have made so far. */
export class EditedRequest implements Draft {
  /** `shown` is the address that the page sees, whatever a Client makes of it. */
  constructor(
    readonly url: string,
    readonly method: string,
    readonly headers: Pairs,
    readonly payload: Payload | undefined,
    readonly shown: string,
    readonly changed: RequestChanges,
  ) {}

  static of({ url, method, headers, payload, shown, changed }: Draft): EditedRequest {
    return new EditedRequest(url, method, headers, payload, shown, changed);
  }

  /** This request with changes of a Client. */
  with(c: RequestChanges): EditedRequest {
    const all = { ...this.changed };
    for (const [k, v] of Object.entries(c)) if (v !== undefined) Object.assign(all, { [k]: v });
    const payload = c.body ? { bytes: c.body } : this.payload;
    const headers = c.headers?.filter(([name]) => !isForbidden(name)) ?? this.headers;
    return new EditedRequest(c.url ?? this.url, c.method ?? this.method, headers, payload, this.shown, {
      ...all,
      ...(c.headers && { headers }),
    });
  }

  /**
   * The request that a made-up redirect asks for (Fetch Standard, "HTTP-redirect fetch"); undefined
   * where it is none.
   */
  redirected(r: Response): EditedRequest | undefined {
    const to = [301, 302, 303, 307, 308].includes(r.status) ? r.headers.get("location") : null;
    if (to === null || !isUrl(to, this.url)) return undefined;
    const url = new URL(to, this.url).href;
    const drops = r.status === 303 ? !/^(GET|HEAD)$/.test(this.method) : r.status < 303 && this.method === "POST";
    const method = drops ? "GET" : this.method;
    const headers = drops ? this.headers.filter(([name]) => !/^content-/i.test(name)) : this.headers;
    return new EditedRequest(url, method, headers, drops ? undefined : this.payload, url, {
      ...this.changed,
      url,
      method,
      headers,
    });
  }

  /** The fields of Network.Request that changes alter. */
  requestFields(): Partial<Protocol.Network.Request> {
    const { url, method, headers, body } = this.changed;
    return {
      ...(url && { url }),
      ...(method && { method }),
      ...(headers && { headers: Object.fromEntries(headers) }),
      ...(body && { postData: undefined, postDataEntries: undefined, ...postFields(this.payload) }),
    };
  }
}

/** Request headers that script cannot set (Fetch Standard, "forbidden request-header"). */
const FORBIDDEN =
  /^(accept-(charset|encoding)|access-control-request-(headers|method)|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|user-agent|proxy-.*|sec-.*)$/i;

function isForbidden(name: string): boolean {
  return FORBIDDEN.test(name);
}

/** Throws a ProtocolError for changes that page script cannot make. */
export function checkChanges(draft: EditedRequest, c: RequestChanges, told: Protocol.Network.Headers): void {
  if (c.url !== undefined && !isUrl(c.url)) throw new ProtocolError("Invalid URL", -32602);
  const had = new Map(Object.entries(told).map(([k, v]) => [k.toLowerCase(), v]));
  const refused = c.headers?.find(([name, value]) => isForbidden(name) && had.get(name.toLowerCase()) !== value);
  if (refused) {
    throw new ProtocolError(
      impossible("Fetch.continueRequest", `request headers belong to the browser (${refused[0]})`),
    );
  }
  const bodiless = /^(GET|HEAD)$/i.test(c.method ?? draft.method);
  if (bodiless && c.body?.length) {
    throw new ProtocolError(impossible("Fetch.continueRequest", "page script sends no body with GET or HEAD"));
  }
}

/** Fetch.HeaderEntry list as pairs. */
export const pairs = (list: Protocol.Fetch.HeaderEntry[] | undefined): Pairs | undefined =>
  list?.map((h) => [h.name, h.value]);

/** The net error of a Network.ErrorReason, or undefined. */
export function netErrorOfReason(reason: string): string | undefined {
  const known =
    "Failed Aborted TimedOut AccessDenied ConnectionClosed ConnectionReset ConnectionRefused ConnectionAborted " +
    "ConnectionFailed NameNotResolved InternetDisconnected AddressUnreachable BlockedByClient BlockedByResponse";
  if (!known.split(" ").includes(reason)) return undefined;
  return `net::ERR_${reason.replace(/(?!^)([A-Z])/g, "_$1").toUpperCase()}`;
}

/** The response that a Client makes up, or makes of the one that came; `p` are the params of its command. */
export function madeUpResponse(
  win: Win,
  url: string,
  p: Pick<Protocol.Fetch.FulfillRequestRequest, "responseCode" | "responsePhrase" | "responseHeaders">,
  body: BodyInit | Uint8Array | null,
  from?: Response,
): Response {
  const status = p.responseCode;
  if (!(status >= 200 && status <= 599)) throw new ProtocolError("Invalid http status code or phrase", -32602);
  const headers = pairs(p.responseHeaders) ?? [...(from?.headers ?? [])];
  const bodiless = [204, 205, 304].includes(status);
  const init = { status, statusText: p.responsePhrase ?? phrases[status] ?? "", headers };
  let r: Response;
  try {
    r = new win.Response(bodiless ? null : (body as BodyInit | null), init);
  } catch (e) {
    throw new ProtocolError(`Invalid headers: ${(e as Error).message}`, -32602);
  }
  if (new URL(url).origin === win.location.origin) setCookies(win, headers);
  if (from) remade.add(r);
  noteMadeUp(r);
  return withOverrides(r, { url: url.split("#")[0], redirected: false, type: "basic" });
}

/**
 * Made-up responses that are based on a response of the server. The browser has already let script have that one.
 */
const remade = new WeakSet<Response>();

/** Why script may not have a response that a Client has made up; undefined if it may. */
export function judge(r: Response, a: Asker): Refusal | undefined {
  if (remade.has(r) || a.mode !== "cors" || isSameOrigin(a)) return undefined;
  return refusal(a, (name) => r.headers.get(name));
}

/** The headers of a response that script sees. Of a made-up response to another origin they are not all. */
export function headersSeen(r: Response, a: Asker): Headers {
  return remade.has(r) || isSameOrigin(a) ? r.headers : exposed(a, r.headers);
}

/** What script gets of a response that a Client has made up. */
export function seenByScript(win: Win, r: Response, a: Asker): Response {
  const headers = headersSeen(r, a);
  if (headers === r.headers) return r;
  if (a.mode === "no-cors") {
    const none = { url: "", status: 0, statusText: "", ok: false, redirected: false, type: "opaque" as const };
    return withOverrides(new win.Response(null), none);
  }
  const { status, statusText, url, redirected } = r;
  const seen = new win.Response(r.body, { status, statusText, headers });
  return withOverrides(seen, { url, redirected, type: "cors" });
}

/** The cookies of a made-up response, as far as script can set them: not the HttpOnly ones. */
function setCookies(win: Win, headers: Pairs): void {
  for (const [name, value] of headers) {
    if (/^set-cookie$/i.test(name))
      for (const line of value.split("\n")) if (!/;\s*httponly/i.test(line)) win.document.cookie = line;
  }
}

/** Reason phrases of made-up responses (RFC 9110). */
const phrases: Record<number, string> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
