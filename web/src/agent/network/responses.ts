// Requests and responses that take the place of the page's own.

/** The init of a copy of a Request with another URL, method, headers and body. */
export function initOf(request: Request): RequestInit {
  const { mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal } = request;
  return { mode, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal };
}

/** Sets properties of a response, and of its clones, that the Response constructor cannot set. */
export function withOverrides(r: Response, as: Partial<Response>): Response {
  for (const [name, value] of Object.entries(as)) Object.defineProperty(r, name, { value, configurable: true });
  const { clone } = r;
  Object.defineProperty(r, "clone", { value: () => withOverrides(clone.call(r), as), configurable: true });
  return r;
}
