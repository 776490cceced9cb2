// Redirects navigations and requests from the app's own origin to the proxy in front of it, and from those of other
// sites that the proxy serves. A document at the app's own origin has no agent, so that Clients would lose the page. It
// is another origin, so that script could not read the responses.

import type { Win } from "./frames";
import type { NavigateEvent } from "./navigationapi";
import { isSameServer, isUrl } from "../base/urls";
import { originals } from "../base/originals";
import { logWarning } from "../network/log";
import { PAST_PROXY, say } from "../../wire/messages";

/** The origins that the proxy serves, each with the one where it does; that of this document first. */
let served: [origin: URL, at: string][] = [];

/**
 * Starts redirecting. `origin` is where the app is without the proxy; `also` has pairs of such an origin and the one
 * where the proxy serves it, all separated by spaces.
 */
export function redirectToProxy(origin: string, also = ""): void {
  served = [[new URL(origin), location.origin]];
  const list = also.split(" ").filter(Boolean);
  for (let i = 0; i + 1 < list.length; i += 2) served.push([new URL(list[i]), list[i + 1]]);
}

/** The properties and attributes by which script gives elements what they load, by the kind of element. The proxy rewrites those of markup. */
const LOADING: Record<string, string> = {
  Embed: "src",
  Frame: "src",
  IFrame: "src",
  Image: "src srcset",
  Input: "src",
  Link: "href",
  Media: "src",
  Object: "data",
  Script: "src",
  Source: "src srcset",
  Track: "src",
  Video: "poster",
};
const ATTRIBUTES = "src href srcset poster data xlink:href".split(" ");
const ELEMENTS = "img,iframe,frame,link,script,source,video,audio,track,embed,object,input,image,use";

/** Redirects what the script of a window does. */
export function installMoved(win: Win): void {
  if (!isRedirected()) return;
  const { navigation } = win as unknown as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    const here = atProxy(e.destination.url);
    if (here === e.destination.url || e.formData || !e.cancelable) return;
    e.preventDefault();
    // location.assign fires a navigate event with the new URL, and only that one must be handled.
    e.stopImmediatePropagation();
    const { location } = win;
    originals.setTimeout(() => (e.navigationType === "replace" ? location.replace(here) : location.assign(here)), 0);
  });
  const { prototype } = win.HTMLFormElement;
  const { submit } = prototype;
  prototype.submit = {
    submit(this: HTMLFormElement): void {
      moveForm(this);
      submit.call(this);
    },
  }.submit;
  for (const [name, properties] of Object.entries(LOADING)) {
    const { prototype: of } = win[`HTML${name}Element` as "HTMLImageElement"];
    for (const property of properties.split(" ")) {
      const given = Object.getOwnPropertyDescriptor(of, property);
      const set = function (this: Element, value: unknown): void {
        given?.set?.call(this, moveValue(value, this));
      };
      if (given?.set) Object.defineProperty(of, property, { ...given, set });
    }
  }
  win.Audio = new Proxy(win.Audio, {
    construct: (target, args: [unknown?], newTarget) => {
      if (args[0] !== undefined) args[0] = atProxy(`${args[0] as string}`);
      return Reflect.construct(target, args, newTarget);
    },
  });
  const elements = win.Element.prototype;
  const { setAttribute } = elements;
  elements.setAttribute = {
    setAttribute(this: Element, name: string, value: string): void {
      setAttribute.call(this, name, ATTRIBUTES.includes(name) ? (moveValue(value, this) as string) : value);
    },
  }.setAttribute;
  moveMarkup(win);
}

/** Moves the addresses of elements that script makes of markup, as by innerHTML, once they are in the document. */
function moveMarkup(win: Win): void {
  const { document } = win;
  const move = (e: Element): void => {
    for (const name of ATTRIBUTES) {
      const value = e.getAttribute(name);
      const moved = value && moveValue(value, e);
      if (!moved || moved === value) continue;
      const again = (): void => e.setAttribute(name, moved as string);
      again();
      // When the first document comes from another process just now, the browser drops the second navigation. Then its
      // entry in the timeline has no status (Chromium 156), as one of a document of another origin.
      const dropped = (): boolean =>
        (e as HTMLIFrameElement).contentDocument === null &&
        !win.performance.getEntriesByName(moved as string).some((t) => (t as PerformanceResourceTiming).responseStatus);
      e.addEventListener("load", () => dropped() && again(), { once: true });
    }
  };
  const watcher = new win.MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes as NodeListOf<Element>) {
        if (node.nodeType !== 1) continue;
        if (node.matches(ELEMENTS)) move(node);
        if (node.firstElementChild) node.querySelectorAll(ELEMENTS).forEach(move);
      }
  });
  const start = (): void => {
    document.querySelectorAll(ELEMENTS).forEach(move); // document.write
    watcher.observe(document, { childList: true, subtree: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
}

/** A value with addresses, of an element that loads from them. What has none to move is returned as it is. */
function moveValue(value: unknown, element: Element): unknown {
  const text = `${value as string}`;
  if (!text.includes("//") || element.localName === "a" || element.localName === "area") return value;
  const moved = text.replace(/(?:https?:)?\/\/[^\s,]+/gi, (address) => atProxy(address));
  return moved === text ? value : moved;
}

/** Listens in a window; again after document.open, which removes the listeners. */
export function listenMoved(win: Win): void {
  if (!isRedirected()) return;
  if (!("navigation" in win)) win.addEventListener("click", followLink);
  win.addEventListener("submit", (e) => moveForm(e.target as HTMLFormElement, e.submitter), true);
}

/** Whether the app has an origin of its own behind the proxy. */
export const isRedirected = (): boolean => served.length > 0;

/** Warns, once of each origin, of what is loaded past the proxy. */
export function warnOfPast(address: string): void {
  const { origin } = new URL(address);
  if (warned.has(origin) || atProxy(address) === address) return;
  warned.add(origin);
  logWarning(say(PAST_PROXY, { url: address }), location.href);
}

const warned = new Set<string>();

/** Maps a URL of a served origin (http: or ws:) to the proxy. Any other text is returned as it is. */
export function atProxy(address: string, base: string = location.href): string {
  if (served.length === 0 || !isUrl(address, base)) return address;
  const url = new URL(address, base);
  const found = served.find(([origin]) => isSameServer(url, origin));
  if (!found) return address;
  const here = url.protocol.startsWith("ws") ? found[1].replace("http", "ws") : found[1];
  return here + url.href.slice(url.origin.length);
}

/** Follows a link where there is no Navigation API. */
function followLink(e: MouseEvent): void {
  const link = e.composedPath().find((x) => x instanceof HTMLAnchorElement);
  if (!link || e.defaultPrevented || link.hasAttribute("download") || !/^(_self)?$/.test(link.target)) return;
  const here = atProxy(link.href);
  if (here === link.href) return;
  e.preventDefault();
  location.assign(here);
}

/** Replaces the target URL of a form by that of the proxy, until the form has been submitted. */
function moveForm(form: HTMLFormElement, submitter?: Element | null): void {
  moveAttribute(form, "action");
  if (submitter) moveAttribute(submitter, "formaction");
}

function moveAttribute(element: Element, name: string): void {
  const given = element.getAttribute(name);
  if (given === null) return;
  const here = atProxy(given, element.baseURI);
  if (here === given) return;
  element.setAttribute(name, here);
  originals.setTimeout(() => {
    if (element.getAttribute(name) === here) element.setAttribute(name, given);
  }, 0);
}
