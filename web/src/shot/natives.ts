// The bundler replaces the globals of these names by these functions. What the rasteriser loads is then no request of
// the page, which Clients would see or intercept. It also works while the page's clock is stopped.

/** The browser's own functions, since the page's have been replaced. */
export interface Natives {
  fetch: typeof window.fetch;
  setTimeout(f: () => void, ms?: number): number;
  clearTimeout(timer?: number): void;
}

/** A page may have deleted the global Array. */
export const Array = [].constructor as ArrayConstructor;

let natives: Natives = {
  fetch: window.fetch.bind(window),
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
};

/** Sets the functions to use. */
export function lend(n: Natives): void {
  natives = n;
}

export function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  return natives.fetch(input, init);
}

export function setTimeout(f: () => void, ms?: number): number {
  return natives.setTimeout(f, ms);
}

export function clearTimeout(timer?: number): void {
  natives.clearTimeout(timer);
}

/** By a timer, so that a frame that is not painted, for example one off the screen, is drawn, too. */
export function requestAnimationFrame(f: FrameRequestCallback): number {
  return natives.setTimeout(() => f(performance.now()), 16);
}

export function requestIdleCallback(f: () => void): number {
  return natives.setTimeout(f);
}

const silent = (): void => {};

/** Warnings of the rasteriser must not appear in the app's console. */
export const console = { warn: silent, error: silent };
