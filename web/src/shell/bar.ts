// The bar of the ready-made Host page: what it shows, and what is wrong.

import type { HostState } from "../host/index";

const PAGES: Record<HostState["relay"], [text: string, look: "good" | "bad" | ""]> = {
  off: ["Not connected to the hub", "bad"],
  connecting: ["Connecting to the hub", ""],
  connected: ["Connected to the hub", "good"],
  waiting: ["No connection to the hub, trying again", "bad"],
  replaced: ["Another page has the hub", "bad"],
};

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Sets a text only if it is another one, since screen readers read each change of a live region. */
export function write(id: string, text: string, look?: string): void {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
  if (look !== undefined) element.className = `state ${look}`;
}

/** The state of the hub, and how many Clients drive. */
export function showHub(state: HostState, clients?: number): void {
  const [text, look] = PAGES[state.relay];
  const driven = clients === undefined ? "" : `, ${clients || "no"} ${clients === 1 ? "client" : "clients"} connected`;
  write("hub", state.relay === "connected" ? text + driven : text, look);
}

/** How many frames are paired. `wrong`: the others had enough time. */
export function showPaired(paired: number, all: number, wrong: boolean): void {
  if (paired === all) return write("paired", all === 1 ? "Frame paired" : `${all} frames paired`, "good");
  const some = all > 1 ? `${paired} of ${all} frames paired` : wrong ? "Frame not paired" : "Waiting for the frame";
  write("paired", some, wrong ? "bad" : "");
}

/** What is wrong and what to do. `use`, `login` and `back` show the button or form for it. */
interface Notice {
  text: string;
  use?: boolean;
  login?: boolean;
  back?: boolean;
}

export function notify(notice?: Notice): void {
  byId("notice").hidden = !notice;
  byId("use").hidden = !notice?.use;
  byId("login").hidden = !notice?.login;
  byId("back").hidden = !notice?.back;
  write("why", notice?.text ?? "");
}
