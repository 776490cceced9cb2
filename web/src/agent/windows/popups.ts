// Windows that the page opens: by window.open, links and forms. If the Host page
// can add frames, each window becomes a Target, and the page's script gets an
// object in place of its window (windowproxy.ts). If not, the browser opens it.

import type { FromAgent, OpenerCall, PopupNews, Welcome } from "../../wire/frame";
import { type Win, allFrames } from "../page/frames";
import { carried } from "../link/framename";
import { hubTarget } from "../link/hub";
import { uplink } from "../link/uplink";
import { flushChanges } from "../dom/treewatch";
import { mint, originals } from "../base/originals";
import { emit } from "../base/session";
import { isUrl } from "../base/urls";
import { type RemoteWindow, type WindowCall, dispatchWindowMessage, markWindow, windowProxyOf } from "./windowproxy";

const { apply } = Reflect;
const { composedPath } = Event.prototype;

/** A window that this document or a child frame has opened. */
interface Popup extends RemoteWindow {
  name: string;
  win: Win;
}

const popups = new Map<string, Popup>();
/** Whether the Host page can open windows as Targets. */
let hostOpensWindows = false;
/** Whether script has opened this Target, and may close it. */
let openedByScript = false;
let opener: RemoteWindow | undefined;
/** Messages to the opener from before there was a Host. */
const earlyCalls: FromAgent[] = [];

/** Starts. The frame's name says whether there is an opener, which the page's first script must see. */
export function startPopups(): void {
  if (carried("o")) haveOpener();
}

/** Stores what the welcome says about windows. */
export function welcomePopups(w: Welcome): void {
  hostOpensWindows = w.popups === true;
  openedByScript = w.opened === true;
  if (w.opener) haveOpener();
  if (opener) opener.id = w.openerId ?? "";
  markWindow([hubTarget(), ...(w.openId ? [w.openId] : [])]);
  for (const m of earlyCalls.splice(0)) uplink.control(m);
}

function haveOpener(): void {
  if (opener) return;
  const send = (message: WindowCall): void => {
    const m: OpenerCall = { icdp: "opener", ...message };
    if (!uplink.control(m)) earlyCalls.push(m);
  };
  opener = { id: "", closed: false, url: "", send };
  window.opener = windowProxyOf(opener, window);
}

// ---------------------------------------------------------------- opening

/**
 * What a target name (HTML, "valid navigable target name") means here: the browser handles it, the
 * Target navigates, or a window opens.
 */
function destination(win: Win, target: string): "native" | "top" | "window" {
  const name = target.toLowerCase();
  if (name === "_top" || (name === "_parent" && win === window) || (name && target === window.name)) return "top";
  if (!hostOpensWindows || name === "_self" || name === "_parent") return "native";
  flushChanges();
  if (name && name !== "_blank" && allFrames().some((f) => f.win?.name === target || f.owner?.name === target))
    return "native";
  return "window";
}

/** Opens a window, or uses the one of this name. */
function open(win: Win, url: string, target: string, features: string, noopener: boolean): Window {
  const name = /^_blank$/i.test(target) ? "" : target;
  const known = name && [...popups.values()].find((p) => p.name === name && !p.closed);
  if (known) {
    if (url) known.send({ url: (known.url = url) });
    return windowProxyOf(known, win);
  }
  const id = mint();
  const popup: Popup = {
    id,
    name,
    win,
    closed: false,
    url,
    send: (m) => void uplink.control({ icdp: "popup", openId: id, ...m }),
  };
  popups.set(id, popup);
  emit("Page", "Page.windowOpen", {
    url: url || "about:blank",
    windowName: target,
    windowFeatures: featureList(features, noopener),
    userGesture: true,
  });
  uplink.control({ icdp: "open", url, openId: id, name, ...(noopener && { noopener }) });
  return windowProxyOf(popup, win);
}

