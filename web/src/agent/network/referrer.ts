// The Referer of a request by its policy (Referrer Policy, "determine request's referrer").

/** The header's text, or "" where none is sent. */
export function refererOf(win: Window, url: string, policy: string): string {
  const { href, origin, protocol } = win.location;
  if (!/^https?:/.test(href)) return "";
  const full = href.split("#")[0];
  const target = new URL(url);
  const same = target.origin === origin;
  const downgrade = protocol === "https:" && target.protocol === "http:";
  switch (policy) {
    case "no-referrer":
      return "";
    case "unsafe-url":
      return full;
    case "origin":
      return `${origin}/`;
    case "strict-origin":
      return downgrade ? "" : `${origin}/`;
    case "same-origin":
      return same ? full : "";
    case "no-referrer-when-downgrade":
      return downgrade ? "" : full;
    case "origin-when-cross-origin":
      return same ? full : `${origin}/`;
    default:
      return same ? full : downgrade ? "" : `${origin}/`;
  }
}
