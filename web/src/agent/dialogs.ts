// alert, confirm and prompt. With a session that has Page enabled they do not
// block: the client is told that one opened and closed, alert as accepted, the
// others as dismissed. Without one they are the browser's own.

import { frameOfDocument, mainFrame, urlOf } from "./frames";
import { allSessions, emit } from "./session";

type Kind = "alert" | "confirm" | "prompt";

/** Replaces the dialogs of a window. */
export function installDialogs(win: Window & typeof globalThis): void {
  const native = { alert: win.alert.bind(win), confirm: win.confirm.bind(win), prompt: win.prompt.bind(win) };
  win.alert = function alert(message?: unknown): void {
    if (!driven()) return native.alert(message);
    show(win, "alert", message);
  };
  win.confirm = function confirm(message?: string): boolean {
    if (!driven()) return native.confirm(message);
    return show(win, "confirm", message);
  };
  win.prompt = function prompt(message?: string, text?: string): string | null {
    if (!driven()) return native.prompt(message, text);
    show(win, "prompt", message, text);
    return null;
  };
}

function driven(): boolean {
  for (const s of allSessions()) if (s.enabled.has("Page")) return true;
  return false;
}

function show(win: Window, type: Kind, message: unknown, defaultPrompt?: unknown): boolean {
  const frame = frameOfDocument(win.document) ?? mainFrame();
  const accepted = type === "alert";
  emit("Page", "Page.javascriptDialogOpening", {
    url: urlOf(frame),
    frameId: frame.id,
    message: message === undefined ? "" : String(message),
    type,
    hasBrowserHandler: true,
    defaultPrompt: defaultPrompt === undefined ? "" : String(defaultPrompt),
  });
  emit("Page", "Page.javascriptDialogClosed", { frameId: frame.id, result: accepted, userInput: "" });
  return accepted;
}
