// Addresses as text.

/** URL.canParse, for Safari before 17.0. */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    return !!new URL(text, base);
  } catch {
    return false;
  }
}

/** The names of this machine, which are one server at one port. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether an address is of the origin, or of another name of the same server on this machine. */
export function isSameServer(url: URL, origin: URL): boolean {
  const local = (u: URL): boolean => LOOPBACK.test(u.hostname);
  const same = url.hostname === origin.hostname || (local(url) && local(origin));
  return same && url.port === origin.port && url.protocol.replace("ws", "http") === origin.protocol;
}
