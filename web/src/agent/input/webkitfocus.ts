// Focus in WebKit. There focus() does nothing in a frame of another origin than the top page, until the user has
// pressed something in the frame. Until then this file remembers which element a Client has focused, fires the focus
// events, and lets document.activeElement return the element.

import { added } from "../base/added";
import { isWebKit } from "../base/engine";
import { reveal } from "../dom/geometry";
import { allFrames } from "../page/frames";
import { changed, setCaret } from "./change";
import { announceFocus, isFocusable } from "./focus";

type Win = Window & typeof globalThis;
type Root = Document | ShadowRoot;

const notedFocus = new WeakMap<Document, Element>();

declare module "../base/added" {
  interface Added {
    /** Wraps the functions of a window that set and read the focus, in browsers that withhold it. */
    installFocus(win: Win): void;
    /** Listens in a window. Called again after document.open. */
    listenForFocus(win: Win): void;
  }
}

function installFocus(win: Win): void {
  for (const proto of [win.HTMLElement.prototype, win.SVGElement.prototype]) wrapFocus(proto);
  for (const proto of [win.Document.prototype, win.ShadowRoot.prototype]) wrapActive(proto);
}

/** Drops the remembered focus when the browser focuses something in a window itself. */
function listenForFocus(win: Win): void {
  win.addEventListener(
    "focusin",
    (e) => {
      if (e.isTrusted) forgetFocus(win.document, e.target as Element);
    },
    true,
  );
}

function wrapFocus(proto: HTMLElement | SVGElement): void {
  const { focus, blur } = proto;
  Object.assign(proto, {
    focus(this: HTMLElement, options?: FocusOptions): void {
      focus.call(this, options);
      if (activeIn(this) !== this && isFocusable(this)) rememberFocus(this, options);
    },
    blur(this: HTMLElement): void {
      if (notedFocus.get(this.ownerDocument) === this) forgetFocus(this.ownerDocument, null);
      else blur.call(this);
    },
  });
}

function wrapActive(proto: Root): void {
  const native = Object.getOwnPropertyDescriptor(proto, "activeElement")!;
  Object.defineProperty(proto, "activeElement", {
    ...native,
    get(this: Root): Element | null {
      const active = native.get!.call(this) as Element | null;
      return rememberedIn(this) ?? active;
    },
  });
}

const activeIn = (el: Element): Element | null => (el.getRootNode() as Partial<Root>).activeElement ?? null;

/**
 * The remembered element of a document, seen from one of its roots: the element itself, or the host of the shadow
 * tree that it is in.
 */
function rememberedIn(root: Root): Element | undefined {
  const doc = root.ownerDocument ?? (root as Document);
  let el = notedFocus.get(doc);
  if (!el?.isConnected) return undefined;
  for (let at = el.getRootNode(); at !== root; at = el.getRootNode()) {
    if (!("host" in at)) return undefined;
    el = (at as ShadowRoot).host;
  }
  return el;
}

function rememberFocus(el: HTMLElement, options?: FocusOptions): void {
  const doc = el.ownerDocument;
  const old = doc.activeElement;
  takeCaret(el);
  if (activeIn(el) === el) return; // in a frame that has the focus, setting the caret has focused the element
  if (notedFocus.has(doc)) forgetFocus(doc, el);
  else if (old && old !== doc.body) (old as HTMLElement).blur();
  notedFocus.set(doc, el);
  const owner = doc.defaultView?.frameElement;
  if (owner && owner.ownerDocument.activeElement !== owner)
    rememberFocus(owner as HTMLElement, { preventScroll: true });
  if (!options?.preventScroll) reveal(el);
  announceFocus(el, ["focus", "focusin"], old);
}

/** Sets the document's selection to where editing begins. It must be outside of parts that cannot be edited. */
function takeCaret(el: HTMLElement): void {
  const selection = el.ownerDocument.getSelection();
  const field = el as HTMLInputElement;
  if (el.isContentEditable) {
    if (!el.contains(selection?.anchorNode ?? null)) selection?.collapse(el, 0);
    return;
  }
  const { selectionStart, selectionEnd, selectionDirection } = field;
  selection?.removeAllRanges(); // otherwise setting the same selection again changes nothing
  if (typeof selectionStart === "number")
    setCaret(field, selectionStart, selectionEnd!, selectionDirection === "backward");
}

/** The remembered element of a document loses the focus to another element, or to none. */
function forgetFocus(doc: Document, to: Element | null): void {
  const old = notedFocus.get(doc);
  if (!old || old === to) return;
  notedFocus.delete(doc);
  changed(old);
  if (old.isConnected) announceFocus(old, ["blur", "focusout"], to);
}

if (isWebKit) {
  Object.assign(added, { installFocus, listenForFocus });
  for (const { win } of allFrames()) {
    if (!win) continue;
    installFocus(win);
    listenForFocus(win);
  }
}
