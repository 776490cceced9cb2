// Decides what script gets of a response that a Client has made up for a request to another origin, as the browser
// would (Fetch Standard, "CORS check" and "main fetch").

import type { Protocol } from "../../cdp";

/** A request of script, as the CORS check needs it. */
export interface Asker {
  /** The origin of the document; "null" for an opaque one. */
  origin: string;
  url: string;
  mode: RequestMode;
  credentials: RequestCredentials;
  /** The function of script, as Chromium calls it. */
  by: "fetch" | "XMLHttpRequest";
}

/** Why script does not get a response. */
export interface Refusal {
  error: Protocol.Network.CorsError;
  /** For the console, in Chromium's words. */
  text: string;
}

const WITH_CREDENTIALS =
  " The credentials mode of requests initiated by the XMLHttpRequest is controlled by the withCredentials attribute.";

/** Whether the request needs no CORS check. */
export function isSameOrigin({ url, origin }: Asker): boolean {
  const to = new URL(url);
  return to.origin === origin || to.protocol === "data:" || to.protocol === "blob:";
}

/**
 * The CORS check of an answer's headers, whose names are in lower case. Undefined where it passes.
 * `before` goes in front of the reason.
 */
export function refusal(a: Asker, header: (name: string) => string | null, before = ""): Refusal | undefined {
  const allowed = header("access-control-allow-origin");
  const include = a.credentials === "include";
  const hint = a.by === "XMLHttpRequest" ? WITH_CREDENTIALS : "";
  const because = (error: Protocol.Network.CorsError, why: string): Refusal => ({
    error,
    text: `Access to ${a.by} at '${a.url}' from origin '${a.origin}' has been blocked by CORS policy: ${before}${why}`,
  });
  if (allowed === null) {
    const why = "No 'Access-Control-Allow-Origin' header is present on the requested resource.";
    return because("MissingAllowOriginHeader", why);
  }
  if (allowed === "*") {
    const why =
      "The value of the 'Access-Control-Allow-Origin' header in the response must not be the wildcard '*' when the request's credentials mode is 'include'.";
    return include ? because("WildcardOriginNotAllowed", why + hint) : undefined;
  }
  if (allowed !== a.origin) {
    const several = /[ ,]/.test(allowed);
    const why = several
      ? `contains multiple values '${allowed}', but only one is allowed.`
      : `has a value '${allowed}' that is not equal to the supplied origin.`;
    return because(
      several ? "MultipleAllowOriginValues" : "AllowOriginMismatch",
      `The 'Access-Control-Allow-Origin' header ${why}`,
    );
  }
  const credentials = header("access-control-allow-credentials") ?? "";
  if (!include || credentials === "true") return undefined;
  const why = `The value of the 'Access-Control-Allow-Credentials' header in the response is '${credentials}' which must be 'true' when the request's credentials mode is 'include'.`;
  return because("InvalidAllowCredentials", why + hint);
}

/** Response headers that script always sees (Fetch Standard, "CORS-safelisted response-header name"). */
const SAFE = /^(cache-control|content-(language|length|type)|expires|last-modified|pragma)$/;

/** The headers of an answer that script sees. */
export function exposed(a: Asker, headers: Headers): Headers {
  const named = (headers.get("access-control-expose-headers") ?? "").split(",").map((n) => n.trim().toLowerCase());
  const all = named.includes("*") && a.credentials !== "include";
  const out = new Headers();
  headers.forEach((value, name) => {
    if (all || SAFE.test(name) || named.includes(name)) out.append(name, value);
  });
  return out;
}
