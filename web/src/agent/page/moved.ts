// Redirects navigations and requests from the app's own origin to the proxy in front of it, and from those of other
// sites that the proxy serves. A document at the app's own origin has no agent, so that Clients would lose the page. It
// is another origin, so that script could not read the responses.

import type { NavigateEvent } from "./navigationapi";
import { isSameServer, isUrl } from "../base/urls";
import { originals } from "../base/originals";

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
  const { navigation } = window as unknown as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    const here = atProxy(e.destination.url);
    if (here === e.destination.url || e.formData || !e.cancelable) return;
    e.preventDefault();
    // location.assign fires a navigate event with the new URL, and only that one must be handled.
    e.stopImmediatePropagation();
    originals.setTimeout(() => (e.navigationType === "replace" ? location.replace(here) : location.assign(here)), 0);
  });
  if (!navigation) window.addEventListener("click", followLink);
  window.addEventListener("submit", (e) => moveForm(e.target as HTMLFormElement, e.submitter), true);
  const { prototype } = HTMLFormElement;
  const { submit } = prototype;
  prototype.submit = function (): void {
    moveForm(this);
    submit.call(this);
  };
}

/** Whether the app has an origin of its own behind the proxy. */
export const isRedirected = (): boolean => served.length > 0;

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
