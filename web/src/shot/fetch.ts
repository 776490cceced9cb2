// The bundler puts this in the place of the global fetch, so that what the
// rasteriser loads anew is no request of the page's: nobody is told of it, and
// no client intercepts it.

let native = window.fetch.bind(window);

/** Sets the function to use: the browser's own, where the page's has been wrapped. */
export function lend(f: typeof window.fetch): void {
  native = f;
}

/** As the global fetch. */
export function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  return native(input, init);
}
