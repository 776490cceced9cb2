// Links, forms and scripts of an app that name the address at which it is without the proxy:
// the document there has no agent, so that clients would lose the page, and it is of another
// origin, so that script would not get what it asks for.

import type { NavigateEvent } from "./navigation";
import { isSameServer, isUrl } from "../base/urls";
import { originals } from "../base/originals";

let upstream: URL | undefined;

/** Leads what this document does with addresses of this origin to the same places of the proxy. */
export function followMoved(origin: string): void {
  upstream = new URL(origin);
  const { navigation } = window as unknown as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    const here = atProxy(e.destination.url);
    if (here === e.destination.url || e.formData || !e.cancelable) return;
    e.preventDefault();
    e.stopImmediatePropagation(); // the next event is the one that counts
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

/** Whether the app is at another address without the proxy. */
export const hasMoved = (): boolean => upstream !== undefined;

/**
 * The same place of the proxy for an address, of a WebSocket too, at which the app is without it;
 * any other text as it is.
 */
export function atProxy(address: string, base: string = location.href): string {
  if (!upstream || !isUrl(address, base)) return address;
  const url = new URL(address, base);
  if (!isSameServer(url, upstream)) return address;
  const here = url.protocol.startsWith("ws") ? location.origin.replace("http", "ws") : location.origin;
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

/** Gives a form its address at the proxy, until it has been submitted. */
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
