// The clipboard of a driven page. Script may use the system's clipboard only while its window has the focus and its
// user has just pressed something, which input of a Client does not count as. So what the page or a Client copies is
// kept here too, for what is pasted later.

import { wrapFunctions } from "./capture";
import { styleOf } from "../../flattree";
import { isTextControl } from "./change";
import { isEditable, isRich, selectedIn, selectionIn } from "./editable";
import { contextOf } from "./editcontext";
import { announce, command, edit, type Edit } from "./editing";
import { focused } from "./focus";
import { send } from "./point";
import { newTransfer } from "./transfer";

type Win = Window & typeof globalThis;

/** What is kept, by type. Pictures are Blobs. */
let kept = new Map<string, string | Blob>();

const keptText = (): string => String(kept.get("text/plain") ?? "");

/** The element that clipboard events go to: the one around the beginning of the selection. */
function place(el: Element): Element {
  const start = selectedIn(el)?.startContainer;
  return !start ? el : start.nodeType === 1 ? (start as Element) : (start.parentElement ?? el);
}

export function clip(el: Element, what: "copy" | "cut"): void {
  if ((el as HTMLInputElement).type === "password") return; // what it hides is not copied
  const target = place(el);
  tell(target, `before${what}`, newTransfer());
  const data = newTransfer();
  if (!tell(target, what, data)) {
    kept = new Map(data.types.filter((t) => t !== "Files").map((t) => [t, data.getData(t)]));
    return;
  }
  const text = selectedText(el);
  if (!text || (what === "cut" && !isEditable(el))) return;
  kept = new Map([["text/plain", text]]);
  const html = selectedMarkup(el);
  if (html) kept.set("text/html", html);
  if (what === "cut") command(el, "delete", { inputType: "deleteByCut", target });
}

export function selectedText(el: Element): string {
  // For email and number fields script can read the selected text, but not its offsets.
  if (isTextControl(el) && el.selectionStart !== null) return el.value.slice(el.selectionStart, el.selectionEnd ?? 0);
  return `${selectionIn(el) ?? ""}`;
}

/** The selected part of the document with the formatting around it; "" for a text control. */
export function selectedMarkup(el: Element): string {
  const range = selectedIn(el);
  if (!range) return "";
  const box = el.ownerDocument.createElement("div");
  box.append(range.cloneContents());
  const { commonAncestorContainer: common } = range;
  for (let at = common.nodeType === 1 ? (common as Element) : common.parentElement; at; at = at.parentElement) {
    if (styleOf(at).display !== "inline") break;
    const around = at.cloneNode() as Element;
    around.append(...box.childNodes);
    box.append(around);
  }
  const style = inheritedStyle(range.startContainer);
  for (const text of [...box.childNodes].filter((n) => n.nodeType === 3 && n.nodeValue)) {
    const span = box.ownerDocument.createElement("span");
    span.style.cssText = style;
    (text as Text).replaceWith(span);
    span.append(text);
  }
  return `<meta charset='utf-8'>${box.innerHTML}`;
}

/** What a text looks like: where it is pasted, it looks the same. */
function inheritedStyle(node: Node): string {
  let at = node.nodeType === 1 ? (node as Element) : node.parentElement;
  while (at?.parentElement && styleOf(at).display === "inline") at = at.parentElement;
  if (!at) return "";
  const style = styleOf(at);
  return [
    "color",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "letter-spacing",
    "text-transform",
    "white-space",
  ]
    .map((name) => `${name}: ${style.getPropertyValue(name)}; `)
    .join("");
}

/** Pastes what is kept; plainly without its formatting. */
export function paste(el: Element, plainly = false): void {
  const target = place(el);
  const dataTransfer = newTransfer();
  for (const [type, data] of kept) {
    if (typeof data !== "string") dataTransfer.items.add(new File([data], `image.${type.slice(6)}`, { type }));
    else if (!plainly || type === "text/plain") dataTransfer.setData(type, data);
  }
  if (!tell(target, "paste", dataTransfer) || !isEditable(el)) return;
  const text = keptText();
  const as: Edit = { inputType: "insertFromPaste", target };
  if (!isRich(el)) {
    const lines = el.localName === "input" ? text.replace(/[\r\n]+/g, " ") : text;
    if (text && announce(el, { ...as, data: text, text })) edit(el, "insertText", lines, { ...as, data: text });
    return;
  }
  const html = plainly ? "" : (kept.get("text/html") ?? asMarkup(text));
  if (contextOf(el)) announce(el, { ...as, dataTransfer });
  else if (plainly && text) {
    if (announce(el, { ...as, dataTransfer, text })) edit(el, "insertText", text, as);
  } else if (html && announce(el, { ...as, dataTransfer, text: "" })) {
    edit(el, "insertHTML", String(html), { ...as, dataTransfer });
  }
}

/** Text as Chromium pastes it into formatted text: each line but the first is a block. */
function asMarkup(text: string): string {
  const box = document.createElement("div");
  const lines = text.split(/\r?\n/).map((line) => {
    box.textContent = line;
    return box.innerHTML.replace(/^ | $| (?= )/g, "&nbsp;");
  });
  return lines.length < 2 ? lines.join("") : lines.map((line) => `<div>${line || "<br>"}</div>`).join("");
}

function tell(el: Element, type: string, clipboardData: DataTransfer): boolean {
  const { ClipboardEvent } = el.ownerDocument.defaultView ?? window;
  return send(el, new ClipboardEvent(type, { bubbles: true, cancelable: true, composed: true, clipboardData }));
}

const served = new WeakSet<Win>();

/** Lets the page of a window copy and paste by script, once a Client has pressed something in it. */
export function serveClipboard(win: Win): void {
  const { Clipboard } = win;
  if (!Clipboard || served.has(win)) return; // it is in secure contexts only
  served.add(win);
  wrapFunctions(() => serveCommand(win));
  wrapFunctions(() => wrapClipboard(Clipboard.prototype, win));
}

function wrapClipboard(prototype: Clipboard, win: Win): void {
  const { read, readText, writeText, write } = prototype;
  prototype.readText = async function (): Promise<string> {
    return unlessDenied(readText.call(this), () => keptText() || undefined);
  };
  prototype.read = async function (...args: []): Promise<ClipboardItem[]> {
    return unlessDenied(read.apply(this, args), () => {
      const items = Array.from(kept, ([type, data]) => [type, new win.Blob([data], { type })] as const);
      return items.length ? [new win.ClipboardItem(Object.fromEntries(items))] : undefined;
    });
  };
  prototype.writeText = async function (text: string): Promise<void> {
    await unlessDenied(writeText.call(this, text), () => null);
    kept = new Map([["text/plain", String(text)]]);
  };
  prototype.write = async function (items: ClipboardItem[]): Promise<void> {
    const written = write.call(this, items);
    const found = new Map<string, string | Blob>();
    const readItem = async (): Promise<null> => {
      for (const type of items[0]?.types ?? []) {
        const blob = await items[0].getType(type);
        found.set(type, /^text\//.test(type) ? await blob.text() : blob);
      }
      return null;
    };
    await unlessDenied(written, readItem);
    if (!found.size) await readItem();
    kept = found;
  };
}

function serveCommand(win: Win): void {
  const { Document } = win;
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

/** What the browser answers, or if it denies the page its clipboard, what is kept. */
async function unlessDenied<T>(native: Promise<T>, own: () => unknown): Promise<T> {
  try {
    return await native;
  } catch (e) {
    const instead = isDenied(e) ? await own() : undefined;
    if (instead === undefined) throw e;
    return instead as T;
  }
}
