// Reports navigations in a document at about:blank, by click and submit listeners. A Target shows such a document
// before its first navigation, and Clients fill it with markup. The Host makes it from a data: URL, so its origin is
// opaque and it gets no navigate events. A link to "#" would load the data: URL again, so this file sets the
// fragment.

import { parseUrl } from "../../host/addresses";
import { mainFrame } from "./frames";
import type { NavigateEvent } from "./navigationapi";
import { announceNavigation } from "./navigation";
import { originals } from "../base/originals";

/** Listens for links and forms of the main document; again after document.open. */
export function listenInBlank(): void {
  if (!isBlank()) return;
  window.addEventListener("click", (e) => clicked(e));
  if (window.origin === "null") window.addEventListener("submit", (e) => decide(e, () => submitted(e)));
}

const isBlank = (): boolean => /^about:blank(#|$)/.test(document.URL) && !mainFrame().parentId;

function clicked(e: MouseEvent): void {
  if (e.defaultPrevented || e.button !== 0 || !isBlank()) return;
  const link = e.composedPath().find((n) => /^(a|area)$/.test((n as Element).localName)) as
    | HTMLAnchorElement
    | undefined;
  const to = link?.getAttribute("href");
  if (!link || to === null || to === undefined || link.getAttribute("target")) return;
  if (to.startsWith("#")) {
    e.preventDefault();
    location.hash = to;
  } else if (window.origin === "null" && !link.hasAttribute("download") && !e.ctrlKey && !e.metaKey && !e.shiftKey)
    decide(e, () => announce(link.href, null, link));
}

/** Runs f once the page's listeners have had an event, unless one of them has cancelled it. */
function decide(e: Event, f: () => void): void {
  originals.queueMicrotask(() => {
    if (!e.defaultPrevented && isBlank()) f();
  });
}

function submitted(e: SubmitEvent): void {
  const form = e.target as HTMLFormElement;
  const by = e.submitter as HTMLButtonElement | null;
  if (by?.getAttribute("formtarget") || form.getAttribute("target")) return;
  const action = by?.getAttribute("formaction") || form.getAttribute("action") || document.URL;
  const url = parseUrl(action, document.baseURI);
  if (!url) return; // the browser sends it nowhere
  const data = new FormData(form, by);
  if (/^post$/i.test(by?.getAttribute("formmethod") || form.method)) return announce(url.href, data, form);
  const fields = [...data].map(([name, v]) => [name, typeof v === "string" ? v : v.name]);
  announce(`${url.href.replace(/[?#].*$/s, "")}?${new URLSearchParams(fields)}`, null, form);
}

function announce(url: string, formData: FormData | null, sourceElement: Element): void {
  if (!/^https?:/.test(url)) return;
  const destination = { url, sameDocument: false };
  announceNavigation({
    destination,
    formData,
    sourceElement,
    navigationType: "push",
    userInitiated: true,
  } as NavigateEvent);
}
