import type { FromCore } from "../wire/core";
import type { Env, Port, Socket } from "./channel";
import { HUB_REFUSES, HUB_REFUSES_TOKEN, HUB_UNREACHABLE, TOKEN_OF_PAGE, say } from "../wire/messages";

/** The browser's own sockets and channels, for a Worker or the main thread. */
export function browserEnv(post: (message: FromCore) => void): Env {
  return {
    post,
    channel() {
      const { port1, port2 } = new MessageChannel();
      return { near: port1 as Port, far: port2 };
    },
    socket: (url, token) => new WebSocket(url, token ? [`bearer.${token}`] : []) as Socket,
    refusal,
  };
}

/** Asks by HTTP, since browsers do not tell a page how a WebSocket handshake was answered. */
async function refusal(url: string, token?: string): Promise<string | undefined> {
  const at = new URL(url.replace(/^ws/, "http"));
  // To another origin, a request with the header Authorization would need a CORS preflight.
  const own = token !== undefined && at.origin === self.origin;
  try {
    const headers = own ? { Authorization: `Bearer ${token}` } : undefined;
    const response = await fetch(at, { cache: "no-store", credentials: "omit", ...(headers && { headers }) });
    const text = (await response.text()).trim().slice(0, 500);
    if (response.ok || response.status === 426) return undefined; // 426 Upgrade Required: the hub accepts WebSockets
    if (response.status !== 401) return say(HUB_REFUSES, { text });
    if (!token) return TOKEN_OF_PAGE;
    return own ? say(HUB_REFUSES, { text }) : HUB_REFUSES_TOKEN;
  } catch {
    return say(HUB_UNREACHABLE, { url: at.origin });
  }
}
