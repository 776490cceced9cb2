// Cookies, as far as page script sees and sets them: those of this site
// without the HttpOnly ones.

import type { Protocol } from "../../cdp";
import { ProtocolError, register } from "../base/registry";
import { isUrl } from "../base/urls";

/** A cookie of the Cookie Store API. document.cookie has only name and value. */
interface Seen {
  name: string;
  value: string;
  /** null for a cookie of this host alone. */
  domain?: string | null;
  path?: string;
  /** Milliseconds; null for a session cookie. */
  expires?: number | null;
  secure?: boolean;
  sameSite?: string;
}

async function seen(): Promise<Seen[]> {
  if (window.origin === "null") return []; // a document with an opaque origin has no cookies, and the API throws
  const store = window.cookieStore as { getAll(): Promise<Seen[]> } | undefined;
  if (store) return store.getAll();
  return document.cookie
    .split("; ")
    .filter(Boolean)
    .map((pair) => {
      const i = pair.indexOf("=");
      return { name: i < 0 ? "" : pair.slice(0, i), value: pair.slice(i + 1) };
    });
}

/** Network.Cookie of every cookie that script sees. */
async function cookies(): Promise<Protocol.Network.Cookie[]> {
  return (await seen()).map((c) => {
    const secure = c.secure ?? location.protocol === "https:";
    const sameSite = (c.sameSite && c.sameSite[0].toUpperCase() + c.sameSite.slice(1)) as
      | Protocol.Network.CookieSameSite
      | undefined;
    return {
      name: c.name,
      value: c.value,
      domain: c.domain ? `.${c.domain.replace(/^\./, "")}` : location.hostname,
      path: c.path ?? "/",
      expires: c.expires ? c.expires / 1000 : -1,
      size: c.name.length + c.value.length,
      httpOnly: false,
      secure,
      session: !c.expires,
      ...(sameSite && { sameSite }),
      priority: "Medium",
      sourceScheme: secure ? "Secure" : "NonSecure",
      sourcePort: secure ? 443 : 80,
    };
  });
}

/** The cookies that a request to this address would carry. */
function goesTo(c: Protocol.Network.Cookie, address: string): boolean {
  if (!isUrl(address)) return false;
  const { hostname, pathname, protocol } = new URL(address);
  const domain = String(c.domain);
  const host = domain.startsWith(".") ? `.${hostname}`.endsWith(domain) : hostname === domain;
  return host && covers(c.path, pathname) && (!c.secure || protocol === "https:" || isLocal(hostname));
}

/** Whether a path is that of a cookie, or below it (RFC 6265, 5.1.4). */
function covers(path: string, pathname: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}

function isLocal(host: string): boolean {
  return host === "localhost" || /^127\.|^\[::1\]$/.test(host);
}

// ---------------------------------------------------------------- setting

function refuse(method: string, why: string): never {
  throw new ProtocolError(`${method} is not possible in an embedded frame: ${why}`);
}

/** The domain in a command. It must be this document's host or a domain above it. */
function domainOf(c: { url?: string; domain?: string }, method: string): string {
  if (!c.url && !c.domain) throw new ProtocolError("At least one of the url or domain needs to be specified", -32602);
  if (c.url && !isUrl(c.url)) throw new ProtocolError("Invalid cookie fields", -32602);
  const host = String(c.domain || new URL(c.url ?? "").hostname).replace(/^\./, "");
  if (`.${location.hostname}`.endsWith(`.${host}`)) return host;
  return refuse(method, `page script sets cookies of its own site only, not of ${host}`);
}

function setCookie(c: Protocol.Network.CookieParam, method: string): void {
  if (c.httpOnly) refuse(method, "page script cannot set an HttpOnly cookie");
  const host = domainOf(c, method);
  if (/[;\r\n\0]/.test(`${c.name}${c.value}`)) throw new ProtocolError("Sanitizing cookie failed", -32602);
  const path = c.path || "/";
  let text = `${c.name}=${c.value}; path=${path}`;
  if (String(c.domain ?? "").startsWith(".") || host !== location.hostname) text += `; domain=${host}`;
  const expires = typeof c.expires === "number" && c.expires >= 0 ? c.expires * 1000 : Infinity;
  if (expires < Infinity) text += `; expires=${new Date(expires).toUTCString()}`;
  if (c.secure) text += "; secure";
  if (c.sameSite) text += `; samesite=${c.sameSite}`;
  document.cookie = text;
  const due = expires > Date.now() && covers(path, location.pathname);
  if (due && !document.cookie.split("; ").includes(c.name ? `${c.name}=${c.value}` : c.value)) {
    refuse(method, `the browser keeps no such cookie here: ${text}`);
  }
}

/** Expires a cookie on every path and domain that this document could have set it on, or on those given. */
function expire(name: string, onPath?: string, onDomain?: string): void {
  const expired = "expires=Thu, 01 Jan 1970 00:00:00 GMT";
  const labels = location.hostname.split(".");
  const domains = onDomain
    ? ["", `; domain=${onDomain}`]
    : ["", ...labels.map((_, i) => `; domain=${labels.slice(i).join(".")}`)];
  const parts = location.pathname.split("/");
  const paths = onPath
    ? [onPath]
    : parts.flatMap((_, i) => [parts.slice(0, i + 1).join("/") || "/", `${parts.slice(0, i + 1).join("/")}/`]);
  const kinds = window.isSecureContext ? ["", "; secure", "; secure; partitioned"] : [""];
  for (const d of domains)
    for (const p of paths) for (const k of kinds) document.cookie = `${name}=; ${expired}; path=${p}${d}${k}`;
}

async function clear(): Promise<void> {
  for (const c of await seen()) expire(c.name, c.path);
}

const all = async (): Promise<Protocol.Storage.GetCookiesResponse> => ({ cookies: await cookies() });
const setAll =
  (method: string) =>
  (p: Protocol.Storage.SetCookiesRequest): void => {
    for (const c of p.cookies) setCookie(c, method);
  };

register("Network", {
  getCookies: async (p) => {
    const urls: string[] = p.urls ?? [location.href];
    return { cookies: (await cookies()).filter((c) => urls.some((u) => goesTo(c, u))) };
  },
  getAllCookies: all,
  setCookie: (p) => {
    setCookie(p, "Network.setCookie");
    return { success: true };
  },
  setCookies: setAll("Network.setCookies"),
  deleteCookies: (p) => expire(p.name, p.path, domainOf(p, "Network.deleteCookies")),
  clearBrowserCookies: clear,
});

register("Storage", {
  getCookies: all,
  setCookies: setAll("Storage.setCookies"),
  clearCookies: clear,
});
