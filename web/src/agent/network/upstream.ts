// The connection to the proxy in front of the app. The proxy reports requests
// that page script cannot see, holds requests for the Fetch domain, and sets
// headers for Network.setExtraHTTPHeaders and the like. wire/proxy.ts has the
// messages.

import type { ControlEvent, ControlCommand, StateCommand } from "../../wire/proxy";
import { mainFrame, splitFragment } from "../page/frames";
import { expectExtras } from "./extrainfo";
import { hubTarget, proxyBase, proxyKey } from "../link/hub";
import { added } from "../base/added";
import { originals } from "../base/originals";
import { ready } from "../base/parts";
import { type Session, allSessions, onSessionEnd } from "../base/session";

const { WebSocket } = window;
const { send, close } = WebSocket.prototype;

let socket: WebSocket | undefined;
let opened: Promise<void> | undefined;
/** Called, first in first out, when the proxy has acknowledged a state. */
const acknowledgements: (() => void)[] = [];
/** How long a command waits for the acknowledgement. */
const ACK_MS = 2_000;

/** What a session has set for all requests. */
type RequestOverrides = Pick<StateCommand, "extra" | "userAgent" | "noCache" | "offline">;
const overrides = new Map<Session, RequestOverrides>();

declare module "../base/added" {
  interface Added {
    /** Whether any session intercepts requests. */
    isIntercepting(): boolean;
    /** Takes the proxy's events. */
    receiveProxyEvent(news: ControlEvent): void;
    /** Tells workers what Clients want to do with requests. */
    refreshWorkers(): void;
  }
}

/** Sets overrides of a session. Resolves when they are in force. */
export function setOverrides(s: Session, w: RequestOverrides): Promise<void> {
  overrides.set(s, { ...overrides.get(s), ...w });
  return refreshUpstream();
}

/** Whether a session emulates that the network is offline. */
export function isOffline(): boolean {
  return [...overrides.values()].some((o) => o.offline);
}

/** A session has ended. */
export function endOverrides(s: Session): void {
  overrides.delete(s);
  void refreshUpstream();
}

onSessionEnd(endOverrides);

function state(): StateCommand {
  const all: RequestOverrides = {};
  for (const w of overrides.values()) {
    for (const [name, v] of Object.entries(w))
      if (v) Object.assign(all, { [name]: name === "extra" ? { ...all.extra, ...(v as object) } : v });
  }
  const tell = [...allSessions()].some((s) => s.enabled.has("Network"));
  return {
    do: "state",
    target: hubTarget(),
    hold: added.isIntercepting?.() ?? false,
    tell,
    addresses: [splitFragment(location.href)[0]],
    ...(credentials && { credentials }),
    ...all,
  };
}

/** What a Client has written before the host of an address. */
let credentials = "";

/** Has the proxy send a name and a password with the requests of the Target. Resolves when it does. */
export function setCredentials(given: string): Promise<void> {
  credentials = given;
  return refreshUpstream();
}

let lastState = "";
/** Resolves when the proxy has the last state. */
let acknowledged: Promise<void> = Promise.resolve();

/** Sends the current state to the proxy, if there is one. Resolves when the proxy has it. */
export async function refreshUpstream(): Promise<void> {
  added.refreshWorkers?.();
  const base = proxyBase();
  if (!base || mainFrame().parentId) return;
  const now = state();
  if (!socket && !now.hold && !now.tell && !now.extra && !now.userAgent && !now.noCache && !now.offline && !credentials)
    return;
  const due = new Promise<void>((r) => originals.setTimeout(r, ACK_MS));
  // The part network.js handles the messages of the connection. Without it no connection is opened.
  await Promise.race([ready("Fetch.enable")?.catch(() => {}), due]);
  if (!socket && added.receiveProxyEvent) connect(base);
  await Promise.race([opened, due]);
  const text = originals.stringify(state());
  if (text !== lastState && socket?.readyState === 1) {
    lastState = text;
    acknowledged = new Promise<void>((r) => acknowledgements.push(r));
    send.call(socket, text);
  }
  await Promise.race([acknowledged, due]);
  expectExtras(socket?.readyState === 1 && now.tell);
}

function connect(base: string): void {
  lastState = "";
  try {
    const query = window.origin === "null" && proxyKey() ? `?key=${proxyKey()}` : "";
    const s = (socket = new WebSocket(`${base.replace(/^http/, "ws")}/control${query}`));
    opened = new Promise((r) => {
      s.onopen = () => r();
      s.onclose = () => {
        r();
        if (socket === s) socket = undefined;
        if (!socket) expectExtras(false);
        for (const f of acknowledgements.splice(0)) f();
      };
    });
    s.onmessage = (e) => {
      const news = originals.parse(e.data) as ControlEvent;
      if (news.what === "state") acknowledgements.shift()?.();
      else added.receiveProxyEvent?.(news);
    };
  } catch {
    socket = undefined; // the page's Content Security Policy forbids the connection
  }
}

/** Sends a command. Returns false when there is no connection. */
export function sendToProxy(o: ControlCommand): boolean {
  if (socket?.readyState !== 1) return false;
  send.call(socket, originals.stringify(o));
  return true;
}

/** The document is being unloaded. The next one opens a connection of its own. */
export function leaveUpstream(): void {
  if (socket) close.call(socket);
  socket = undefined;
  overrides.clear();
}

/** Whether there is a proxy in front of the app, and this agent has a connection to it. */
export function isProxied(): boolean {
  return proxyBase() !== undefined && !mainFrame().parentId;
}
