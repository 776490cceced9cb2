// The bundler puts these in the place of the globals of their names. What the
// rasteriser loads is thus no request of the page's, which a client would hear
// of or intercept, and it goes on where the page's clock has been stopped.

/** The browser's own functions, where the page's have been replaced. */
export interface Natives {
  fetch: typeof window.fetch;
  setTimeout(f: () => void, ms?: number): number;
  clearTimeout(timer?: number): void;
}

/** Which a page may have deleted. */
export const Array = [].constructor as ArrayConstructor;

let natives: Natives = {
  fetch: window.fetch.bind(window),
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
};

/** Sets what to use. */
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

/** By a timer: a frame that is not painted, such as one off the screen, is drawn as well. */
export function requestAnimationFrame(f: FrameRequestCallback): number {
  return natives.setTimeout(() => f(performance.now()), 16);
}

export function requestIdleCallback(f: () => void): number {
  return natives.setTimeout(f);
}

const silent = (): void => {};

/** What the rasteriser warns of is no message of the app, whose console it would be in. */
export const console = { warn: silent, error: silent };
