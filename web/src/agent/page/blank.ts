// Links to a fragment in a document at about:blank, which a Target has before
// its first navigation and clients fill with markup. Its base is the data: URL
// that the Host has made it of, so that "#" would load that anew.

import { mainFrame } from "./frames";

/** Lets links of the main document that begin with "#" stay in it. */
export function listenForFragments(): void {
  window.addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || !/^about:blank(#|$)/.test(document.URL) || mainFrame().parentId) return;
    const link = e.composedPath().find((n) => /^(a|area)$/.test((n as Element).localName)) as Element | undefined;
    const to = link?.getAttribute("href");
    if (!to?.startsWith("#") || link?.getAttribute("target")) return;
    e.preventDefault();
    location.hash = to;
  });
}
