// The ready-made Host page: shell?app=URL shows that app and offers it as a Target to the hub that served the page.
// Clients may open more, each in a tab of its own.
// "origin" may occur several times in the URL, and names other origins to which the frames may be navigated.
// "upstream" is the app's own origin, if a proxy serves the app at URL; "also=SERVED=ORIGIN", which may occur several
// times, is another origin that the proxy serves, at SERVED. "#token=T" is the token for the hub, and is
// removed from the URL at once. With "standby" the page does not replace another Host page until its user asks for
// that. With "isolated" it is cross-origin isolated, for an app
// that is, in other browsers than Chromium.

import type * as Library from "../host/index";
import { byId, notify, showHub, showPaired } from "./bar";
import { type Refusal, askHub, clientsOf } from "./ask";

declare const CdpHub: typeof Library; // host.js stands before this script

let token = CdpHub.takeToken(); // before there is any frame: see takeToken
const tabs = byId("tabs");
const query = new URLSearchParams(location.search);
const app = webAddress(query.get("app") ?? "");
const upstream = webAddress(query.get("upstream") ?? "");
const also = query.getAll("also").map((pair) => pair.split("=").map(webAddress));
const served = [[app, upstream], ...also];
const moved = Object.fromEntries(served.flatMap(([at, origin]) => (at && origin ? [[origin.origin, at.origin]] : [])));
const named = [...served.map(([at]) => at), ...query.getAll("origin").map(webAddress)];
const origins = [...new Set(named.flatMap((u) => (u ? [u.origin, ...sameServer(u)] : [])))].filter(
  (origin) => origin !== location.origin,
);
const frames = new Map<string, { iframe: HTMLIFrameElement; tab: HTMLButtonElement }>();
/**
 * What an app may do. All but allow-top-navigation: whatever the app does, and whoever clicks, this page stays. Links and
 * forms that name the top window reach the app by its agent.
 */
const SANDBOX =
  "allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts allow-storage-access-by-user-activation allow-top-navigation-to-custom-protocols";
const known = (document as { featurePolicy?: { features(): string[] } }).featurePolicy;
/** What the app may use as in a tab of its own. The browser still asks its user, in the name of this page. */
const FEATURES = [
  "accelerometer autoplay bluetooth camera captured-surface-control clipboard-read clipboard-write compute-pressure",
  "cross-origin-isolated deferred-fetch digital-credentials-create digital-credentials-get display-capture",
  "encrypted-media fullscreen gamepad geolocation gyroscope hid identity-credentials-get idle-detection keyboard-map",
  "language-detector language-model local-fonts local-network local-network-access loopback-network magnetometer",
  "microphone midi on-device-speech-recognition otp-credentials payment picture-in-picture",
  "publickey-credentials-create publickey-credentials-get screen-wake-lock serial speaker-selection storage-access",
  "summarizer translator usb web-share window-management xr-spatial-tracking",
]
  .join(" ")
  .split(" ")
  .filter((name) => known?.features().includes(name) ?? true); // browsers warn of others
const ASK_MS = 3_000;
/** How long after the page has led a frame back by itself it does not do so again: the app may lead away at once. */
const BACK_MS = 30_000;
/** When the page has led each frame back by itself. */
const ledBack = new Map<string, number>();

const host = new CdpHub.Host({
  createTarget: (params, openerId) => add(String(params.url ?? ""), openerId, params.background !== true),
  closeTarget: (targetId) => remove(targetId),
  reveal: (targetId) => show(targetId),
});

let relay: Library.HostState = { relay: "off", reason: "" };
let clients: number | undefined;
let refusal: Refusal | undefined;

/**
 * Parses an http(s) URL, unless it is of this page's own origin: script there could be a Host. javascript: is refused
 * too, as it would run in this origin.
 */
