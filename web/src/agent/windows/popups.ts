// Windows that the page opens: by window.open, links and forms. If the Host page
// can add frames, each window becomes a Target, and the page's script gets an
// object in place of its window (windowproxy.ts). If not, the browser opens it.

import type { FromAgent, OpenerCall, PopupNews, Welcome } from "../../wire/frame";
import { type Win, allFrames } from "../page/frames";
import { carried } from "../link/framename";
import { hubOfProxy, hubTarget } from "../link/hub";
import { neighbour } from "../link/kept";
import { uplink } from "../link/uplink";
import { flushChanges } from "../dom/treewatch";
import { mint, originals } from "../base/originals";
import { emit } from "../base/session";
import { parseUrl } from "../../host/addresses";
import { type RemoteWindow, type WindowCall, dispatchWindowMessage, markWindow, windowProxyOf } from "./windowproxy";

const { apply } = Reflect;
const { composedPath } = Event.prototype;

/** A window that this document or a child frame has opened. */
interface Popup extends RemoteWindow {
  name: string;
  win: Win;
}

const popups = new Map<string, Popup>();
neighbour.popups = popups; // for blank.js of the proxy
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
 * What a target name (HTML, "valid navigable target name") means here: the browser handles it, a window of the Target
 * navigates, or a new one opens. The Target is the top window, and the browser lets no document in a sandboxed frame
 * navigate one around it: the agent does, whose script is of the main frame.
 */
function destination(win: Win, target: string): "native" | "window" | Window {
  const name = target.toLowerCase();
  if (name === "_top" || (name === "_parent" && win === window) || (name && target === window.name)) return window;
  if (name === "_parent") return win.parent;
  if (name === "_self") return "native";
  flushChanges();
  const known =
    name && name !== "_blank" && allFrames().find((f) => f.win?.name === target || f.owner?.name === target);
  if (known) return (win !== window && known.win) || "native";
  return hostOpensWindows ? "window" : "native";
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
  const blank = /^(about:blank)?$/.test(url) && hubOfProxy() && !noopener;
  const popup: Popup = {
    id,
    name,
    win,
    closed: false,
    url,
    ...(blank && { draft: win.document.implementation.createHTMLDocument(""), later: [] }),
    send: (m) => void uplink.control({ icdp: "popup", openId: id, ...m }),
  };
  popups.set(id, popup);
  emit("Page", "Page.windowOpen", {
    url: url || "about:blank",
    windowName: target,
    windowFeatures: featureList(features, noopener),
    userGesture: true,
  });
  uplink.control({
    icdp: "open",
    url: blank ? `${hubOfProxy()}/blank?${id}` : url,
    openId: id,
    name,
    ...(noopener && { noopener }),
  });
  return windowProxyOf(popup, win);
}

/** The windowFeatures of Page.windowOpen, as Chromium 156 lists them. */
function featureList(features: string, noopener: boolean): string[] {
  const given = new URLSearchParams(features.toLowerCase().replace(/[\s,]+/g, "&"));
  const size = (name: string, other: string): string[] => {
    const n = [name, other].map((key) => parseInt(given.get(key) ?? "", 10)).find((value) => value >= 0);
    return n === undefined ? [] : [`${name}=${n}`];
  };
  const only = [...given.keys()].every((f) => /^no(opener|referrer)$/.test(f));
  return [
    ...size("left", "screenx"),
    ...size("top", "screeny"),
    ...size("width", "innerwidth"),
    ...size("height", "innerheight"),
    ...(only ? ["menubar", "toolbar", "status", "scrollbars"] : []),
    "resizable",
    ...(noopener ? ["noopener"] : []),
  ];
}

/** Wraps window.open of a window, and close of the Target's. */
export function installPopups(win: Win): void {
  const { open: native, close } = win;
  const { prototype } = win.HTMLFormElement;
  const { submit } = prototype;
  Object.assign(win, {
    open(url: string | URL = "", target = "_blank", features = ""): Window | null {
      const where = destination(win, String(target));
      const { baseURI } = win.document;
      const named = `${url}`; // "" has a meaning of its own, and is no URL in a blank document
      if (where === "native") return native.call(win, url, target, features);
      const address = named && parseUrl(named, baseURI)?.href;
      if (address === undefined) throw new win.DOMException("Invalid URL", "SyntaxError");
      if (where !== "window") {
        if (address) go(where, address);
        return where;
      }
      const noopener = /\bno(opener|referrer)\b(?!\s*=\s*(0|no|false)\b)/i.test(features);
      const made = open(win, address, String(target) || "_blank", String(features), noopener);
      return noopener ? null : made;
    },
    ...(win === window && {
      close(): void {
        if (openedByScript) uplink.control({ icdp: "close" });
        else close.call(win);
      },
    }),
  });
  Object.assign(prototype, {
    submit(this: HTMLFormElement): void {
      if (!sendElsewhere(win, this, null)) submit.call(this);
    },
  });
}

// -------------------------------------------------------- links and forms

/** A link of HTML, or of SVG. */
type Link = HTMLAnchorElement | SVGAElement;

/**
 * The link that a click is on. Compares the name first: few elements are links, and the path of a click has all
 * ancestors.
 */
