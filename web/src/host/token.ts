// The token in the address of a Host page, "#token=T". A fragment is sent to no
// server, but it shows on the screen and in the browser's history.

import { needsDocument } from "../browseronly";

const KEY = "cdphubToken";

/**
 * Takes the token out of the page's address and returns it; "" where there is
 * none. The page's entry in the history keeps it, for a reload: no document
 * but one of the page's own origin can read that. To be called before there
 * is any frame.
 */
export function takeToken(): string {
  if (typeof document === "undefined") throw needsDocument("cdphub/host", "takeToken");
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) history.replaceState({ ...history.state, [KEY]: given }, "", location.pathname + location.search);
  return String(history.state?.[KEY] ?? "");
}