function webAddress(text: string): URL | undefined {
  try {
    const parsed = new URL(text);
    return /^https?:$/.test(parsed.protocol) && parsed.origin !== location.origin ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The other origin of a server on loopback: for browsers, localhost and 127.0.0.1 are two sites. */
function sameServer(u: URL): string[] {
  const other = { "127.0.0.1": "localhost", localhost: "127.0.0.1" }[u.hostname];
  return other ? [`${u.protocol}//${other}${u.port && ":" + u.port}`] : [];
}

/** Adds a frame in a tab of its own. A blank one gets its agent from the Host. */
function add(address: string, openerId = "", front = true): string {
  const blank = address === "" || address === "about:blank";
  const asked = blank ? undefined : webAddress(address);
  const url = asked && CdpHub.follow(asked, moved);
  if (!blank && !origins.includes(url?.origin ?? ""))
    throw new Error(`This Host page opens no frame for ${address}: it shows ${origins.join(", ")}`);
  const iframe = document.createElement("iframe");
  iframe.setAttribute("sandbox", SANDBOX);
  iframe.allow = FEATURES.map((name) => `${name} ${origins.join(" ")}`).join("; ");
  if (url) iframe.src = url.href;
  // Paired before the iframe is in the document: pair() sets the iframe's name, which the window takes when it is
  // made.
  const targetId = host.pair(iframe, { origins, moved, title: url?.href ?? "", ...(openerId && { openerId }) });
  iframe.title = url?.href ?? "blank page";
  byId("frames").append(iframe);
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

/** Shows one frame. All frames lie on each other: one outside of the viewport would get no animation frames. */
function show(targetId: string): void {
  for (const [id, { iframe, tab }] of frames) {
    iframe.classList.toggle("front", id === targetId);
    tab.ariaPressed = String(id === targetId);
  }
}

/** Lets the user enter the app's URL. */
function choose(): void {
  byId("frames").hidden = true;
  byId("choose").hidden = false;
  byId("address").focus();
}

function tell(): void {
  const targets = host.targets();
  const paired = targets.filter((t) => t.connected).length;
  showHub(relay, clients);
  showPaired(
    paired,
    targets.length,
    targets.some((t) => t.reason),
  );
  notify(notice());
}

/** The most important problem, if there is one. */
function notice(): Parameters<typeof notify>[0] {
  if (refusal?.status === 401 && !token) return { text: "This hub needs a token for Host pages.", login: true };
  if (refusal) return { text: `The hub refuses this page: ${refusal.text}`, login: refusal.status === 401 };
  if (relay.relay === "replaced")
    return {
      text: "Another page has this hub: clients drive the app there. This page takes over when that one is closed.",
      use: true,
    };
  const lost = host.targets().find((t) => t.reason);
  return lost && { text: lost.reason, back: lost.left !== "" };
}

/**
 * Leads a frame back that shows the proxied app at its own address, as after a log-in at another site. The address
 * there is unknown, since script cannot read it.
 */
function leadBack({ targetId, left }: Library.TargetState): void {
  const proxied = left !== "" && CdpHub.follow(new URL(left), moved).origin !== left;
  if (!proxied || Date.now() - (ledBack.get(targetId) ?? -BACK_MS) < BACK_MS) return;
  ledBack.set(targetId, Date.now());
  host.back(targetId);
}

function connect(): void {
  refusal = undefined;
  const bridge = new URL("icdp/host", location.href);
  bridge.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  bridge.search = "";
  bridge.hash = "";
  host.connectRelay(bridge.href, { standby: query.has("standby"), ...(token && { token }) });
}

/** Finds out why there is no connection. A page that is refused does not try again before it has another token. */
async function explain(): Promise<void> {
  refusal = await askHub(token);
  if (refusal?.status === 401) host.disconnectRelay();
  tell();
}

async function ask(): Promise<void> {
  if (document.hidden || relay.relay !== "connected") return;
  clients = await clientsOf(token);
  tell();
}

function start(url: URL): void {
  byId("app").textContent = url.href;
  document.title = `${url.host} - cdphub`;
  add(url.href);
  byId("use").onclick = () => host.takeOver();
  byId("back").onclick = () => {
    for (const { left, targetId } of host.targets()) if (left) host.back(targetId);
  };
  byId("login").onsubmit = (event) => {
    event.preventDefault();
    const input = byId<HTMLInputElement>("token");
    history.replaceState(history.state, "", `#token=${encodeURIComponent(input.value.trim())}`);
    input.value = "";
    token = CdpHub.takeToken(); // takeToken also keeps it for a reload
    connect();
  };
  host.onTargets((targets) => {
    for (const t of targets) {
      const frame = frames.get(t.targetId);
      if (!frame) continue;
      leadBack(t);
      frame.tab.textContent = frame.iframe.title = t.title || t.url;
      if (frame.tab.ariaPressed === "true") document.title = `${t.title || url.host} - cdphub`;
    }
    tell();
  });
  host.onState((s) => {
    relay = s;
    if (s.relay === "waiting" && !refusal) void explain();
    if (s.relay === "connected") {
      refusal = undefined;
      void ask();
    }
    tell();
  });
  connect();
  setInterval(ask, ASK_MS);
}

if (app) start(app);
else choose();
