import type { FromCore } from "../wire/core";
import type { Env, Port, Socket } from "./channel";

/** The browser's own sockets and channels, on whatever thread. */
export function browserEnv(post: (message: FromCore) => void): Env {
  return {
    post,
    channel() {
      const { port1, port2 } = new MessageChannel();
      return { near: port1 as Port, far: port2 };
    },
    socket: (url, token) => new WebSocket(url, token ? [`bearer.${token}`] : []) as Socket,
  };
}
