// Responses that script gets in place of the browser's own.

/** Sets properties of a response, and of its clones, that the Response constructor cannot set. */
export function withOverrides(r: Response, as: Partial<Response>): Response {
  for (const [name, value] of Object.entries(as)) Object.defineProperty(r, name, { value, configurable: true });
  const { clone } = r;
  Object.defineProperty(r, "clone", { value: () => withOverrides(clone.call(r), as), configurable: true });
  return r;
}