/** The windowFeatures of Page.windowOpen, as Chromium 156 lists them. */
function featureList(features: string, noopener: boolean): string[] {
  const given = new Map(
    features
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((f) => {
        const [name, value = ""] = f.split("=");
        return [name, value];
      }),
  );
  const sizes = [
    ["left", "screenx"],
    ["top", "screeny"],
    ["width", "innerwidth"],
    ["height", "innerheight"],
  ].flatMap((names) => {
    const name = names.find((n) => parseInt(given.get(n) ?? "", 10) >= 0);
    return name ? [`${names[0]}=${parseInt(given.get(name) ?? "", 10)}`] : [];
  });
  const only = [...given.keys()].every((f) => f === "noopener" || f === "noreferrer");
  return [
    ...sizes,
    ...(only ? ["menubar", "toolbar", "status", "scrollbars"] : []),
    "resizable",
    ...(noopener ? ["noopener"] : []),
  ];
}

const invalid = (url: string): string =>
  `Failed to execute 'open' on 'Window': Unable to open a window with invalid URL '${url}'.`;

/** Wraps window.open of a window, and close of the Target's. */
export function installPopups(win: Win): void {
  const { open: native, close } = win;
  const replaced = function (url: string | URL = "", target = "_blank", features = ""): Window | null {
    const where = destination(win, String(target));
    const { baseURI } = win.document;
    const named = `${url}`; // "" has a meaning of its own, and is no URL in a blank document
    if (where === "native") return native.call(win, url, target, features);
    if (named && !isUrl(named, baseURI)) throw new win.DOMException(invalid(named), "SyntaxError");
    const address = named && new URL(named, baseURI).href;
    if (where === "top") return native.call(window, address, "_self");
    const noopener = /\bno(opener|referrer)\b(?!\s*=\s*(0|no|false)\b)/i.test(features);
    const made = open(win, address, String(target) || "_blank", String(features), noopener);
    return noopener ? null : made;
  };
  win.open = Object.defineProperty(replaced, "name", { value: "open" });
  if (win === window) {
    const closed = (): void => (openedByScript ? void uplink.control({ icdp: "close" }) : close.call(win));
    win.close = Object.defineProperty(closed, "name", { value: "close" });
  }
}

// -------------------------------------------------------- links and forms

/**
 * The link that a click is on. Compares the name first: few elements are links, and the path of a click has all
 * ancestors.
 */
function linkOf(e: Event): HTMLAnchorElement | undefined {
  const path = apply(composedPath, e, []) as Partial<HTMLAnchorElement>[];
  for (let i = 0; i < path.length; i++) {
    const { localName } = path[i];
    if ((localName === "a" || localName === "area") && path[i].matches?.("[href]")) return path[i] as HTMLAnchorElement;
  }
  return undefined;
}

/** Listens for links and forms of a window that lead to others; again after document.open. */
export function listenForPopups(win: Win): void {
  for (const type of ["click", "auxclick"] as const) {
    win.addEventListener(
      type,
      (e) => {
        const link = linkOf(e);
        pendingClick = link && (() => clicked(win, e, link));
        if (link) win.addEventListener(type, settleClick, { once: true });
      },
      true,
    );
  }
  win.addEventListener("submit", (e) => submitted(win, e));
}

/** Handles the current click on a link, when the page's listeners have run. */
let pendingClick: (() => void) | undefined;

/** Handles the current click now, if a listener has kept it from the window. */
export function settleClick(): void {
  const decide = pendingClick;
  pendingClick = undefined;
  decide?.();
}

const baseTarget = (win: Win): string => win.document.querySelector<HTMLBaseElement>("base[target]")?.target ?? "";

