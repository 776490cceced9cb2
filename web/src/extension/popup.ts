// The popup of the toolbar button: shares the tab in front of it, or stops that.

/// <reference types="chrome" />

import { readHub } from "./address";
import type { Ask, State } from "./worker";

const text = (name: string, ...values: string[]) => chrome.i18n.getMessage(name, values);
const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const share = byId<HTMLButtonElement>("share");
const stopAll = byId<HTMLButtonElement>("stop-all");
const address = byId<HTMLInputElement>("address");
const token = byId<HTMLInputElement>("token");

for (const element of document.querySelectorAll<HTMLElement>("[data-text]")) {
  element.textContent = text(element.dataset.text!);
}

const ask = (message: Ask): Promise<State> => chrome.runtime.sendMessage(message);

async function start(): Promise<void> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const id = tab?.id ?? -1;
  const first = await ask({ do: "show", tab: id });
  address.value = first.address;
  token.value = first.token;
  show(first);

  share.onclick = async () => show(await ask({ do: share.dataset.do as "share" | "stop", tab: id }));
  stopAll.onclick = async () => show(await ask({ do: "stopAll", tab: id }));
  byId("form").onsubmit = async (event) => {
    event.preventDefault();
    byId("note").textContent = "";
    const hub = readHub(address.value);
    if ("wrong" in hub) {
      byId("note").textContent = text(hub.wrong);
      return;
    }
    show(await ask({ do: "set", tab: id, address: address.value.trim(), token: token.value.trim() }));
    byId("note").textContent = text("saved");
  };
  chrome.runtime.onMessage.addListener((message: unknown) => {
    if (message === "changed") void ask({ do: "show", tab: id }).then(show);
  });
}

function show(state: State): void {
  const words = [state.shared ? text("shared", state.hub) : text("notShared")];
  if (state.shared) words.push(state.drivers.length > 0 ? text("driven", state.drivers.join(", ")) : text("idle"));
  byId("state").textContent = words.join(" ");
  byId("warning").hidden = state.shared;
  share.dataset.do = state.shared ? "stop" : "share";
  share.textContent = text(state.shared ? "stop" : "share");
  stopAll.hidden = state.count < 2;
  stopAll.textContent = text("stopAll", String(state.count));
  byId("problem").textContent = state.problem || (state.shared && !state.connected ? text("connecting") : "");
}

void start();
