// Stand-ins for windows that are Targets of their own: what script may do with
// a window of another origin, as far as messages can carry it.

import type { PopupCall, WindowMessage } from "../../wire/frame";

/** What script does with a window elsewhere. */
export type WindowCall = Omit<PopupCall, "icdp" | "openId">;

/** A window elsewhere. */
export interface RemoteWindow {
  closed: boolean;
  /** Its address as last heard of. */
  url: string;
  /** Carries {url}, {close}, {focus} or {message} to it. */
  send(message: WindowCall): void;
  windowProxy?: Window;
}

/** The window that stands for a remote one in `win`. */
export function windowProxyOf(remote: RemoteWindow, win: Window & typeof globalThis): Window {
  if (remote.windowProxy) return remote.windowProxy;
  const resolve = (url: string | URL): string => new URL(url, win.document.baseURI).href;
  const go = (url: string | URL): void => remote.send({ url: (remote.url = resolve(url)) });
  const denied = (): never => {
    throw new win.DOMException(
      "The window is a frame of its own here, whose document cannot be reached.",
      "SecurityError",
    );
  };
  const location = Object.create(null, {
    href: { get: () => remote.url || "about:blank", set: go, enumerable: true },
    origin: { get: () => new URL(remote.url || "about:blank").origin },
    assign: { value: go },
    replace: { value: go },
    reload: { value: () => go(remote.url) },
    toString: { value: () => remote.url || "about:blank" },
  });
  const value = (v: unknown): PropertyDescriptor => ({ value: v, writable: true });
  const w: Window = Object.create(null, {
    closed: { get: () => remote.closed },
    location: { get: () => location, set: go },
    document: { get: denied },
    opener: value(win),
    length: value(0),
    close: value(() => {
      remote.closed = true;
      remote.send({ close: true });
    }),
    focus: value(() => remote.send({ focus: true })),
    blur: value(() => {}),
    postMessage: value((data: unknown, to: string | { targetOrigin?: string } = "/") => {
      const wanted = (typeof to === "string" ? to : to.targetOrigin) ?? "/";
      win.structuredClone(data); // throws for what no window can send
      remote.send({
        message: { data, targetOrigin: wanted === "/" ? win.origin : wanted === "*" ? wanted : new URL(wanted).origin },
      });
    }),
  });
  for (const name of ["window", "self", "top", "parent", "frames"]) Object.defineProperty(w, name, { value: w });
  return (remote.windowProxy = w);
}

/** Gives a message of a remote window to this one, if it is meant for its origin. */
export function dispatchWindowMessage(win: Window & typeof globalThis, from: RemoteWindow, m: WindowMessage): void {
  if (m.targetOrigin !== "*" && m.targetOrigin !== win.origin) return;
  const e = new win.MessageEvent("message", { data: m.data, origin: m.origin });
  Object.defineProperty(e, "source", { value: windowProxyOf(from, win) });
  win.dispatchEvent(e);
}
