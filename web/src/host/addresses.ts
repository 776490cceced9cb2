// Which addresses the Host page may navigate a frame to, and which addresses a
// frame may claim to show.
//
// javascript:, about:srcdoc and about:blank take the origin of the page that
// navigates (HTML, "determining the origin"), which would be the Host page's.

import type { Moved } from "../wire/core";

/** The names of this machine, which are one server at one port. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** An origin by every name of its server: that of a loopback address has several. */
export function namesOf(origin: string): string[] {
  const url = parseUrl(origin);
  if (!url || !LOOPBACK.includes(url.hostname)) return [origin];
  return [origin, ...LOOPBACK.filter((n) => n !== url.hostname).map((n) => origin.replace(url.hostname, n))];
}

/** Where a proxy serves an origin; undefined if none does. */
export function servedAt(origin: string, moved: Moved): string | undefined {
  const name = namesOf(origin).find((n) => Object.hasOwn(moved, n));
  return name && moved[name];
}

/** Whether an address is that of a blank document. */
export const isBlank = (url: string): boolean => /^about:blank([?#]|$)/.test(url);

/** Whether a frame of these origins may be navigated to an address that has an origin of its own. */
export function mayShow(url: string, origins: string[]): boolean {
  const parsed = parseUrl(url);
  return (
    parsed !== undefined &&
    /^(https?|blob):$/.test(parsed.protocol) &&
    parsed.origin !== "null" &&
    origins.includes(parsed.origin)
  );
}

/**
 * Whether a document of this origin may claim this address. A false one would make Clients trust
 * it as a page of another origin.
 */
export function isOf(url: string, origin: string, origins: string[]): boolean {
  const parsed = parseUrl(url);
  if (!parsed) return false;
  if (origin === "null" && origins.includes("null")) return true; // an opaque origin says nothing about the address
  return parsed.origin === "null"
    ? /^(about|blob|chrome-error|data):$/.test(parsed.protocol)
    : parsed.origin === origin;
}

/** The URL in a text; undefined if the text is none. */
export function parseUrl(text: string | URL, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** A URL and its fragment, which begins with "#" or is empty. */
export function splitFragment(url: string): [plain: string, fragment: string] {
  const i = url.indexOf("#");
  return i < 0 ? [url, ""] : [url.slice(0, i), url.slice(i)];
}