function linkOf(e: Event): Link | undefined {
  const path = apply(composedPath, e, []) as Partial<HTMLAnchorElement>[];
  for (let i = 0; i < path.length; i++) {
    const { localName } = path[i];
    if ((localName === "a" || localName === "area") && path[i].matches?.("[*|href]")) return path[i] as Link;
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

/** An attribute of a link of HTML, or of one of SVG, which is animated. */
const textOf = (value: string | SVGAnimatedString): string => (typeof value === "string" ? value : value.baseVal);

function clicked(win: Win, e: MouseEvent, link: Link): void {
  if (
    e.defaultPrevented ||
    e.button > 1 ||
    link.hasAttribute("download") ||
    /^(javascript|mailto|tel):/i.test(textOf(link.href))
  )
    return;
  const aside = e.button === 1 || e.ctrlKey || e.metaKey || e.shiftKey;
  const target = aside ? "_blank" : textOf(link.target) || baseTarget(win);
  const rel = link.getAttribute("rel") ?? "";
  const noopener =
    aside || /\bno(opener|referrer)\b/i.test(rel) || (/^_blank$/i.test(target) && !/\bopener\b/i.test(rel));
  // A link whose address cannot be read opens a blank window, as in Chromium 156.
  if (target) follow(win, e, parseUrl(textOf(link.href), link.baseURI)?.href ?? "about:blank", target, noopener);
}

function submitted(win: Win, e: SubmitEvent): void {
  const form = e.target as HTMLFormElement;
  const by = e.submitter as HTMLButtonElement | null;
  const target = by?.getAttribute("formtarget") || form.getAttribute("target") || baseTarget(win); // a field may have the name
  const method = by?.getAttribute("formmethod") || form.getAttribute("method");
  const rel = form.getAttribute("rel") ?? "";
  if (e.defaultPrevented || !target) return;
  if (/^post$/i.test(method ?? "")) {
    if (sendElsewhere(win, form, by)) e.preventDefault();
    else postHere(win, target, by?.hasAttribute("formtarget") ? by : form);
  }
  if (/^(post|dialog)$/i.test(method ?? "")) return;
  const action = by?.getAttribute("formaction") || form.getAttribute("action") || win.location.href;
  const url = parseUrl(action, win.document.baseURI);
  if (!url) return; // the browser sends it nowhere
  const data = [...new win.FormData(form, by)].map(([name, v]) => [name, typeof v === "string" ? v : v.name]);
  const { hash } = url;
  url.hash = url.search = "";
  follow(
    win,
    e,
    `${url.href}?${new URLSearchParams(data)}${hash}`, // with the question mark also where there are no fields
    target,
    /\bno(opener|referrer)\b/.test(rel) || (/^_blank$/i.test(target) && !/\bopener\b/.test(rel)),
  );
}

/** Has an element that names the target of a form name its own frame, until the form has been submitted. */
function aimHere(win: Win, names: HTMLElement): void {
  const attribute = names instanceof win.HTMLFormElement ? "target" : "formtarget";
  const was = names.getAttribute(attribute);
  names.setAttribute(attribute, "_self"); // it is read once the event has been dispatched (HTML, "submit")
  originals.setTimeout(() => (was === null ? names.removeAttribute(attribute) : names.setAttribute(attribute, was)));
}

/**
 * Has a form act on the window of the Target that it names where the browser would not let it: on the main frame as the
 * top one, or on a frame around the form's or beside it. Returns whether it was submitted here.
 */
function sendElsewhere(win: Win, form: HTMLFormElement, by: HTMLElement | null): boolean {
  const attribute = (name: string): string | null => by?.getAttribute(`form${name}`) ?? form.getAttribute(name);
  const where = destination(win, attribute("target") || baseTarget(win));
  if (typeof where === "string" || /^dialog$/i.test(attribute("method") ?? "")) return false;
  if (where === win) {
    aimHere(win, by?.hasAttribute("formtarget") ? by : form);
    return false;
  }
  const copy = document.createElement("form");
  copy.action = new URL(attribute("action") || win.location.href, win.document.baseURI).href;
  copy.method = attribute("method") ?? "get";
  copy.enctype = attribute("enctype") ?? "";
  copy.acceptCharset = form.getAttribute("accept-charset") || win.document.characterSet;
  const name = where.name;
  copy.target = where === window ? "_self" : (where.name ||= mint());
  for (const [field, value] of new win.FormData(form, by)) {
    const input = document.createElement("input");
    input.name = field;
    if (typeof value === "string") {
      input.type = "hidden";
      input.value = value;
    } else {
      input.type = "file";
      const files = new DataTransfer();
      if (value.name || value.size) files.items.add(value);
      input.files = files.files;
    }
    copy.append(input);
  }
  copy.hidden = true;
  document.documentElement.append(copy); // a form that is not in a document cannot be submitted
  copy.submit();
  copy.remove();
  where.name = name;
  return true;
}

/**
 * Posts a form to this frame instead of a new window, unless a person has submitted it. A Target would get the URL
 * without the data. A real window would cover the Host page, and browsers do not paint a covered page.
 */
function postHere(win: Win, target: string, names: HTMLFormElement | HTMLButtonElement): void {
  if (win.navigator.userActivation?.isActive || destination(win, target) !== "window") return;
  aimHere(win, names);
  const text =
    "A form was to be posted to a new window. It was posted to this frame: a new window would not get its data.";
  emit("Log", "Log.entryAdded", {
    entry: { source: "other", level: "warning", text, timestamp: originals.now(), url: win.location.href },
  });
}

function follow(win: Win, e: Event, url: string, target: string, noopener: boolean): void {
  const where = destination(win, target);
  if (where === "native") return;
  e.preventDefault();
  if (where === "window") open(win, url, target, "", noopener);
  else go(where, url);
}

/** Navigates a window as the document of the main frame. A child frame of another origin has no location.assign. */
function go(where: Window, url: string): void {
  where.location.href = url;
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
