// Puts the agent in front of a worker's script. Both are one text: messages that a worker gets before a second script
// has loaded would be lost. The agent is all in the first line, so that the line numbers in errors stay the same.

import { WORKER_NAME, type WantsLetter, type WorkerHello } from "../../wire/worker";

type Win = Window & typeof globalThis;

/** The blobs behind the blob: URLs that page script has made. */
const blobs = new Map<string, Blob>();

/** Wraps createObjectURL of a window to remember the blobs, for workers with a blob: URL. */
export function watchBlobs(win: Win): void {
  const { createObjectURL, revokeObjectURL } = win.URL;
  const make = function (this: unknown, object: Blob | MediaSource): string {
    const url = createObjectURL.call(win.URL, object);
    if (/script|^$/.test((object as Blob).type ?? "-")) blobs.set(url, object as Blob);
    return url;
  };
  win.URL.createObjectURL = Object.defineProperty(make, "name", { value: "createObjectURL" });
  const revoke = function (this: unknown, url: string): void {
    blobs.delete(url);
    revokeObjectURL.call(win.URL, url);
  };
  win.URL.revokeObjectURL = Object.defineProperty(revoke, "name", { value: "revokeObjectURL" });
}

/**
 * The URL of a worker's script with the agent in front, made for the worker that is about to start. Undefined if page
 * script cannot make one: a proxy adds the agent to the scripts that it serves.
 */
export function withAgent(url: string, text: () => string): string | undefined {
  const blob = blobs.get(url);
  const data = blob ? null : /^data:([^,]*?)(;\s*base64)?,(.*)$/is.exec(url.split("#")[0]);
  if (!blob && (!data || /charset/i.test(data[1]))) return undefined;
  try {
    const agent = text();
    if (!data) return URL.createObjectURL(new Blob([agent, blob!], { type: blob!.type }));
    const [, type, base64, body] = data;
    if (!base64) return `data:${type},${encodeURIComponent(agent)}${body}`;
    return `data:${type};base64,${btoa(agent + atob(decodeURIComponent(body)))}`;
  } catch {
    return undefined; // invalid base64, which the browser reports itself, or no text of the agent
  }
}

/** The options of a worker that gets an agent. The agent reads its first settings from the worker's name. */
export function optionsFor(
  own: WorkerOptions | undefined,
  wants: WantsLetter,
  proxied: boolean,
  agentUrl: string,
): WorkerOptions {
  return { ...own, name: `${WORKER_NAME}${wants}${proxied ? "p" : "-"}${agentUrl} ${own?.name ?? ""}` };
}

/**
 * Waits for the hello of a worker's agent, and hides it from page script. `changed` is the URL that withAgent has
 * made, and is revoked then. `use` gets the port. Returns a function that stops waiting.
 */
export function awaitAgent(worker: Worker, changed: string | undefined, use: (port: MessagePort) => void): () => void {
  const stop = (): void => worker.removeEventListener("message", hear);
  const hear = (e: MessageEvent): void => {
    const m = e.data as WorkerHello | null;
    if (m?.icdp !== "worker" || !e.ports[0]) return;
    e.stopImmediatePropagation();
    stop();
    if (changed?.startsWith("blob:")) URL.revokeObjectURL(changed);
    use(e.ports[0]);
  };
  worker.addEventListener("message", hear);
  return stop;
}
