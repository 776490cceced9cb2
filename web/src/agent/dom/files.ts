// File choosers, which a Client answers instead of the user.

import { type Win, allFrames, frameOfDocument, mainFrame } from "../page/frames";
import { settleClick } from "../windows/popups";
import { idOfNode } from "./nodes";
import { register } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";

const { apply } = Reflect;

/** Sessions that answer file choosers. The value says whether the input gets its cancel event at once. */
const answering = new Map<Session, boolean>();
/** Sessions that receive Page.fileChooserOpened. */
const listening = new Set<Session>();

/** Whether there is such a session. Only then the agent listens for clicks. */
let choosing = false;

/** Changes the two lists, and adds or removes the click listeners. */
function change(f: () => void): void {
  f();
  choosing = answering.size > 0 || listening.size > 0;
  for (const { win } of allFrames()) if (win) listenForChoosers(win);
}

onSessionEnd((s) =>
  change(() => {
    answering.delete(s);
    listening.delete(s);
  }),
);

/** Whether something is a file input. */
export const fileInput = (node: unknown): node is HTMLInputElement => {
  const input = node as Partial<HTMLInputElement> | undefined;
  return input?.localName === "input" && input.type === "file";
};

/**
 * Wraps click() and showPicker() of a window. A click() on an input that is in no document reaches no listener of the
 * window.
 */
export function installChoosers(win: Win): void {
  const proto = win.HTMLInputElement.prototype;
  const { showPicker } = proto;
  const { click } = win.HTMLElement.prototype;
  win.HTMLElement.prototype.click = named("click", function (this: HTMLElement): void {
    if (choosing && fileInput(this) && !this.isConnected) watch(this);
    apply(click, this, []);
    settleClick();
  });
  if (showPicker)
    proto.showPicker = named("showPicker", function (this: HTMLInputElement): void {
      const ours = fileInput(this) && !this.disabled;
      if (ours && choosing) opened(this);
      if (!ours || !answering.size) showPicker.call(this);
    });
}

function named<F extends object>(name: string, f: F): F {
  return Object.defineProperty(f, "name", { value: name });
}

/** Listens for clicks that open choosers in a window; again after document.open. */
export function listenForChoosers(win: Win): void {
  if (choosing) win.addEventListener("click", clicked, true);
  else win.removeEventListener("click", clicked, true);
}

function clicked(e: Event): void {
  const input = e.composedPath()[0];
  if (fileInput(input)) watch(input);
}

/**
 * Adds a last listener to the input, which decides after the input's own listeners. A listener of the document might
 * not get the event at all.
 */
function watch(input: HTMLInputElement): void {
  input.addEventListener(
    "click",
    (e) => {
      if (e.defaultPrevented || input.disabled) return;
      if (answering.size) e.preventDefault();
      opened(input);
    },
    { once: true },
  );
}

function opened(input: HTMLInputElement): void {
  const frame = frameOfDocument(input.ownerDocument) ?? mainFrame();
  const mode = input.multiple || input.webkitdirectory ? "selectMultiple" : "selectSingle";
  for (const s of new Set([...answering.keys(), ...listening]))
    s.emit("Page.fileChooserOpened", { frameId: frame.id, mode, backendNodeId: idOfNode(input) });
  const win = input.ownerDocument.defaultView ?? window;
  if ([...answering.values()].includes(true)) input.dispatchEvent(new win.Event("cancel", { bubbles: true }));
}

register("Page", {
  setInterceptFileChooserDialog: (p, s) => {
    change(() => {
      if (p.enabled === true) answering.set(s, p.cancel === true);
      else answering.delete(s);
    });
  },
  enable: (p, s) => {
    if (p.enableFileChooserOpenedEvent === true) change(() => listening.add(s));
  },
  disable: (_p, s) => {
    change(() => {
      listening.delete(s);
      answering.delete(s);
    });
  },
});
