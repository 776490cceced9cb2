// Which addresses the Host page leads a frame to, and which a frame may say
// that it shows.
//
// What has no server runs in the origin of whoever asked for it: javascript:,
// about:srcdoc and a plain about:blank would be the Host page's own.

/** Whether an address is that of a blank document. */
export const isBlank = (url: string): boolean => /^about:blank([?#]|$)/.test(url);

/** Whether a frame of these origins may be led to an address that has an origin of its own. */
export function mayShow(url: string, origins: string[]): boolean {
  const parsed = parse(url);
  return (
    parsed !== undefined &&
    /^(https?|blob):$/.test(parsed.protocol) &&
    parsed.origin !== "null" &&
    origins.includes(parsed.origin)
  );
}

/**
 * Whether a document of this origin may say that this is its address: one with another origin in it
 * would stand for that in the eyes of clients.
 */
export function isOf(url: string, origin: string, origins: string[]): boolean {
  const parsed = parse(url);
  if (!parsed) return false;
  if (origin === "null" && origins.includes("null")) return true; // such a document is of anybody
  return parsed.origin === "null"
    ? /^(about|blob|chrome-error|data):$/.test(parsed.protocol)
    : parsed.origin === origin;
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
