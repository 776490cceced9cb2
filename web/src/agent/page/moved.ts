// Links and scripts of an app that name the address at which it is without the proxy:
// the document there has no agent, and clients would lose the page.

import type { NavigateEvent } from "./navigation";
import { originals } from "../base/originals";

/** Leads navigations to this origin to the same place of the proxy, where there is the Navigation API. */
export function followMoved(upstream: string): void {
  const { navigation } = window as unknown as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const e = event as NavigateEvent;
    const there = new URL(e.destination.url);
    if (!isUpstream(there, new URL(upstream)) || e.formData || !e.cancelable) return;
    e.preventDefault();
    e.stopImmediatePropagation(); // the next event is the one that counts
    const here = location.origin + there.href.slice(there.origin.length);
    originals.setTimeout(() => (e.navigationType === "replace" ? location.replace(here) : location.assign(here)), 0);
  });
}

/** Whether an address is of the origin, or of the other name of the same server on this machine. */
function isUpstream(url: URL, upstream: URL): boolean {
  const local = (u: URL): boolean => u.hostname === "localhost" || u.hostname === "127.0.0.1";
  const same = url.hostname === upstream.hostname || (local(url) && local(upstream));
  return same && url.port === upstream.port && url.protocol === upstream.protocol;
}
