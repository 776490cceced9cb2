// The ready-made Host page: shell?app=URL shows that app and offers it as a
// Target to the hub that served the page. Clients may open more, each in a
// tab of its own; "origin" may stand in the address again and again, to name
// other origins that the frames may be navigated to, and "upstream" is where
// the app is for itself, when a proxy serves it here. "#token=T" is the token
// for a hub that wants one, which leaves the address at once.

import type * as Library from "../host/index";

declare const CdpHub: typeof Library; // host.js stands before this script

const token = CdpHub.takeToken(); // before there is any frame
const state = document.getElementById("state") as HTMLElement;
const tabs = document.getElementById("tabs") as HTMLElement;
const query = new URLSearchParams(location.search);
const app = webAddress(query.get("app") ?? "");
const named = [app, ...query.getAll("origin").map(webAddress)].flatMap((u) => (u ? [u.origin, ...sameServer(u)] : []));
const origins = [...new Set(named)].filter((origin) => origin !== location.origin);
const upstream = webAddress(query.get("upstream") ?? "");
const moved = app && upstream ? { [upstream.origin]: app.origin } : {};
const frames = new Map<string, { iframe: HTMLIFrameElement; tab: HTMLButtonElement }>();

const host = new CdpHub.Host({
  createTarget: (params, openerId) => add(String(params.url ?? ""), openerId, params.background !== true),
  closeTarget: (targetId) => remove(targetId),
  reveal: (targetId) => show(targetId),
});

if (app) start(app);
else state.textContent = "Add ?app=URL to this page's address, for example ?app=http://localhost:3000/";

/**
 * The address, unless it is of this page's own origin, in which javascript: would run, too: what runs
 * there can be a Host.
 */
function webAddress(text: string): URL | undefined {
  try {
    const parsed = new URL(text);
    return /^https?:$/.test(parsed.protocol) && parsed.origin !== location.origin ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The other origin of a server that listens on loopback: browsers take its two names for two sites. */
function sameServer(u: URL): string[] {
  const other = { "127.0.0.1": "localhost", localhost: "127.0.0.1" }[u.hostname];
  return other ? [`${u.protocol}//${other}${u.port && ":" + u.port}`] : [];
}

/** Adds a frame in a tab of its own; a blank one gets its agent from the Host. */
function add(address: string, openerId = "", front = true): string {
  const blank = address === "" || address === "about:blank";
  const asked = blank ? undefined : webAddress(address);
  const url = asked && CdpHub.follow(asked, moved);
  if (!blank && !origins.includes(url?.origin ?? ""))
    throw new Error(`This Host page opens no frame for ${address}: it shows ${origins.join(", ")}`);
  const iframe = document.createElement("iframe");
  iframe.allow = "clipboard-read; clipboard-write; fullscreen";
  if (url) iframe.src = url.href;
  // Paired first, since a window's name is read as it is made.
  const targetId = host.pair(iframe, { origins, moved, title: url?.href ?? "", ...(openerId && { openerId }) });
  document.getElementById("frames")?.append(iframe);
  const tab = document.createElement("button");
  tab.onclick = () => show(targetId);
  tabs.append(tab);
  frames.set(targetId, { iframe, tab });
  if (front || frames.size === 1) show(targetId);
  return targetId;
}

function remove(targetId: string): void {
  const gone = frames.get(targetId);
  if (!gone) return;
  frames.delete(targetId);
  host.unpair(targetId);
  gone.iframe.remove();
  gone.tab.remove();
  const last = [...frames.keys()].pop();
  if (gone.tab.ariaPressed === "true" && last) show(last);
}

/** Frames lie on each other, since one outside of the window would get no animation frames. */
function show(targetId: string): void {
  for (const [id, { iframe, tab }] of frames) {
    iframe.classList.toggle("front", id === targetId);
    tab.ariaPressed = String(id === targetId);
  }
}

function start(url: URL): void {
  add(url.href);
  document.title = url.host;
  const bridge = new URL("icdp/host", location.href);
  bridge.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  bridge.search = "";
  bridge.hash = "";
  host.connectRelay(bridge.href, token ? { token } : {});
  let connected = false;
  let reason = "";
  let relay = "";
  const tell = (): void => {
    const frame = connected ? "paired" : `not paired${reason && ` (${reason})`}`;
    state.textContent = `${url.href} - frame ${frame} - hub ${relay}`;
  };
  host.onTargets((targets) => {
    connected = targets.length > 0 && targets.every((t) => t.connected);
    reason = targets.find((t) => t.reason)?.reason ?? "";
    for (const t of targets) {
      const tab = frames.get(t.targetId)?.tab;
      if (tab) tab.textContent = t.title || t.url;
    }
    tell();
  });
  host.onState((s) => {
    relay = s.relay + (s.reason ? ` (${s.reason})` : "");
    tell();
  });
}
