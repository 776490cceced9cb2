// The agent of a page and those of its dedicated workers: JSON text over the
// MessagePort that comes with the hello.

import type { CdpEvent, Command, Response } from "./cdp";
import type { HeaderPairs } from "./proxy";

/**
 * The prefix of a worker's name if an agent has started the worker. After it: the letter for the requests of the
 * worker; "p" if a proxy serves scripts with the agent, or else "-"; a blob: URL of the worker agent; a space; and the
 * worker's own name. In other workers the agent does nothing, because no page would listen to it.
 */
export const WORKER_NAME = "cdphub:w:";

/** What Clients want of requests: "h": hold (pause) them; "t": tell (report) them; "-": neither. */
export type WantsLetter = "h" | "t" | "-";

/** A worker's agent to its page, by the worker's own postMessage, with one MessagePort in the transfer list. */
export interface WorkerHello {
  icdp: "worker";
  v: number;
}

/** The worker's script makes a request. */
export interface WorkerRequest {
  worker: "request";
  id: number;
  by: "fetch" | "XMLHttpRequest";
  url: string;
  method: string;
  headers: HeaderPairs;
  /** Base64. */
  body?: string;
  mode: RequestMode;
  credentials: RequestCredentials;
  referrerPolicy: ReferrerPolicy;
  /** Redirects are followed. */
  follows: boolean;
  /** It waits for a decision. */
  held: boolean;
}

/** A request that waits goes on, changed where a field says so. */
export interface WorkerGo {
  worker: "go";
  id: number;
  url?: string;
  method?: string;
  headers?: HeaderPairs;
  /** Base64. */
  body?: string;
  /** The response is to be sent whole, and to wait for a WorkerFulfill or WorkerFail. */
  see: boolean;
}

/** What a request that waits is answered with. */
export interface WorkerFulfill {
  worker: "fulfill";
  id: number;
  url: string;
  status: number;
  statusText: string;
  headers: HeaderPairs;
  type: ResponseType;
  redirected: boolean;
  /** Base64. */
  body: string;
}

/** The head of a response has come; with `body` all of it. */
export interface WorkerResponse {
  worker: "response";
  id: number;
  url: string;
  status: number;
  statusText: string;
  headers: HeaderPairs;
  /** Base64. */
  body?: string;
}

/** The body of a response has come. */
export interface WorkerBody {
  worker: "body";
  id: number;
  /** Bytes. */
  length: number;
  /** Base64; absent where it is too long. */
  body?: string;
}

/** A request has failed, or script has given it up. */
export interface WorkerFailed {
  worker: "failed";
  id: number;
  aborted: boolean;
}

/** What the page's agent decides of a request that waits. */
export type WorkerDecision =
  | WorkerGo
  | WorkerFulfill
  /** The request fails. */
  | { worker: "fail"; id: number };
/** What a worker's agent says of a request. */
export type WorkerNews = WorkerRequest | WorkerResponse | WorkerBody | WorkerFailed;

/** The page's agent to a worker's. */
export type ToWorker =
  /** A session of a Client with the worker begins. */
  | { worker: "attached"; sessionId: string }
  /** A session of a Client with the worker ends. */
  | { worker: "detached"; sessionId: string }
  /** What Clients want of the worker's requests, and whether one emulates that the network is offline. */
  | { worker: "wants"; wants: WantsLetter; offline: boolean }
  | WorkerDecision
  | (Command & { worker?: undefined });

/** A worker's agent to the page's. */
export type FromWorker =
  /** The worker closes itself. */
  | { worker: "closes" }
  /** The worker's script has started a worker, whose MessagePort comes in the transfer list. `key` says which. */
  | { worker: "nested"; key: number; url: string; wants: WantsLetter }
  /** The worker's script has ended a worker. */
  | { worker: "nestedends"; key: number }
  | WorkerNews
  | (CdpEvent & { worker?: undefined; id?: undefined })
  | (Response & { worker?: undefined });
