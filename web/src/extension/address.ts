// Addresses: of the hub, and of pages that may be shared.

/** Where the hub is: the address of its WebSocket, or the name of a text that says what is wrong. */
export function readHub(text: string): { url: string } | { wrong: "badAddress" | "needsTLS" } {
  let address = text.trim().replace(/^http(s?):/i, "ws$1:");
  if (!/^[a-z]+:\/\//i.test(address)) {
    address = (isLoopback(hostOf("ws://" + address)) ? "ws://" : "wss://") + address;
  }
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return { wrong: "badAddress" };
  }
  if (!/^wss?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return { wrong: "badAddress" };
  if (url.protocol === "ws:" && !isLoopback(url.hostname)) return { wrong: "needsTLS" };
  return { url: url.origin + url.pathname.replace(/\/+$/, "") + "/icdp/extension" };
}

function hostOf(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return "";
  }
}

/** URL parsers write each form of an IPv4 address in four decimal parts. */
function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
}

/** Whether a page at this address may be shared. None of the browser, of an extension or of the hub may. */
export function mayShare(address: string, hubs: readonly string[]): boolean {
  if (/^about:blank([?#]|$)/.test(address)) return true;
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return false;
  }
  if (url.protocol === "data:") return true;
  if (url.protocol === "blob:") return mayShare(url.pathname, hubs); // what follows is the origin that has made it
  return /^https?:$/.test(url.protocol) && !hubs.some((hub) => isAt(url, hub));
}

/** Whether an address is at a host and port. The names of this machine are one, as they lead to the same server. */
function isAt(url: URL, host: string): boolean {
  let other: URL;
  try {
    other = new URL(`${url.protocol}//${host}`);
  } catch {
    return false; // the hub has written nonsense
  }
  if (url.port !== other.port) return false;
  return url.hostname === other.hostname || (isLoopback(url.hostname) && isLoopback(other.hostname));
}
