// The Log domain: resources of elements that failed to load.

import type { Json } from "../protocol";
import { register } from "./registry";
import { emit } from "./session";

const MAX = 100;
let entries: Json[] = [];

/** Watches a window for elements whose resource failed to load. */
export function installLog(win: Window & typeof globalThis): void {
  win.addEventListener("error", (e) => {
    const from = e.target;
    if (!(from instanceof win.Element)) return;
    const url = from.getAttribute("src") ?? from.getAttribute("href");
    if (!url) return;
    const entry = {
      source: "network",
      level: "error",
      text: "Failed to load resource",
      timestamp: Date.now(),
      url: new URL(url, from.baseURI).href,
    };
    entries.push(entry);
    if (entries.length > MAX) entries.shift();
    emit("Log", "Log.entryAdded", { entry });
  }, true);
}

register("Log", {
  enable: (_p, s) => {
    if (s.enabled.has("Log")) return;
    for (const entry of entries) s.emit("Log.entryAdded", { entry });
  },
  disable: () => {},
  clear: () => {
    entries = [];
  },
  startViolationsReport: () => {},
  stopViolationsReport: () => {},
});
