// Words for numbers and times.

import type { Hub } from "../api/wire";

export function count(n: number, what: string): string {
  return `${n.toLocaleString()} ${what}${n === 1 ? "" : "s"}`;
}

/** How long ago something was: "now", "12 s ago", "3 min ago". */
export function ago(at: number, now: number): string {
  const s = Math.max(0, Math.round((now - at) / 1000));
  if (s < 2) return "now";
  if (s < 60) return `${s} s ago`;
  if (s < 3_600) return `${Math.floor(s / 60)} min ago`;
  return s < 86_400 ? `${Math.floor(s / 3_600)} h ago` : `${Math.floor(s / 86_400)} d ago`;
}

/** A rate, with as many digits as a reader needs. */
export function rate(n: number): string {
  return n > 0 && n < 10 ? n.toFixed(1) : Math.round(n).toLocaleString();
}

/** The name of a hub for people. That of a share of tokens is "HUB_SHARE". */
export function hubName(name: string): string {
  const [hub, share] = name.split("_");
  return share ? `${hub || "Default hub"} (${share})` : name || "Default hub";
}

/** The state of a hub, in a sentence. */
export function stateOf(hub: Hub): string {
  const clients = hub.clients > 0 ? `${count(hub.clients, "client")} connected.` : "No client is connected.";
  const targets = hub.targets?.length ?? 0;
  if (hub.hostHangs) return `The Host page does not answer. ${clients}`;
  if (hub.hostConnected || targets > 0) return `${count(targets, "target")}. ${clients}`;
  if (hub.browser) return `The browser starts with the first client. ${clients}`;
  return `No page is open, so there is nothing to drive. ${clients}`;
}
