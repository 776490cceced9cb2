// The connection to a proxy before the app: it tells of the requests that page
// script does not see, holds those that clients want to decide on, and gives
// them the headers that clients want.

import type { ControlNews, ControlOrder, StateOrder } from "../../wire/proxy";
import { mainFrame, splitFragment } from "../page/frames";
import { hubTarget, proxyBase } from "../link/hub";
import { originals } from "../base/originals";
import { type Session, allSessions, onSessionEnd } from "../base/session";

const { WebSocket } = window;
const { send, close } = WebSocket.prototype;

let socket: WebSocket | undefined;
let opened: Promise<void> | undefined;
/** Resolves when the proxy has taken the state in hand. */
const waiting: (() => void)[] = [];
/** How long a command waits for that. */
const ACK_MS = 2_000;

/** What one session wants for all requests. */
export type Wishes = Pick<StateOrder, "extra" | "userAgent" | "noCache" | "offline">;
const wishes = new Map<Session, Wishes>();

let holds: () => boolean = () => false;
let heard: (news: ControlNews) => void = () => {};

/** Sets what says whether requests are to be held, and what hears of them. */
export function setUpstream(isHolding: () => boolean, onNews: (news: ControlNews) => void): void {
  holds = isHolding;
  heard = onNews;
}

/** Notes what a session wants; resolves when it holds. */
export function wish(s: Session, w: Wishes): Promise<void> {
  wishes.set(s, { ...wishes.get(s), ...w });
  return refreshUpstream();
}

onSessionEnd((s) => {
  wishes.delete(s);
  void refreshUpstream();
});

function state(): StateOrder {
  const all: Wishes = {};
  for (const w of wishes.values()) {
    for (const [name, v] of Object.entries(w))
      if (v) Object.assign(all, { [name]: name === "extra" ? { ...all.extra, ...(v as object) } : v });
  }
  const tell = [...allSessions()].some((s) => s.enabled.has("Network"));
  return {
    do: "state",
    target: hubTarget(),
    hold: holds(),
    tell,
    addresses: [splitFragment(location.href)[0]],
    ...all,
  };
}

let last = "";

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
  if (text === last || socket?.readyState !== 1) return;
  last = text;
  const acknowledged = new Promise<void>((r) => waiting.push(r));
  send.call(socket, text);
  await Promise.race([acknowledged, due]);
}

function connect(base: string): void {
  last = "";
  try {
    const s = (socket = new WebSocket(`${base.replace(/^http/, "ws")}/control`));
    opened = new Promise((r) => {
      s.onopen = () => r();
      s.onclose = () => {
        r();
        if (socket === s) socket = undefined;
        for (const f of waiting.splice(0)) f();
      };
    });
    s.onmessage = (e) => {
      const news = originals.parse(e.data) as ControlNews;
      if (news.what === "state") waiting.shift()?.();
      else heard(news);
    };
  } catch {
    socket = undefined; // a policy that is kept forbids it
  }
}

/** Sends an order; false where there is nobody to take it. */
export function order(o: ControlOrder): boolean {
  if (socket?.readyState !== 1) return false;
  send.call(socket, originals.stringify(o));
  return true;
}

/** The document goes: its successor has a connection of its own. */
export function leaveUpstream(): void {
  if (socket) close.call(socket);
  socket = undefined;
  wishes.clear();
}

/** Whether a proxy can be asked. */
export function isProxied(): boolean {
  return proxyBase() !== undefined && !mainFrame().parentId;
}
