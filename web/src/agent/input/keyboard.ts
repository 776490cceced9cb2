// Input.dispatchKeyEvent: the events of a key, then what the key does.

import { insertText, isEditable } from "./editing";
import { focused } from "./focus";
import { type KeyParams, keyDownAction, keyUpAction } from "./keys";
import { typeAhead } from "./widgets";
import { modifiersOf, send } from "./point";
import { macrotask } from "./macrotask";

/** Keys that some clients name by their character. */
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
 * A key with text goes on to type it; others do what they do, as Tab and a link's Enter already when
 * the key goes down.
 */
function pressed(p: KeyParams): void | Promise<void> {
  const { ctrlKey, metaKey } = modifiersOf(p);
  const early = p.key === "Tab" || p.key === "\t" || (p.key === "Enter" && focused().matches("a[href], area[href]"));
  const shortcut = (ctrlKey || metaKey) && (p.text ?? "").length === 1 && (p.key ?? "").length === 1; // its text may be "\x01"
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
  else if (text >= " ") insertText(el, text); // a control character types nothing
}

/** Sends a key event and reports, when all that its listeners have begun is done, whether its default action is due. */
async function due(type: string, p: KeyParams, charCode = 0): Promise<boolean> {
  const unprevented = fire(type, p, charCode);
  await macrotask();
  return unprevented;
}

/** Sends a key event to the focused element and reports whether its default action is due. */
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
  // Not in the event's own way: WebKit would push a button for it, and send a form.
  if (charCode) Object.defineProperty(event, "charCode", { value: charCode });
  return send(el, event);
}
