// Input.dispatchKeyEvent: the events of a key, then what the key does.

import { serveClipboard } from "./clipboard";
import { isEditable } from "./editable";
import { insertText } from "./editing";
import { focused } from "./focus";
import { type KeyParams, keyDownAction, keyUpAction } from "./keys";
import { typeAhead } from "./widgets";
import { modifiersOf, send } from "./point";
import { macrotask } from "./macrotask";

/** The names of keys that some Clients send as a character. */
const names: Record<string, string> = {
  "\t": "Tab",
  "\r": "Enter",
  "\n": "Enter",
  "\b": "Backspace",
  "\x1b": "Escape",
  "\x7f": "Delete",
};

/** Input.dispatchKeyEvent. */
export async function dispatchKeyEvent(params: KeyParams): Promise<void> {
  const p = { ...params, key: names[params.key ?? ""] ?? params.key };
  if (p.type !== "keyUp") serveClipboard(focused().ownerDocument.defaultView!);
  switch (p.type) {
    case "keyDown":
      return (await due("keydown", p)) ? pressed(p) : undefined;
    case "rawKeyDown":
      return (await due("keydown", p)) ? keyDownAction(focused(), p) : undefined;
    case "char":
      return typed(p);
    case "keyUp":
      return (await due("keyup", p)) ? keyUpAction(focused(), p) : undefined;
  }
}

/**
 * The default action of keyDown. A key with text types it at keypress. Other keys act now, and so do Tab, and Enter
 * on a link.
 */
function pressed(p: KeyParams): void | Promise<void> {
  const { ctrlKey, metaKey } = modifiersOf(p);
  const early = p.key === "Tab" || p.key === "\t" || (p.key === "Enter" && focused().matches("a[href], area[href]"));
  // The text of a shortcut may be "\x01"
  const shortcut = (ctrlKey || metaKey) && (p.text ?? "").length === 1 && (p.key ?? "").length === 1;
  if (!p.text || early || shortcut) return keyDownAction(focused(), p);
  return typed(p);
}

async function typed(p: KeyParams): Promise<void> {
  const text = p.text ?? "";
  const enter = text === "\r" || text === "\n";
  const key = enter ? "Enter" : text;
  if (!(await due("keypress", { ...p, key, code: p.code ?? (enter ? "Enter" : "") }, enter ? 13 : text.codePointAt(0))))
    return;
  const el = focused();
  if (enter || (text === " " && !isEditable(el)) || (text < " " && (p.key ?? "").length > 1))
    keyDownAction(el, { ...p, key: enter ? "Enter" : p.key || text });
  else if (el.localName === "select") typeAhead(el as HTMLSelectElement, text);
  else if (text >= " ") insertText(el, text); // control characters type nothing
}

/**
 * Dispatches a key event and waits for the tasks of its listeners. Returns whether its default action may happen.
 */
async function due(type: string, p: KeyParams, charCode = 0): Promise<boolean> {
  const unprevented = fire(type, p, charCode);
  await macrotask();
  return unprevented;
}

/** Dispatches a key event to the focused element. Returns whether its default action may happen. */
function fire(type: string, p: KeyParams, charCode = 0): boolean {
  const el = focused();
  const win = el.ownerDocument.defaultView ?? window;
  const keyCode = charCode || p.windowsVirtualKeyCode || 0;
  const event = new win.KeyboardEvent(type, {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: win,
    key: p.key ?? "",
    code: p.code ?? "",
    location: p.location ?? 0,
    repeat: p.autoRepeat === true,
    ...modifiersOf(p),
    keyCode,
    which: keyCode,
  } as KeyboardEventInit);
  // charCode is not part of the init: WebKit would push a button for it, and submit a form.
  if (charCode) Object.defineProperty(event, "charCode", { value: charCode });
  return send(el, event);
}
