// alert, confirm and prompt. They must block the page until a Client has
// answered, so the agent sends a synchronous POST /dialog. The hub asks the
// Clients itself, because the Host may share the page's thread and be blocked too.

import type { Protocol } from "../../cdp";
import type { DialogAnswer, DialogRequest } from "../../wire/http";
import { frameOfDocument, mainFrame, urlOf } from "./frames";
import { carried, carriedTarget, carryDriven } from "../link/framename";
import { kept, leaving } from "../link/kept";
import { dialogKey, hubBase, hubTarget, isAdopted } from "../link/hub";
import { uplink } from "../link/uplink";
import { originals } from "../base/originals";
import { allSessions, emit } from "../base/session";

type Kind = "alert" | "confirm" | "prompt" | "beforeunload";

/** How a dialog was closed. Undefined: the browser shows its own dialog. */
type Outcome = { accept: boolean; text: string } | undefined;

/** Replaces the dialogs of a window. Without a session that has Page enabled they are the browser's own. */
export function installDialogs(win: Window & typeof globalThis): void {
  const { alert, confirm, prompt, print } = win;
  Object.assign(win, {
    alert(...args: unknown[]): void {
      // alert(undefined) shows "undefined"; confirm and prompt show nothing (HTML, "simple dialogs").
      if (!show(win, "alert", args.length ? String(args[0]) : "")) Reflect.apply(alert, win, args);
    },
    confirm(message = ""): boolean {
      const shown = show(win, "confirm", message);
      return shown ? shown.accept : confirm.call(win, message);
    },
    prompt(message = "", text = ""): string | null {
      const shown = show(win, "prompt", message, text);
      if (!shown) return prompt.call(win, message, text);
      return shown.accept ? shown.text : null;
    },
    print(): void {
      if (!clientsAnswerDialogs()) print.call(win); // no Client could close the print dialog
    },
  });
}

/** Asks the Clients whether the document of a window may be left. */
export const askToLeave = (win: Window): Outcome => show(win, "beforeunload", "");

/** Whether Clients answer this Target's dialogs; before the welcome, whether they answered the last document's. */
export function clientsAnswerDialogs(): boolean {
  if (!isAdopted()) return carried("d");
  for (const s of allSessions()) if (s.enabled.has("Page")) return true;
  return false;
}

/**
 * Only the outermost document stores data in its frame's name: the name of a child frame belongs to the page around
 * it.
 */
const isOutermost = (): boolean => !mainFrame().parentId && mainFrame().id === hubTarget();

/** Stores in the frame's name whether Clients drive this Target. Also reports dialogs from before the welcome. */
export function storeDriven(): void {
  for (const d of earlyDialogs.splice(0)) tell(d);
  if (isOutermost()) carryDriven(clientsAnswerDialogs(), hubTarget());
}

// The next document may ask before its welcome. The key goes where only this origin can read it.
leaving.push(() => {
  if (!isAdopted()) return { base: kept.base, key: kept.key };
  return clientsAnswerDialogs() && isOutermost() ? { base: hubBase(), key: dialogKey() } : {};
});

/** How a dialog ends that no Client could be asked about. */
const isAccepted = (type: string): boolean => type === "alert" || type === "beforeunload";

const headless = navigator.userAgent.includes("Headless");

/**
 * Without a Client the browser asks its user. A headless browser has none, and the dialog is closed as
 * Chromium's own would be.
 */
function undrivenOutcome(type: Kind): Outcome {
  return headless ? { accept: isAccepted(type), text: "" } : undefined;
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
  const { base, key, targetId } = isAdopted()
    ? { base: hubBase(), key: dialogKey(), targetId: hubTarget() }
    : { ...kept, targetId: carriedTarget() };
  if (!isAdopted() && frame === mainFrame()) dialog.frameId = targetId ?? frame.id;
  if (!base || !key) return closeUnasked(dialog);
  if (isAdopted()) uplink.control({ icdp: "asks" });
  const request = new originals.XMLHttpRequest();
  try {
    originals.xhrOpen.call(request, "POST", `${base}/dialog`, false);
    originals.xhrSend.call(request, originals.stringify({ ...dialog, targetId, key } satisfies DialogRequest));
  } catch {
    // The page's policy (connect-src, sync-xhr) or an unreachable hub: script cannot distinguish them.
    return closeUnasked(dialog);
  }
  if (request.status !== 200) return undrivenOutcome(type);
  const answer = originals.parse(request.responseText) as DialogAnswer;
  return answer.native === true
    ? undrivenOutcome(type)
    : { accept: answer.accept === true, text: String(answer.text ?? "") };
}

/**
 * No Client can be asked, and a native dialog would stay open for ever. Clients get the events of a dialog that was
 * closed at once.
 */
function closeUnasked(dialog: Dialog): Outcome {
  if (isAdopted()) tell(dialog);
  else earlyDialogs.push(dialog);
  return { accept: isAccepted(dialog.type), text: "" };
}

type Dialog = Omit<Protocol.Page.JavascriptDialogOpeningEvent, "hasBrowserHandler">;

/** Dialogs that were closed before a Host had adopted the document. */
const earlyDialogs: Dialog[] = [];

function tell(dialog: Dialog): void {
  emit("Page", "Page.javascriptDialogOpening", { ...dialog, hasBrowserHandler: true });
  emit("Page", "Page.javascriptDialogClosed", {
    frameId: dialog.frameId,
    result: isAccepted(dialog.type),
    userInput: "",
  });
}
