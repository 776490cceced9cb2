// alert, confirm and prompt. They must block the page until a client has
// answered, so the agent sends a synchronous POST /dialog. The hub asks the
// clients itself, because the Host may share the page's thread and be blocked too.

import type { Protocol } from "../../cdp";
import type { DialogAnswer, DialogRequest } from "../../wire/http";
import type { HubAccess } from "../../wire/frame";
import { frameOfDocument, mainFrame, urlOf } from "./frames";
import { carried, carriedTarget, carryDriven } from "../link/framename";
import { dialogKey, hubBase, hubTarget, isAdopted } from "../link/hub";
import { originals } from "../base/originals";
import { allSessions, emit } from "../base/session";

type Kind = "alert" | "confirm" | "prompt";

/** What has become of a dialog; undefined: the browser is to show its own. */
type Outcome = { accept: boolean; text: string } | undefined;

/** Replaces the dialogs of a window. Without a session that has Page enabled they are the browser's own. */
export function installDialogs(win: Window & typeof globalThis): void {
  const { alert, confirm, prompt, print } = win;
  win.alert = function (...args: unknown[]): void {
    // alert(undefined) shows "undefined"; confirm and prompt show nothing (HTML, "simple dialogs").
    if (!show(win, "alert", args.length ? String(args[0]) : "")) Reflect.apply(alert, win, args);
  };
  win.confirm = function (message = ""): boolean {
    const shown = show(win, "confirm", message);
    return shown ? shown.accept : confirm.call(win, message);
  };
  win.prompt = function (message = "", text = ""): string | null {
    const shown = show(win, "prompt", message, text);
    if (!shown) return prompt.call(win, message, text);
    return shown.accept ? shown.text : null;
  };
  win.print = function (): void {
    if (!clientsAnswerDialogs()) print.call(win); // nobody could close the browser's window
  };
  for (const name of ["alert", "confirm", "prompt", "print"])
    Object.defineProperty(win[name as Kind], "name", { value: name });
}

/** Whether clients answer this Target's dialogs; before the welcome, whether they answered the last document's. */
function clientsAnswerDialogs(): boolean {
  if (!isAdopted()) return carried("d");
  for (const s of allSessions()) if (s.enabled.has("Page")) return true;
  return false;
}

const STORED = "__hubAgent.dialogs.";
/** How long what a document leaves may wait for the next one. A frame that was removed has none. */
const KEPT_MS = 60_000;

/** A child frame's name is its parent's to read. */
const isOutermost = (): boolean => !mainFrame().parentId && mainFrame().id === hubTarget();

/** Tells the next document by its name whether it is driven, and clients of dialogs from before this one's welcome. */
export function noteDriven(): void {
  for (const d of earlyDialogs.splice(0)) tell(d);
  if (isOutermost()) carryDriven(clientsAnswerDialogs(), hubTarget());
}

/** Leaves for the next document what it must know before the welcome. The key is nobody's but this origin's, unlike the name. */
export function leaveAccess(): void {
  if (!isAdopted() || !clientsAnswerDialogs() || !isOutermost()) return;
  try {
    const left: Left = { base: hubBase(), key: dialogKey(), at: originals.now() };
    sessionStorage.setItem(STORED + hubTarget(), originals.stringify(left));
  } catch {
    // Storage is blocked: dialogs before the welcome are closed at once.
  }
}

type Left = HubAccess & { at: number };

/** The document has its welcome: nothing that was left stays in the app's storage. */
export function forgetAccess(): void {
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (!name.startsWith(STORED)) continue;
      const { at } = originals.parse(sessionStorage.getItem(name) ?? "{}") as Left;
      if (name === STORED + hubTarget() || !(originals.now() - at < KEPT_MS)) sessionStorage.removeItem(name);
    }
  } catch {
    // as above
  }
}

/** What the document before has left. */
function stored(): HubAccess {
  try {
    return { ...originals.parse(sessionStorage.getItem(STORED + carriedTarget()) ?? "{}"), targetId: carriedTarget() };
  } catch {
    return {};
  }
}

const headless = navigator.userAgent.includes("Headless");

/**
 * Without a client the browser asks its user. A headless browser has none, and the dialog is closed as
 * Chromium's own would be.
 */
function undrivenOutcome(type: Kind): Outcome {
  return headless ? { accept: type === "alert", text: "" } : undefined;
}

function show(win: Window, type: Kind, message: unknown, defaultPrompt: unknown = ""): Outcome {
  if (!clientsAnswerDialogs()) return undrivenOutcome(type);
  const frame = frameOfDocument(win.document) ?? mainFrame();
  const dialog = {
    url: urlOf(frame),
    frameId: frame.id,
    message: String(message),
    type,
    defaultPrompt: String(defaultPrompt),
  } satisfies Dialog;
  const { base, key, targetId } = isAdopted() ? { base: hubBase(), key: dialogKey(), targetId: hubTarget() } : stored();
  if (!isAdopted() && frame === mainFrame()) dialog.frameId = targetId ?? frame.id;
  if (!base || !key) return closeUnasked(dialog);
  const request = new originals.XMLHttpRequest();
  try {
    originals.xhrOpen.call(request, "POST", `${base}/dialog`, false);
    originals.xhrSend.call(request, originals.stringify({ ...dialog, targetId, key } satisfies DialogRequest));
  } catch {
    // The page's policy (connect-src, sync-xhr) or an unreachable hub: in
    // script they cannot be told apart.
    return closeUnasked(dialog);
  }
  if (request.status !== 200) return undrivenOutcome(type);
  const answer = originals.parse(request.responseText) as DialogAnswer;
  return answer.native === true
    ? undrivenOutcome(type)
    : { accept: answer.accept === true, text: String(answer.text ?? "") };
}

/**
 * No client can be asked, and a native dialog would stay open for ever. Clients are told of a dialog
 * that was closed at once.
 */
function closeUnasked(dialog: Dialog): Outcome {
  if (isAdopted()) tell(dialog);
  else earlyDialogs.push(dialog);
  return { accept: dialog.type === "alert", text: "" };
}

type Dialog = Omit<Protocol.Page.JavascriptDialogOpeningEvent, "hasBrowserHandler">;

/** Dialogs that were closed before a Host had adopted the document. */
const earlyDialogs: Dialog[] = [];

function tell(dialog: Dialog): void {
  emit("Page", "Page.javascriptDialogOpening", { ...dialog, hasBrowserHandler: true });
  emit("Page", "Page.javascriptDialogClosed", {
    frameId: dialog.frameId,
    result: dialog.type === "alert",
    userInput: "",
  });
}
