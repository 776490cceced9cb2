// Addresses as text.

/** URL.canParse, for Safari before 17.0. */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    return !!new URL(text, base);
  } catch {
    return false;
  }
}

/** Whether an address is of the origin, or of the other name of the same server on this machine. */
export function isSameServer(url: URL, origin: URL): boolean {
  const local = (u: URL): boolean => u.hostname === "localhost" || u.hostname === "127.0.0.1";
  const same = url.hostname === origin.hostname || (local(url) && local(origin));
  return same && url.port === origin.port && url.protocol.replace("ws", "http") === origin.protocol;
}
