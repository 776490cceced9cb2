// The service worker of the extension: which tabs their user shares, and chrome.debugger for those. It has no CDP logic but
// the rules of rules.ts. The browser ends it at any time, so what must last is in chrome.storage.

/// <reference types="chrome" />

import { mayShare, readHub } from "./address";
import { DEFAULT_ADDRESS, type FromHub, Link, MOST_GONE_MS, type Only, type Settings, type TabInfo } from "./link";
import { judge, type Params } from "./rules";

/** What the popup asks for. */
export type Ask =
  | { do: "show" | "share" | "stop" | "stopAll"; tab: number }
  | { do: "set"; tab: number; address: string; token: string };

/** What the popup shows. */
export interface State {
  shared: boolean;
  connected: boolean;
  drivers: string[];
  count: number; // of shared tabs
  hub: string; // host and port
  address: string;
  token: string;
  problem: string;
}

interface Shared extends TabInfo {
  tab: number;
  attached: boolean;
  drivers: string[];
  turn: Promise<unknown>; // of attach and detach, which follow each other
}

const text = (name: string, ...values: string[]) => chrome.i18n.getMessage(name, values);
const own = chrome.runtime.getURL("");
const shared = new Map<number, Shared>();
let problem = "";
let lostAt = 0; // when the hub went; 0 while it is there, or nothing is shared
let hubs: string[] = []; // host and port of the hub: of its address, and those that it names

const link = new Link(dialled, receive, lost, refused);

// Everything waits until what was shared before is known again.
const ready = restore();

async function settings(): Promise<Settings> {
  const {
    address = DEFAULT_ADDRESS,
    token = "",
    install = "",
  } = (await chrome.storage.local.get()) as Partial<Settings>;
  if (install) return { address, token, install };
  const made = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  await chrome.storage.local.set({ install: made });
  return { address, token, install: made };
}

async function dialled(): Promise<{ url: string; token: string; install: string }> {
  const { address, token, install } = await settings();
  const hub = readHub(address);
  return { url: "url" in hub ? hub.url : "", token, install };
}

/** Notes where the hub and its own pages are. */
async function noteHub(named: string[] = []): Promise<void> {
  const { url } = await dialled();
  hubs = [...(url ? [new URL(url).host] : []), ...named];
}

async function restore(): Promise<void> {
  await noteHub();
  const kept = (await chrome.storage.session.get({ tabs: [], lostAt: 0 })) as { tabs: number[]; lostAt: number };
  lostAt = kept.lostAt;
  for (const tab of kept.tabs) {
    const info = await describe(tab);
    if (info) shared.set(tab, { ...info, tab, attached: false, drivers: [], turn: detach(tab) });
  }
  if (shared.size > 0) {
    lostAt ||= Date.now();
    link.connect();
  }
}

async function save(): Promise<void> {
  await chrome.storage.session.set({ tabs: [...shared.keys()], lostAt });
  if (shared.size > 0) await chrome.alarms.create("connect", { periodInMinutes: 0.5 });
  else await chrome.alarms.clear("connect");
  // There is nobody to hear it while the popup is closed.
  chrome.runtime.sendMessage("changed").catch(() => {});
}

/** chrome.debugger lists tabs without being attached, and needs no further permission for titles and addresses. */
async function describe(tab: number): Promise<TabInfo | undefined> {
  const list = await chrome.debugger.getTargets();
  const found = list.find((target) => target.tabId === tab && target.type === "page");
  return found && { target: found.id, url: found.url, title: found.title };
}

async function share(tab: number): Promise<void> {
  problem = "";
  const info = await describe(tab);
  const { incognito, openerTabId } = await chrome.tabs.get(tab);
  if (!info || incognito || !mayShare(info.url, hubs)) {
    problem = text("cannotShare");
    return;
  }
  const opener = openerTabId === undefined ? undefined : shared.get(openerTabId)?.target;
  shared.set(tab, { ...info, ...(opener && { opener }), tab, attached: false, drivers: [], turn: Promise.resolve() });
  await chrome.tabs.update(tab, { autoDiscardable: false }); // a discarded tab hangs, and comes back with another id
  if (link.open) link.send({ kind: "tab", tab: infoOf(shared.get(tab)!) });
  else {
    lostAt ||= Date.now();
    link.connect();
  }
  mark(tab);
  await save();
}

function infoOf({ target, url, title, opener }: Shared): TabInfo {
  return { target, url, title, ...(opener && { opener }) };
}

