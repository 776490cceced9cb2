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

/** What became of the link of a handoff. Without a link, both are "". */
export interface Opening {
  /** Why the link opens nothing, or not with this token; otherwise "". */
  refusal: string;
  /** The ticket of a link that is still good, but needs a token, or another one. */
  ticket: string;
}

const OPENED: Opening = { refusal: "", ticket: "" };

/**
 * Removes "#token=TOKEN" or "#handoff=TICKET" from the URL, where others could read it. A ticket is exchanged for a
 * key, once.
 */
export async function takeFromAddress(path: string): Promise<Opening> {
  const hash = new URLSearchParams(location.hash.slice(1));
  const ticket = hash.get("handoff");
  const token = hash.get("token");
  if (!ticket && !token) return OPENED;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (ticket) return openHandoff(path, ticket);
  forget();
  keepToken(token!);
  return OPENED;
}

/** Exchanges the ticket of a link for the key of the handoff, with the token of this tab if it has one. */
export async function openHandoff(path: string, ticket: string): Promise<Opening> {
  const token = sessionStorage.getItem(TOKEN);
  try {
    const answer = await fetch(`${path}/ui/api/handoff`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ ticket }),
    });
    if (!answer.ok) {
      const text = (await answer.text()).trim();
      if (OTHER_TOKEN.has(answer.status)) return { refusal: token ? text : "", ticket };
      return { refusal: text || USED, ticket: "" };
    }
    sessionStorage.setItem(KEY, (await answer.json()).key);
    return OPENED;
  } catch {
    return { refusal: "The hub does not answer. Open the link again, or ask for a new one.", ticket: "" };
  }
}

/** The statuses of a link that another token can open: none or a wrong one, the agent's own, and too many wrong ones. */
const OTHER_TOKEN = new Set([401, 403, 429]);

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

/** Sends JSON to the hub. Returns why the hub has not done what it asks; "" if it has. */
export async function post(path: string, body: object): Promise<string> {
  const answer = await fetch(path, {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  return answer?.ok ? "" : (await answer?.text())?.trim() || "The hub does not answer.";
}

/** The subprotocols that carry the token: a page cannot set headers of a WebSocket. */
export function protocols(): string[] {
  const { secret } = access();
  return secret ? [`bearer.${secret}`] : [];
}

/** Asks the hub why it does not open a WebSocket at a path of the dashboard. */
export function askWhy(path: string): Promise<Response> {
  return fetch(path, { method: "POST", headers: headers(), cache: "no-store" });
}

/** The WebSocket URL of a path. */
export function socketAddress(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
