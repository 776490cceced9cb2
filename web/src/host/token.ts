// The token in the URL of a Host page, "#token=T". A fragment is not sent to a server, but it is visible on the
// screen and in the browser's history.

import { needsDocument } from "../browseronly";

const KEY = "cdphubToken";

/**
 * Removes the token from the page's URL and returns it; "" if there is none. The page's history entry keeps it for a
 * reload: only documents of the page's own origin can read that. Call it before there is any frame.
 */
export function takeToken(): string {
  if (typeof document === "undefined") throw needsDocument("cdphub/host", "takeToken");
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) history.replaceState({ ...history.state, [KEY]: given }, "", location.pathname + location.search);
  return String(history.state?.[KEY] ?? "");
}
