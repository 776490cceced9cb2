// alert, confirm and prompt, which block the page until a client has answered:
// a synchronous request holds it, and the hub that answers the request speaks
// with the clients itself, since the Host may be blocked with the page.

import type { Json } from "../protocol";
import { frameOfDocument, mainFrame, urlOf } from "./frames";
import { dialogKey, hubBase, hubTarget } from "./hub";
import { originals } from "./originals";
import { allSessions, emit } from "./session";

type Kind = "alert" | "confirm" | "prompt";

/** What has become of a dialog; undefined: the browser is to show its own. */
type Outcome = { accept: boolean; text: string } | undefined;

/** Replaces the dialogs of a window. Without a session that has Page enabled they are the browser's own. */
export function installDialogs(win: Window & typeof globalThis): void {
  const { alert, confirm, prompt, print } = win;
  win.alert = function (...args: unknown[]): void {
    // Unlike the others', its undefined is a text if it is there at all.
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
    if (!driven()) print.call(win); // nobody could close the browser's window
  };
  for (const name of ["alert", "confirm", "prompt", "print"]) Object.defineProperty(win[name as Kind], "name", { value: name });
}

function driven(): boolean {
  for (const s of allSessions()) if (s.enabled.has("Page")) return true;
  return false;
}

function show(win: Window, type: Kind, message: unknown, defaultPrompt: unknown = ""): Outcome {
  if (!driven()) return undefined;
  const frame = frameOfDocument(win.document) ?? mainFrame();
  const dialog = {
    url: urlOf(frame), frameId: frame.id, message: String(message), type, defaultPrompt: String(defaultPrompt),
  };
  const base = hubBase();
  const key = dialogKey();
  if (!base || !key) return unasked(dialog);
  const request = new originals.XMLHttpRequest();
  try {
    originals.xhrOpen.call(request, "POST", `${base}/dialog`, false);
    originals.xhrSend.call(request, originals.stringify({ ...dialog, targetId: hubTarget(), key }));
  } catch {
    // The page's policy (connect-src, sync-xhr) or an unreachable hub: in
    // script they cannot be told apart.
    return unasked(dialog);
  }
  if (request.status !== 200) return undefined;
  const answer = originals.parse(request.responseText) as Json;
  return answer.native === true ? undefined : { accept: answer.accept === true, text: String(answer.text ?? "") };
}

/** Nobody can be asked, and a native dialog would stay for ever: clients hear of one that was closed at once. */
function unasked(dialog: { frameId: string; type: Kind }): Outcome {
  const accept = dialog.type === "alert";
  emit("Page", "Page.javascriptDialogOpening", { ...dialog, hasBrowserHandler: true });
  emit("Page", "Page.javascriptDialogClosed", { frameId: dialog.frameId, result: accept, userInput: "" });
  return { accept, text: "" };
}
