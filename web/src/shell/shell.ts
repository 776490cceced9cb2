// The ready-made Host page: shell?app=URL shows that app and offers it as a
// Target to the hub that served the page.

import type * as Library from "../host/index";

declare const CdpHub: typeof Library; // host.js stands before this script

const state = document.getElementById("state") as HTMLElement;
const host = new CdpHub.Host();
const app = new URLSearchParams(location.search).get("app");

const url = app ? webAddress(app) : undefined;

if (url) {
  open(url);
} else {
  state.textContent = "Add ?app=URL to this page's address, for example ?app=http://localhost:3000/";
}

/** The address, unless it is of another kind: javascript: would run in this page's own origin. */
function webAddress(text: string): URL | undefined {
  try {
    const parsed = new URL(text, location.href);
    return parsed.protocol === "http:" || parsed.protocol === "https:" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function open(url: URL): void {
  const iframe = document.createElement("iframe");
  iframe.allow = "clipboard-read; clipboard-write; fullscreen";
  iframe.src = url.href;
  host.pair(iframe, { origins: [url.origin], title: url.href });
  document.body.append(iframe);
  document.title = url.host;
  const bridge = new URL("icdp/host", location.href);
  bridge.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  bridge.search = "";
  host.connectRelay(bridge.href);
  let connected = false;
  let relay = "";
  const show = (): void => {
    state.textContent = `${url.href} - frame ${connected ? "paired" : "not paired"} - hub ${relay}`;
  };
  host.onTargets((targets) => {
    connected = targets.some((t) => t.connected);
    show();
  });
  host.onState((s) => {
    relay = s.relay + (s.reason ? ` (${s.reason})` : "");
    show();
  });
}
