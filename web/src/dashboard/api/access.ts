// The credentials of this tab: a Client's token, or the key of one handoff. They stay in the tab's sessionStorage and
// are sent in headers, never in a cookie, so that no other page can use them.

const TOKEN = "cdphubToken";
const KEY = "cdphubHandoff";

interface Access {
  /** "" if the hub needs none. */
  secret: string;
  /** Whether it is the key of a handoff, which is for one target and expires. */
  handoff: boolean;
}

/**
 * Removes "#token=TOKEN" or "#handoff=TICKET" from the URL, where others could read it. A ticket is exchanged for a
 * key, once. Returns the reason if that fails; otherwise "".
 */
export async function takeFromAddress(path: string): Promise<string> {
  const hash = new URLSearchParams(location.hash.slice(1));
  const ticket = hash.get("handoff");
  const token = hash.get("token");
  if (!ticket && !token) return "";
  history.replaceState(history.state, "", location.pathname + location.search);
  if (!ticket) {
    forget();
    keepToken(token!);
    return "";
  }
  try {
    const answer = await fetch(`${path}/ui/api/handoff`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
    if (!answer.ok) return (await answer.text()).trim() || USED;
    sessionStorage.setItem(KEY, (await answer.json()).key);
    return "";
  } catch {
    return "The hub does not answer. Open the link again, or ask for a new one.";
  }
}

const USED = "This link was used already, or it has expired. Ask for a new one.";

export function access(): Access {
  const key = sessionStorage.getItem(KEY);
  return key ? { secret: key, handoff: true } : { secret: sessionStorage.getItem(TOKEN) ?? "", handoff: false };
}

export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

export function forget(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(TOKEN);
}

export function headers(): Record<string, string> {
  const { secret } = access();
  return secret ? { Authorization: `Bearer ${secret}` } : {};
}

/** The subprotocols that carry the token: a page cannot set headers of a WebSocket. */
export function protocols(): string[] {
  const { secret } = access();
  return secret ? [`bearer.${secret}`] : [];
}

/** The WebSocket URL of a path. */
export function socketAddress(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
