// The connection to a proxy before the app: it tells of the requests that page
// script does not see, holds those that clients want to decide on, and gives
// them the headers that clients want.

import type { ControlEvent, ControlCommand, StateCommand } from "../../wire/proxy";
import { mainFrame, splitFragment } from "../page/frames";
import { hubTarget, proxyBase } from "../link/hub";
import { originals } from "../base/originals";
import { type Session, allSessions, onSessionEnd } from "../base/session";

const { WebSocket } = window;
const { send, close } = WebSocket.prototype;

let socket: WebSocket | undefined;
let opened: Promise<void> | undefined;
/** Resolves when the proxy has taken the state in hand. */
const acknowledgements: (() => void)[] = [];
/** How long a command waits for that. */
const ACK_MS = 2_000;

/** What one session wants for all requests. */
export type RequestOverrides = Pick<StateCommand, "extra" | "userAgent" | "noCache" | "offline">;
const overrides = new Map<Session, RequestOverrides>();

let isIntercepting: () => boolean = () => false;
let onEvent: (news: ControlEvent) => void = () => {};

/** Sets what says whether requests are to be held, and what hears of them. */
export function setUpstream(isHolding: () => boolean, onNews: (news: ControlEvent) => void): void {
  isIntercepting = isHolding;
  onEvent = onNews;
}

/** Notes what a session wants; resolves when it holds. */
export function setOverrides(s: Session, w: RequestOverrides): Promise<void> {
  overrides.set(s, { ...overrides.get(s), ...w });
  return refreshUpstream();
}

onSessionEnd((s) => {
  overrides.delete(s);
  void refreshUpstream();
});

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
    hold: isIntercepting(),
    tell,
    addresses: [splitFragment(location.href)[0]],
    ...all,
  };
}

let lastState = "";

/** Lets the proxy know what is wanted now, if there is one; resolves when it does. */
export async function refreshUpstream(): Promise<void> {
  const base = proxyBase();
  if (!base || mainFrame().parentId) return;
  const now = state();
  if (!socket && !now.hold && !now.tell && !now.extra && !now.userAgent && !now.noCache && !now.offline) return;
  if (!socket) connect(base);
  const due = new Promise<void>((r) => originals.setTimeout(r, ACK_MS));
  await Promise.race([opened, due]);
  const text = originals.stringify(state());
  if (text === lastState || socket?.readyState !== 1) return;
  lastState = text;
  const acknowledged = new Promise<void>((r) => acknowledgements.push(r));
  send.call(socket, text);
  await Promise.race([acknowledged, due]);
}

function connect(base: string): void {
  lastState = "";
  try {
    const s = (socket = new WebSocket(`${base.replace(/^http/, "ws")}/control`));
    opened = new Promise((r) => {
      s.onopen = () => r();
      s.onclose = () => {
        r();
        if (socket === s) socket = undefined;
        for (const f of acknowledgements.splice(0)) f();
      };
    });
    s.onmessage = (e) => {
      const news = originals.parse(e.data) as ControlEvent;
      if (news.what === "state") acknowledgements.shift()?.();
      else onEvent(news);
    };
  } catch {
    socket = undefined; // a policy that is kept forbids it
  }
}

/** Sends an order; false where there is nobody to take it. */
export function sendToProxy(o: ControlCommand): boolean {
  if (socket?.readyState !== 1) return false;
  send.call(socket, originals.stringify(o));
  return true;
}

/** The document goes: its successor has a connection of its own. */
export function leaveUpstream(): void {
  if (socket) close.call(socket);
  socket = undefined;
  overrides.clear();
}

/** Whether a proxy can be asked. */
export function isProxied(): boolean {
  return proxyBase() !== undefined && !mainFrame().parentId;
}
