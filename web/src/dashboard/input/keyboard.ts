import type { KeyInput, ToView } from "../api/wire";
import { EscapeTwice } from "./escape";
import { keyInput, leavesToBrowser } from "./keys";

/** Says what is typed and pasted in a field, until the function that it returns is called. */
export function listenToKeyboard(
  element: Pick<HTMLTextAreaElement, "value" | "addEventListener">,
  say: (message: ToView) => void,
): () => void {
  const escape = new EscapeTwice();
  const held = new Map<string, KeyInput>(); // by code: they are released when the field loses the focus

  const flush = () => {
    if (element.value) say({ kind: "paste", text: element.value });
    element.value = "";
  };
  const down = (e: KeyboardEvent) => {
    if (escape.pressed(e.key, e.repeat, e.timeStamp)) {
      e.preventDefault();
      return say({ kind: "release" });
    }
    if (leavesToBrowser(e)) return;
    e.preventDefault();
    say(keyInput("keyDown", e));
    held.set(e.code, { ...keyInput("keyUp", e), modifiers: 0 });
  };
  const up = (e: KeyboardEvent) => {
    if (!held.delete(e.code)) return; // the press of this key was not sent
    e.preventDefault();
    say(keyInput("keyUp", e));
  };
  const input = (e: Event) => {
    if (!(e as InputEvent).isComposing) flush();
  };
  const paste = (e: ClipboardEvent) => {
    e.preventDefault();
    const text = e.clipboardData?.getData("text/plain");
    if (text) say({ kind: "paste", text });
  };
  const blur = () => {
    for (const key of held.values()) say(key);
    held.clear();
  };

  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener("keydown", down, { signal });
  element.addEventListener("keyup", up, { signal });
  element.addEventListener("input", input, { signal });
  element.addEventListener("compositionend", flush, { signal });
  element.addEventListener("paste", paste, { signal });
  element.addEventListener("blur", blur, { signal });
  return () => {
    listening.abort();
    blur();
  };
}