function clicked(win: Win, e: MouseEvent, link: HTMLAnchorElement): void {
  if (
    e.defaultPrevented ||
    e.button > 1 ||
    typeof link.href !== "string" ||
    link.hasAttribute("download") ||
    /^(javascript|mailto|tel):/i.test(link.href)
  )
    return;
  const aside = e.button === 1 || e.ctrlKey || e.metaKey || e.shiftKey;
  const target = aside ? "_blank" : link.target || baseTarget(win);
  const rel = link.relList;
  const noopener =
    aside ||
    rel.contains("noopener") ||
    rel.contains("noreferrer") ||
    (/^_blank$/i.test(target) && !rel.contains("opener"));
  if (target) follow(win, e, link.href, target, noopener);
}

function submitted(win: Win, e: SubmitEvent): void {
  const form = e.target as HTMLFormElement;
  const by = e.submitter as HTMLButtonElement | null;
  const target = by?.getAttribute("formtarget") || form.target || baseTarget(win);
  const method = by?.getAttribute("formmethod") || form.method;
  if (e.defaultPrevented || !target) return;
  if (/^post$/i.test(method)) postHere(win, target, by?.hasAttribute("formtarget") ? by : form);
  if (!/^get$/i.test(method)) return;
  const action = by?.getAttribute("formaction") || form.getAttribute("action") || win.location.href;
  if (!isUrl(action, win.document.baseURI)) return; // the browser sends it nowhere
  const url = new URL(action, win.document.baseURI);
  const data = [...new win.FormData(form, by)].map(([name, v]) => [name, typeof v === "string" ? v : v.name]);
  const { hash } = url;
  url.hash = url.search = "";
  follow(
    win,
    e,
    `${url.href}?${new URLSearchParams(data)}${hash}`, // with the question mark also where there are no fields
    target,
    /\bno(opener|referrer)\b/.test(form.rel) || (/^_blank$/i.test(target) && !/\bopener\b/.test(form.rel)),
  );
}

/**
 * Posts a form to this frame instead of a new window, unless a person has submitted it. A Target would get the URL
 * without the data. A real window would cover the Host page, and browsers do not paint a covered page.
 */
function postHere(win: Win, target: string, names: HTMLFormElement | HTMLButtonElement): void {
  if (win.navigator.userActivation?.isActive || destination(win, target) !== "window") return;
  const attribute = names instanceof win.HTMLFormElement ? "target" : "formtarget";
  const was = names.getAttribute(attribute);
  names.setAttribute(attribute, "_self"); // it is read once the event has been dispatched (HTML, "submit")
  originals.setTimeout(() => (was === null ? names.removeAttribute(attribute) : names.setAttribute(attribute, was)));
  const text =
    "A form was to be posted to a new window. It was posted to this frame: a new window would not get its data.";
  emit("Log", "Log.entryAdded", {
    entry: { source: "other", level: "warning", text, timestamp: originals.now(), url: win.location.href },
  });
}

function follow(win: Win, e: Event, url: string, target: string, noopener: boolean): void {
  const where = destination(win, target);
  if (where === "native" || (where === "top" && !isUrl(url))) return;
  e.preventDefault();
  if (where === "top") window.location.assign(url);
  // A link whose address cannot be read opens a blank window, as in Chromium 156.
  else open(win, isUrl(url) ? url : "about:blank", target, "", noopener);
}

// ------------------------------------------------------------ from the Host

/** Handles a message about a window that this document has opened or, without openId, about the opener. */
export function popupNews(m: PopupNews): void {
  const popup = m.openId === undefined ? undefined : popups.get(m.openId);
  const remote = m.openId === undefined ? opener : popup;
  if (!remote) return; // a document before this one opened it
  if (m.url !== undefined) remote.url = m.url;
  if (m.closed) {
    remote.closed = true;
    popups.delete(m.openId ?? "");
  }
  if (m.error) {
    const text = `The Host page has opened no window: ${m.error}`;
    emit("Log", "Log.entryAdded", {
      entry: { source: "other", level: "error", text, timestamp: originals.now(), url: remote.url },
    });
  }
  if (m.message) dispatchWindowMessage(popup?.win ?? window, remote, m.message);
}
