// Objects that stand for windows which are Targets of their own. They offer what script may do with a window of
// another origin, by messages to the Host. If the window has a document of the same origin, the object gives access
// to all that is in it.

import { beside } from "../link/kept";
import type { PopupCall, WindowMessage } from "../../wire/frame";

type Win = Window & typeof globalThis;

/** An action of script on such a window. */
export type WindowCall = Omit<PopupCall, "icdp" | "openId">;

/** A window that is another Target. */
export interface RemoteWindow {
  closed: boolean;
  /** Its last known URL. */
  url: string;
  /** Its openId or, of an opener, its targetId. */
  id: string;
  /** A window without an address that is still to come: what is written into it, and done to it then. */
  draft?: Document;
  later?: ((win: Win) => void)[];
  /** Sends {url}, {close}, {focus} or {message} to it. */
  send(message: WindowCall): void;
  windowProxy?: Window;
}

const IDS = Symbol.for("cdphub.window");

/** Stores the ids by which windows of the same origin find this one. */
export function markWindow(ids: string[]): void {
  Object.defineProperty(window, IDS, { configurable: true, value: ids });
}

/** The window itself, if it is a sibling frame of the same origin. */
const windowOf = (remote: RemoteWindow): Win | undefined =>
  beside((win) => ((win[IDS] as string[] | undefined)?.includes(remote.id) ? (win as unknown as Win) : undefined));

/**
 * Properties of the stand-in that give way to those of the window, if that is of the same origin. The Host carries out
 * the others.
 */
const GIVES_WAY = /^(location|document|length)$/;

/**
 * A Proxy of the stand-in. It passes access on to the window if that is of the same origin, and has the classes that
 * every window has.
 */
function transparent(standIn: Window, remote: RemoteWindow, win: Win): Window {
  const elsewhere = (name: PropertyKey): Win | undefined =>
    name in standIn && !GIVES_WAY.test(String(name)) ? undefined : windowOf(remote);
  return new Proxy(standIn, {
    get(_, name) {
      const there = elsewhere(name);
      if (!there && name in standIn) return Reflect.get(standIn, name);
      const value = Reflect.get(there ?? win, name);
      if (typeof value !== "function" || "prototype" in value)
        return there || CLASS.test(String(name)) ? value : undefined;
      if (there) return value.bind(there);
      return (
        remote.draft && ((...args: unknown[]) => void remote.later?.push((w) => w[name as "focus"](...(args as []))))
      );
    },
    set: (_, name, value) => {
      if (name !== "location") remote.later?.push((w) => Reflect.set(w, name, value));
      return Reflect.set(name === "location" ? standIn : (elsewhere(name) ?? standIn), name, value);
    },
    has: (_, name) => name in (elsewhere(name) ?? standIn),
  });
}

/** The name of a class, or of a namespace such as Math. */
const CLASS = /^[A-Z]\w+$/;

/** The window that stands for a remote one in `win`. */
export function windowProxyOf(remote: RemoteWindow, win: Win): Window {
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
  const value = (v: unknown): PropertyDescriptor => ({ value: v, writable: true, configurable: true });
  const w: Window = Object.create(null, {
    closed: { get: () => remote.closed },
    location: { get: () => location, set: go },
    document: { get: () => remote.draft ?? denied() },
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
      win.structuredClone(data); // throws if the data cannot be cloned, as postMessage does
      remote.send({
        message: { data, targetOrigin: wanted === "/" ? win.origin : wanted === "*" ? wanted : new URL(wanted).origin },
      });
    }),
  });
  remote.windowProxy = transparent(w, remote, win);
  for (const name of ["window", "self", "top", "parent", "frames"])
    Object.defineProperty(w, name, value(remote.windowProxy));
  return remote.windowProxy;
}

/** Gives a message of a remote window to this one, if it is meant for its origin. */
export function dispatchWindowMessage(win: Window & typeof globalThis, from: RemoteWindow, m: WindowMessage): void {
  if (m.targetOrigin !== "*" && m.targetOrigin !== win.origin) return;
  const e = new win.MessageEvent("message", { data: m.data, origin: m.origin });
  Object.defineProperty(e, "source", { value: windowProxyOf(from, win) });
  win.dispatchEvent(e);
}
