// Cookies that script can see, and the DOM storage of this origin.

import type { Json } from "../protocol";
import { ProtocolError, register } from "./registry";

// ---------------------------------------------------------------- cookies

function cookies(): Json[] {
  return document.cookie.split("; ").filter(Boolean).map((pair) => {
    const i = pair.indexOf("=");
    const name = i < 0 ? "" : pair.slice(0, i);
    const value = pair.slice(i + 1);
    return {
      name, value, domain: location.hostname, path: "/", expires: -1, size: name.length + value.length,
      httpOnly: false, secure: location.protocol === "https:", session: true, priority: "Medium",
      sourceScheme: location.protocol === "https:" ? "Secure" : "NonSecure", sourcePort: Number(location.port) || -1,
    };
  });
}

function setCookie(c: Json): void {
  if (c.httpOnly) throw new ProtocolError("An HttpOnly cookie is not possible in an embedded frame: page script cannot set one");
  const url = c.url ? new URL(c.url) : location;
  const host = String(c.domain || url.hostname).replace(/^\./, "");
  if (host !== location.hostname && !location.hostname.endsWith(`.${host}`)) {
    throw new ProtocolError(`A cookie of ${host} is not possible in an embedded frame: page script sets cookies of its own site only`);
  }
  let text = `${c.name}=${c.value}; path=${c.path || "/"}`;
  if (c.domain && (c.domain.startsWith(".") || host !== location.hostname)) text += `; domain=${host}`;
  if (typeof c.expires === "number" && c.expires >= 0) text += `; expires=${new Date(c.expires * 1000).toUTCString()}`;
  if (c.secure) text += "; secure";
  if (c.sameSite) text += `; samesite=${c.sameSite}`;
  document.cookie = text;
}

/** Expires a cookie on every path and domain that this document could have set it on. */
function expire(name: string): void {
  const past = "expires=Thu, 01 Jan 1970 00:00:00 GMT";
  const labels = location.hostname.split(".");
  const domains = ["", ...labels.map((_, i) => `; domain=${labels.slice(i).join(".")}`)];
  const parts = location.pathname.split("/");
  const paths = parts.flatMap((_, i) => [parts.slice(0, i + 1).join("/") || "/", `${parts.slice(0, i + 1).join("/")}/`]);
  for (const d of domains) for (const path of paths) document.cookie = `${name}=; ${past}; path=${path}${d}`;
}

const clear = (): void => cookies().forEach((c) => expire(c.name));
const all = (): Json => ({ cookies: cookies() });
const setAll = (p: Json): void => p.cookies.forEach(setCookie);

register("Network", {
  getCookies: (p) => {
    const urls: string[] | undefined = p.urls;
    const ours = !urls || urls.some((u) => new URL(u).hostname === location.hostname);
    return { cookies: ours ? cookies() : [] };
  },
  getAllCookies: all,
  setCookie: (p) => {
    setCookie(p);
    return { success: true };
  },
  setCookies: setAll,
  deleteCookies: (p) => expire(p.name),
  clearBrowserCookies: clear,
});

register("Storage", {
  getCookies: all,
  setCookies: setAll,
  clearCookies: clear,
  getStorageKey: () => ({ storageKey: `${location.origin}/` }),
  getStorageKeyForFrame: () => ({ storageKey: `${location.origin}/` }),
});

// ------------------------------------------------------------ DOM storage

function area(p: Json): Storage {
  const id: Json = p.storageId ?? {};
  const origin = String(id.securityOrigin ?? id.storageKey ?? location.origin).replace(/\/$/, "");
  if (origin !== location.origin) throw new ProtocolError("Frame not found for the given storage id");
  return id.isLocalStorage ? localStorage : sessionStorage;
}

register("DOMStorage", {
  enable: () => {},
  disable: () => {},
  getDOMStorageItems: (p) => ({ entries: Object.entries(area(p)) }),
  setDOMStorageItem: (p) => area(p).setItem(p.key, p.value),
  removeDOMStorageItem: (p) => area(p).removeItem(p.key),
  clear: (p) => area(p).clear(),
});
