// What people read in place of names and numbers of protocols.

import type { Entry } from "../api/wire";

/** What the commands of a timeline do. A test of internal/journal wants exactly the commands that are kept there. */
const COMMANDS: Record<string, string> = {
  "DOM.setFileInputFiles": "chose files",
  "Emulation.setDeviceMetricsOverride": "resized the page",
  "Input.dispatchDragEvent": "dropped something",
  "Input.dispatchKeyEvent": "typed",
  "Input.dispatchMouseEvent": "used the mouse",
  "Input.dispatchTouchEvent": "tapped",
  "Input.imeSetComposition": "typed",
  "Input.insertText": "typed",
  "Input.synthesizeScrollGesture": "scrolled",
  "Input.synthesizeTapGesture": "tapped",
  "Page.close": "closed the page",
  "Page.handleJavaScriptDialog": "answered a dialog",
  "Page.navigate": "opened an address",
  "Page.navigateToHistoryEntry": "went back or forward",
  "Page.reload": "reloaded the page",
  "Page.setDocumentContent": "replaced the document",
};

/** A command in words. */
export function inWords(method: string): string {
  return COMMANDS[method] ?? method;
}

/** What comes before the text of an entry, by its kind. That of a command or of a takeover is a sentence. */
const KINDS: Record<string, string> = {
  navigation: "the page is at",
  console: "the console says",
  error: "error",
  request: "the page has asked for",
  picture: "a picture",
};

/** An entry of a timeline, as what somebody did or what happened. */
export function entryWords({
  kind,
  client,
  method,
  text,
}: Pick<Entry, "kind" | "client" | "method" | "text">): string[] {
  if (kind === "command") return [client ?? "", text || inWords(method ?? "")];
  return [[KINDS[kind], text].filter(Boolean).join(": ") || kind];
}

/** The close codes of RFC 6455 (7.4.1) and of the IANA registry. */
const CLOSE: Record<number, string> = {
  1000: "closed",
  1001: "went away",
  1002: "protocol error",
  1003: "data of a wrong type",
  1005: "closed",
  1006: "connection lost",
  1007: "invalid data",
  1008: "refused",
  1009: "message too big",
  1010: "an extension is missing",
  1011: "internal error",
  1012: "service restarts",
  1013: "overloaded: try again later",
  1014: "bad gateway",
  1015: "TLS failed",
};

/** Why a connection has ended. Every code has words, also those of programs. */
export function closeWords(code: number, reason: string): string {
  return (
    reason || CLOSE[code] || (code >= 3000 ? "closed by the program, without a reason" : "closed with an unknown code")
  );
}

/** Close codes of normal ends. */
export const NORMAL = new Set([1000, 1001, 1005]);