/** Stops sharing a tab. The hub is told why, and its Clients are by the hub. */
async function stop(tab: number, reason: string): Promise<void> {
  const one = shared.get(tab);
  if (!one) return;
  shared.delete(tab);
  if (one.attached) void detach(tab);
  link.send({ kind: "gone", target: one.target, reason });
  if (shared.size === 0) {
    link.close();
    lostAt = 0;
  }
  mark(tab);
  chrome.tabs.update(tab, { autoDiscardable: true }).catch(() => {}); // it may have been closed
  await save();
}

async function stopAll(reason: string): Promise<void> {
  for (const tab of [...shared.keys()]) await stop(tab, reason);
}

function detach(tab: number): Promise<void> {
  return chrome.debugger.detach({ tabId: tab }).catch(() => {}); // it was not attached
}

/** Shows on the button what is so. */
function mark(tab: number): void {
  const one = shared.get(tab);
  const driven = one !== undefined && one.drivers.length > 0;
  const ignore = () => {}; // the tab may have been closed
  chrome.action.setBadgeText({ tabId: tab, text: one ? (driven ? "▶" : "on") : "" }).catch(ignore);
  chrome.action.setBadgeBackgroundColor({ tabId: tab, color: driven ? "#b3261e" : "#2457c5" }).catch(ignore);
  const title = !one ? text("name") : driven ? text("driven", one.drivers.join(", ")) : text("idle");
  chrome.action.setTitle({ tabId: tab, title }).catch(ignore);
}

function byTarget(target: string): Shared | undefined {
  for (const one of shared.values()) if (one.target === target) return one;
  return undefined;
}

function receive(message: FromHub): void {
  switch (message.kind) {
    case "welcome":
      void noteHub(message.own);
      lostAt = 0;
      problem = "";
      link.send({ kind: "tabs", tabs: [...shared.values()].map(infoOf) });
      void save();
      return;
    case "attach":
    case "close":
    case "cdp":
      void answer(message.id, () => carryOut(message));
      return;
    case "detach":
    case "drivers":
    case "stop": {
      const one = byTarget(message.target);
      if (one) told(one, message);
    }
  }
}

function told(one: Shared, message: Only<"detach" | "drivers" | "stop">): void {
  if (message.kind === "stop") {
    problem = message.reason;
    void stop(one.tab, message.reason);
  } else if (message.kind === "drivers") {
    one.drivers = message.clients;
    mark(one.tab);
    void save();
  } else {
    one.attached = false;
    one.turn = one.turn.then(() => detach(one.tab));
  }
}

/** Answers a message of the hub. A command is sent before this returns, so that the hub's order is kept. */
async function answer(id: number, carry: () => Promise<object | undefined>): Promise<void> {
  try {
    const result = (await carry()) ?? {};
    link.send({ kind: "answer", id, result });
  } catch (error) {
    link.send({ kind: "answer", id, error: errorOf(error) });
  }
}

/** The error of a command is JSON in the message of an Error (Chromium 156). */
function errorOf(error: unknown): { code: number; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  try {
    const read = JSON.parse(message) as { code?: unknown; message?: unknown };
    if (typeof read.code === "number" && typeof read.message === "string")
      return { code: read.code, message: read.message };
  } catch {
    // It is a text.
  }
  return { code: -32000, message };
}

function carryOut(message: Only<"attach" | "close" | "cdp">): Promise<object | undefined> {
  const one = byTarget(message.target);
  if (!one) return Promise.reject(new Error("The tab is not shared."));
  if (message.kind === "close") return chrome.tabs.remove(one.tab).then(() => undefined);
  if (message.kind === "attach") {
    const done = one.turn.then(() => attach(one));
    one.turn = done.catch(() => {});
    return done.then(() => undefined);
  }
  if (!one.attached) return Promise.reject(new Error("Detached while handling command."));
  const verdict = judge(message.method, message.params, { url: one.url, hubs });
  if ("refuse" in verdict) return Promise.reject(new Error(verdict.refuse));
  const at = { tabId: one.tab, ...(message.session && { sessionId: message.session }) };
  return chrome.debugger.sendCommand(at, verdict.method, verdict.params) as Promise<object | undefined>;
}

