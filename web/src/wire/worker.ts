// The agent of a page and those of its dedicated workers: JSON text over the
// MessagePort that comes with the hello.

import type { CdpEvent, Command, Response } from "./cdp";

/**
 * What the name of a worker begins with that an agent has started. The worker's own name follows. In
 * others the worker's agent does nothing: nobody would hear it.
 */
export const WORKER_NAME = "cdphub:w:";

/** A worker's agent to its page, by the worker's own postMessage, with one MessagePort in the transfer list. */
export interface WorkerHello {
  icdp: "worker";
  v: number;
}

/** A session of a client with the worker begins or ends. */
export interface WorkerSession {
  worker: "attached" | "detached";
  sessionId: string;
}

/** The worker closes itself. */
export interface WorkerCloses {
  worker: "closes";
}

export type ToWorker = WorkerSession | (Command & { worker?: undefined });
export type FromWorker =
  | WorkerCloses
  | (CdpEvent & { worker?: undefined; id?: undefined })
  | (Response & { worker?: undefined });
