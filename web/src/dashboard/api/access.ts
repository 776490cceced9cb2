// The credentials of this tab: a Client's token, or the key of one handoff. They stay in the tab's sessionStorage and
// are sent in headers, never in a cookie, so that no other page can use them. The key of a handoff stays in the browser's
// localStorage as well, until the handoff ends, for those who have its link.

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
  /** How the handoff has ended that this entry of the tab's history was for. */
  ended?: HandoffEnding;
}

/** What the person has answered; none: it has ended by itself. */
export type HandoffEnding = "done" | "cancel" | "none";

const OPENED: Opening = { refusal: "", ticket: "" };

/**
 * Removes "#token=TOKEN" or "#handoff=TICKET" from the URL, where others could read it. A ticket is exchanged for a
 * key, once for each browser. `needsToken`: the hub opens no link without a token.
 */
export async function takeFromAddress(path: string, needsToken: boolean): Promise<Opening> {
  const hash = new URLSearchParams(location.hash.slice(1));
  const ticket = hash.get("handoff") ?? history.state?.ticket;
  const token = hash.get("token");
  if (!ticket && !token) return { ...OPENED, ended: history.state?.ended };
  // For a reload before the link has been opened.
  history.replaceState(ticket ? { ticket } : null, "", location.pathname + location.search);
  if (ticket) return openHandoff(path, ticket, needsToken);
  forget();
  keepToken(token!);
  return OPENED;
}

/** Remembers in the history of the tab that the handoff has ended, for a reload, and forgets its key. */
export function endHandoff(how: HandoffEnding): void {
  history.replaceState({ ended: how }, "");
  const key = sessionStorage.getItem(KEY);
  forgetLinks((link) => link.key === key);
  sessionStorage.removeItem(KEY);
}

/** A link that was opened in this browser, by its ticket: a person may close the tab, and open the link again. */
interface OpenedLink {
  key: string;
  /** When the handoff ends, in ms since 1970. */
  until: number;
}

const OPENED_LINK = "cdphubHandoff ";

function forgetLinks(which: (link: OpenedLink) => boolean): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(OPENED_LINK) && which(JSON.parse(localStorage.getItem(name)!))) localStorage.removeItem(name);
}

/** Exchanges the ticket of a link for the key of the handoff, with the token of this tab if it has one. */
export async function openHandoff(path: string, ticket: string, needsToken: boolean): Promise<Opening> {
  const token = sessionStorage.getItem(TOKEN);
  const known = localStorage.getItem(OPENED_LINK + ticket);
  if (known) {
    sessionStorage.setItem(KEY, (JSON.parse(known) as OpenedLink).key);
    return OPENED;
  }
  if (needsToken && !token) return { refusal: "", ticket };
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
    const { key, until }: OpenedLink = await answer.json();
    sessionStorage.setItem(KEY, key);
    forgetLinks((link) => link.until < Date.now());
    localStorage.setItem(OPENED_LINK + ticket, JSON.stringify({ key, until }));
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