async function attach(one: Shared): Promise<void> {
  const at = { tabId: one.tab };
  await detach(one.tab); // what a connection before has left
  await chrome.debugger.attach(at, "1.3");
  const history = (await chrome.debugger.sendCommand(at, "Page.getNavigationHistory")) as {
    entries: { url: string }[];
  };
  // A driver's script for new documents would run with the rights of such a page, once the tab goes back to it.
  if (history.entries.some(({ url }) => url.startsWith(own) || (/^https?:/.test(url) && !mayShare(url, hubs)))) {
    await chrome.debugger.sendCommand(at, "Page.resetNavigationHistory");
  }
  if (!shared.has(one.tab)) {
    await detach(one.tab);
    throw new Error("The tab is not shared.");
  }
  one.attached = true;
}

/** The hub has gone: nobody drives a tab now. */
function lost(): void {
  for (const one of shared.values()) {
    if (one.attached) one.turn = one.turn.then(() => detach(one.tab));
    one.attached = false;
    one.drivers = [];
    mark(one.tab);
  }
  lostAt ||= Date.now();
  void giveUp().then(save);
}

/** Shares nothing any more once the hub has been gone for long. */
async function giveUp(): Promise<void> {
  if (lostAt === 0 || Date.now() - lostAt < MOST_GONE_MS) return;
  problem = text("whyGone");
  await stopAll(problem);
}

function refused(why: string): void {
  problem = text("whyRefused", why);
  void stopAll(problem);
}

async function stateOf(tab: number): Promise<State> {
  const { address, token } = await settings();
  const { url } = await dialled();
  const one = shared.get(tab);
  return {
    shared: one !== undefined,
    connected: link.open,
    drivers: one?.drivers ?? [],
    count: shared.size,
    hub: url ? new URL(url).host : "",
    address,
    token,
    problem,
  };
}

async function serve(ask: Ask): Promise<State> {
  await ready;
  if (ask.do === "share") await share(ask.tab);
  if (ask.do === "stop") await stop(ask.tab, text("whyUser"));
  if (ask.do === "stopAll") await stopAll(text("whyUser"));
  if (ask.do === "set" && "url" in readHub(ask.address)) {
    await stopAll(text("whyHub"));
    await chrome.storage.local.set({ address: ask.address, token: ask.token });
    await noteHub();
  }
  return stateOf(ask.tab);
}

// Only the popup asks. A page of the extension in a tab could be driven, so that it may not.
chrome.runtime.onMessage.addListener((ask: Ask, sender, respond) => {
  if (sender.id !== chrome.runtime.id || sender.tab) return false;
  void serve(ask).then(respond);
  return true;
});

chrome.debugger.onEvent.addListener(({ tabId, sessionId }: chrome.debugger.DebuggerSession, method, params) => {
  const one = shared.get(tabId ?? -1);
  if (!one?.attached) return;
  link.send({
    kind: "event",
    target: one.target,
    ...(sessionId && { session: sessionId }),
    method,
    params: (params ?? {}) as Params,
  });
});

chrome.debugger.onDetach.addListener(async ({ tabId }, reason) => {
  await ready;
  if (reason === "canceled_by_user") {
    await stopAll(text("whyCanceled")); // the browser has detached all, and would let us attach again
    return;
  }
  const one = shared.get(tabId ?? -1);
  if (!one?.attached) return;
  one.attached = false;
  if (await look(one.tab)) link.send({ kind: "detached", target: one.target, reason });
});

/** Looks at a tab again. It is shared no more when it has been closed, or shows what is not shared. */
async function look(tab: number): Promise<boolean> {
  const info = await describe(tab);
  const one = shared.get(tab);
  if (!one) return false;
  if (!info) await stop(tab, text("whyClosed"));
  else if (!mayShare(info.url, hubs)) await stop(tab, text("whyLeft"));
  else if (info.target !== one.target) await stop(tab, text("whyReplaced"));
  else {
    if (info.url !== one.url || info.title !== one.title) {
      Object.assign(one, info);
      link.send({ kind: "tab", tab: infoOf(one) });
    }
    return true;
  }
  return false;
}

chrome.tabs.onUpdated.addListener(async (tab) => {
  await ready;
  if (!shared.has(tab)) return;
  mark(tab); // a badge of a tab ends with its document
  await look(tab);
});

chrome.tabs.onRemoved.addListener(async (tab) => {
  await ready;
  await stop(tab, text("whyClosed"));
});

chrome.tabs.onReplaced.addListener(async (_, tab) => {
  await ready;
  await stop(tab, text("whyReplaced"));
});

chrome.alarms.onAlarm.addListener(async () => {
  await ready;
  await giveUp();
  if (shared.size > 0) link.connect();
});

chrome.runtime.onStartup.addListener(() => {}); // so that the worker starts, and finds nothing shared
