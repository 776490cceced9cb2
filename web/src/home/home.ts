// The home page of a hub: what runs, and buttons that copy. The page itself contains no data about what runs. This
// script requests it, with the token that the user has entered, if one is needed. The token is sent in a header and
// never in a cookie, so that no other page can use it. It stays in the tab's sessionStorage.

import type * as wire from "../wire/state";

const KEY = "cdphubToken";
const EVERY_MS = 3_000;

/** The data of /home.json; server/home.go writes it. */
interface Status {
  version: string;
  hubs: Hub[];
}

type Hub = Pick<wire.Hub, "hub" | "path" | "hostConnected" | "hostHangs" | "browser" | "clients"> & {
  targets: number;
  /** Absent if the token may not see the targets. */
  pages?: { title: string; url: string }[];
};

const { status: address = "", token: role = "" } = document.body.dataset;
const login = byId<HTMLFormElement>("login");
const input = byId<HTMLInputElement>("token");
const problem = byId("problem");
const version = byId("version");
const leave = byId("leave");

function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

login.onsubmit = (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, input.value.trim());
  input.value = "";
  void refresh();
};

leave.onclick = () => {
  sessionStorage.removeItem(KEY);
  clear();
  ask();
  input.focus();
};

/** Shows the form for the token. */
function ask(wrong = ""): void {
  login.hidden = false;
  leave.hidden = true;
  fail(wrong);
}

function fail(text: string): void {
  problem.textContent = text;
  problem.hidden = !text;
}

/** The last answer. The page is rendered again only if the answer has changed. */
let last = "";

function clear(): void {
  byId("hubs").replaceChildren();
  version.textContent = "";
  last = "";
}

async function refresh(): Promise<void> {
  const token = sessionStorage.getItem(KEY) ?? "";
  if (role && !token) return ask();
  try {
    const answer = await fetch(address, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    if (answer.status === 401 || answer.status === 429) {
      sessionStorage.removeItem(KEY);
      clear();
      return ask(
        answer.status === 401 ? `This token is not valid for the role "${role}" on this hub.` : await answer.text(),
      );
    }
    const text = await answer.text();
    if (!answer.ok) return fail(text);
    login.hidden = true;
    leave.hidden = !role;
    fail("");
    if (text !== last) show(JSON.parse(text));
    last = text;
  } catch {
    fail("The hub does not answer. This page goes on trying.");
  }
}

function show(status: Status): void {
  byId("hubs").replaceChildren(...status.hubs.map(card));
  version.textContent = `cdphub ${status.version}`;
}

function card(hub: Hub): HTMLElement {
  const div = document.createElement("div");
  const name = element("h3", hub.hub === "" ? "Default hub" : "");
  if (hub.hub !== "") name.append(Object.assign(element("a", hub.hub), { href: `${hub.path}/` }));
  const state = element("p", stateOf(hub));
  state.className = `state ${hub.hostHangs ? "bad" : hub.hostConnected || hub.browser ? "good" : ""}`;
  div.append(name, state);
  if (hub.pages?.length) {
    const list = document.createElement("ul");
    list.className = "plain";
    list.append(
      ...hub.pages.map(({ title, url }) => {
        const item = element("li", title || "(no title)");
        item.append(document.createElement("br"), Object.assign(element("span", url), { className: "faint" }));
        return item;
      }),
    );
    div.append(list);
  }
  return div;
}

function stateOf(hub: Hub): string {
  const clients = hub.clients > 0 ? ` ${count(hub.clients, "client")} connected.` : "";
  if (hub.hostHangs) return `The Host page does not answer.${clients}`;
  if (hub.hostConnected) return `${count(hub.targets, "target")}.${clients || " No client is connected."}`;
  if (hub.browser) return `The browser starts with the first client.${clients}`;
  return `No page is open, so there is nothing to drive.${clients}`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

function element(tag: string, text: string): HTMLElement {
  return Object.assign(document.createElement(tag), { textContent: text });
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
  button.hidden = !navigator.clipboard; // it exists only in secure contexts: https, and loopback
  button.onclick = async () => {
    await navigator.clipboard.writeText(byId(button.dataset.copy ?? "").textContent ?? "");
    byId("copied").textContent = "Copied.";
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  };
}

void refresh();
setInterval(() => {
  if (!document.hidden && (!role || sessionStorage.getItem(KEY))) void refresh();
}, EVERY_MS);
