// The clipboard of a driven page. Script may use the system's clipboard only while its window has the focus and its
// user has just pressed something, which input of a Client does not count as. So what the page or a Client copies is
// kept here too, for what is pasted later.

import { command, insertText, isTextControl } from "./editing";
import { focused } from "./focus";
import { send } from "./point";

type Win = Window & typeof globalThis;

let kept = "";

function selected(el: Element): string {
  // For email and number fields script can read the selected text, but not its offsets.
  if (!isTextControl(el) || el.selectionStart === null) return el.ownerDocument.getSelection()?.toString() ?? "";
  return el.value.slice(el.selectionStart, el.selectionEnd ?? 0);
}

export function clip(el: Element, what: "copy" | "cut"): void {
  const text = selected(el);
  const { due, data } = transfer(el, what, text);
  kept = due ? text || kept : data.getData("text/plain");
  if (due && what === "cut" && text) command(el, "delete", "deleteByCut");
}

export function paste(el: Element): void {
  if (transfer(el, "paste", kept).due && kept) insertText(el, kept, "insertFromPaste");
}

function transfer(el: Element, type: string, text: string): { due: boolean; data: DataTransfer } {
  const { ClipboardEvent } = el.ownerDocument.defaultView ?? window;
  const data = new DataTransfer();
  if (type === "paste") data.setData("text/plain", text);
  return {
    due: send(el, new ClipboardEvent(type, { bubbles: true, cancelable: true, composed: true, clipboardData: data })),
    data,
  };
}

const served = new WeakSet<Win>();

/** Lets the page of a window copy and paste by script, once a Client has pressed something in it. */
export function serveClipboard(win: Win): void {
  const prototype = win.Clipboard?.prototype; // only in secure contexts
  if (!prototype || served.has(win)) return;
  served.add(win);
  serveCommand(win);
  const { readText, writeText, write } = prototype;
  prototype.readText = async function (): Promise<string> {
    try {
      return await readText.call(this);
    } catch (e) {
      if (!isDenied(e) || !kept) throw e;
      return kept;
    }
  };
  prototype.writeText = async function (text: string): Promise<void> {
    await unlessDenied(writeText.call(this, text));
    kept = String(text);
  };
  prototype.write = async function (items: ClipboardItem[]): Promise<void> {
    const item = items?.[0];
    const text = item?.types.includes("text/plain") ? await (await item.getType("text/plain")).text() : "";
    const written = write.call(this, items);
    await (text ? unlessDenied(written) : written);
    kept = text;
  };
}

function serveCommand({ Document }: Win): void {
  const { execCommand } = Document.prototype;
  Document.prototype.execCommand = function (...args): boolean {
    if (execCommand.apply(this, args)) return true;
    const what = String(args[0]).toLowerCase();
    if (what !== "copy" && what !== "cut") return false;
    clip(focused(), what);
    return true;
  };
}

const isDenied = (e: unknown): boolean => (e as Error | undefined)?.name === "NotAllowedError";

async function unlessDenied(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (e) {
    if (!isDenied(e)) throw e;
  }
}
