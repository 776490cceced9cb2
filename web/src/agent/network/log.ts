// The Log domain: what failed to load.

import type { Protocol } from "../../cdp";
import { register } from "../base/registry";
import { emit } from "../base/session";

const MAX = 100;
let entries: Protocol.Log.LogEntry[] = [];

/** Logs why script does not get a response. */
export function logRefusal(text: string, url: string, networkRequestId: string): void {
  add({ source: "javascript", level: "error", text, timestamp: Date.now(), url, networkRequestId });
}

/** Logs a request that failed, and why. */
export function logFailure(why: string, url: string, networkRequestId: string): void {
  const entry: Protocol.Log.LogEntry = {
    source: "network",
    level: "error",
    text: `Failed to load resource: ${why}`,
    timestamp: Date.now(),
    url,
    networkRequestId,
  };
  add(entry);
}

/** Logs a response whose status is an error. */
export function logStatus(status: number, text: string, url: string, networkRequestId: string): void {
  logFailure(`the server responded with a status of ${status} (${text})`, url, networkRequestId);
}

/** Logs something about a document that its Clients should know. */
export function logWarning(text: string, url: string): void {
  add({ source: "other", level: "warning", text, timestamp: Date.now(), url });
}

/** Logs a handler in markup that the policy of its document blocks. Chromium 156 gives its whole directive, too. */
export function logBlockedHandler(e: SecurityPolicyViolationEvent): void {
  const text = `Executing inline event handler violates the following Content Security Policy: "${e.originalPolicy}". The action has been blocked.`;
  const lineNumber = Math.max(e.lineNumber - 1, 0);
  add({ source: "security", level: "error", text, timestamp: Date.now(), url: e.sourceFile, lineNumber });
}

let adopted = false;

/** Tells the sessions of a document that has just been adopted what was logged before. */
export function tellEarlierLog(): void {
  if (!adopted) for (const entry of entries) emit("Log", "Log.entryAdded", { entry });
  adopted = true;
}

function add(entry: Protocol.Log.LogEntry): void {
  entries.push(entry);
  if (entries.length > MAX) entries.shift();
  emit("Log", "Log.entryAdded", { entry });
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
});
