// Which addresses the Host page may navigate a frame to, and which addresses a
// frame may claim to show.
//
// javascript:, about:srcdoc and about:blank take the origin of the page that
// navigates (HTML, "determining the origin"), which would be the Host page's.

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
