// How a worker gets its agent: the script of a worker with the agent in front of it. The agent stands in
// the same text, since what a worker is told before it has loaded another script
// would be lost, and in its first line, since lines are counted in errors.

import { WORKER_NAME, type WantsLetter, type WorkerHello } from "../../wire/worker";

type Win = Window & typeof globalThis;

/** What script has made blob: addresses of. */
const blobs = new Map<string, Blob>();

/** Remembers what a window makes addresses of, for workers with such an address. */
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
 * The address of a worker's script with the agent, made for the worker that is about to be started;
 * undefined where page script cannot add one. A proxy adds it to what it serves.
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
    return undefined; // no base64, which the browser is to say, or no text of the agent
  }
}

/** The options of a worker that is to have an agent. Its name says what that has to know from the beginning. */
export function optionsFor(
  own: WorkerOptions | undefined,
  wants: WantsLetter,
  proxied: boolean,
  agentUrl: string,
): WorkerOptions {
  return { ...own, name: `${WORKER_NAME}${wants}${proxied ? "p" : "-"}${agentUrl} ${own?.name ?? ""}` };
}

/**
 * Takes the hello of a worker's agent, before script hears it. `changed` is the address that withAgent has
 * made, which has done its work by then. Returns what stops that.
 */
export function awaitAgent(worker: Worker, changed: string | undefined, came: (port: MessagePort) => void): () => void {
  const stop = (): void => worker.removeEventListener("message", hear);
  const hear = (e: MessageEvent): void => {
    const m = e.data as WorkerHello | null;
    if (m?.icdp !== "worker" || !e.ports[0]) return;
    e.stopImmediatePropagation();
    stop();
    if (changed?.startsWith("blob:")) URL.revokeObjectURL(changed);
    came(e.ports[0]);
  };
  worker.addEventListener("message", hear);
  return stop;
}

/** The absolute address; "" for what is none, and what the browser is to say so of. */
export function absolute(url: string | URL, base: string): string {
  try {
    return new URL(String(url), base).href;
  } catch {
    return "";
  }
}
