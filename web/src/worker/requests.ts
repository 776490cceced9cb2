// Wraps fetch of a worker. The agent of the page reports the requests to Clients, and sends what they have decided.

import type { FromWorker, WantsLetter, WorkerDecision, WorkerFulfill, WorkerGo, WorkerRequest } from "../wire/worker";
import { base64, bytesOf } from "../agent/network/payload";
import { initOf, withOverrides } from "../agent/network/responses";

/** In bytes. Of a longer body Clients get only the length. */
const MAX_BODY = 20_000_000;

const { Request, Response } = window;
const native = window.fetch.bind(window);
let wants: WantsLetter = "-";
let offline = false;
let post: (m: FromWorker) => void;
let serial = 0;
const waiting = new Map<number, (d: WorkerDecision) => void>();

/** Sets what Clients want, and whether one emulates that the network is offline. */
export function setWants(letter: WantsLetter, off = false): void {
  wants = letter;
  if (off === offline) return;
  offline = off;
  window.dispatchEvent(new Event(off ? "offline" : "online"));
}

/** What Clients want now. */
export function wantsNow(): WantsLetter {
  return wants;
}

/** The page's agent has decided about a request. */
export function decided(d: WorkerDecision): void {
  waiting.get(d.id)?.(d);
}

/** Wraps fetch. `send` sends messages to the agent of the page. */
export function installRequests(send: typeof post): void {
  post = send;
  const prototype: object = Object.getPrototypeOf(navigator);
  const online = Object.getOwnPropertyDescriptor(prototype, "onLine");
  if (online?.get) {
    const { get } = online;
    Object.defineProperty(prototype, "onLine", { ...online, get: () => get.call(navigator) && !offline });
  }
  window.fetch = {
    fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
      let request: Request;
      try {
        if (wants === "-" || init?.body instanceof ReadableStream) return native(input, init);
        request = new Request(input, init);
      } catch {
        return native(input, init); // rejects with the browser's own error
      }
      return run(request);
    },
  }.fetch;
}

/** Makes a request of script, and reports it. */
export async function run(request: Request, by: WorkerRequest["by"] = "fetch"): Promise<Response> {
  const id = ++serial;
  const { url, method, mode, credentials, referrerPolicy, signal } = request;
  const held = wants === "h" && !url.startsWith("data:");
  const sent = /^(GET|HEAD)$/.test(method) ? undefined : await request.clone().arrayBuffer();
  const body = sent && sent.byteLength <= MAX_BODY ? encoded(sent) : undefined;
  const headers = [...request.headers];
  const follows = request.redirect === "follow";
  const common = { url, method, headers, mode, credentials, referrerPolicy, follows, held, body };
  post({ worker: "request", id, by, ...common });
  try {
    return held ? await hold(id, request) : await send(id, request);
  } catch (e) {
    post({ worker: "failed", id, aborted: signal.aborted });
    throw e;
  } finally {
    waiting.delete(id);
  }
}

/** Sends a request, and reports the response. */
async function send(id: number, request: Request): Promise<Response> {
  const r = await native(request);
  post({ worker: "response", id, ...head(r) });
  r.clone()
    .arrayBuffer()
    .then(
      (b) => post({ worker: "body", id, length: b.byteLength, ...(b.byteLength <= MAX_BODY && { body: encoded(b) }) }),
      () => post({ worker: "failed", id, aborted: request.signal.aborted }),
    );
  return r;
}

/** Waits for the decision of Clients. */
async function hold(id: number, request: Request): Promise<Response> {
  for (;;) {
    const d = await decision(id, request.signal);
    if (d.worker === "fulfill") return made(d);
    if (d.worker === "fail") throw new TypeError("Failed to fetch");
    const changed = await edited(request, d);
    if (!d.see) return send(id, changed);
    const r = await native(changed);
    post({ worker: "response", id, ...head(r), body: await bytesIn(r.clone()) });
  }
}

function decision(id: number, signal: AbortSignal): Promise<WorkerDecision> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(signal.reason);
    if (signal.aborted) return gone();
    signal.addEventListener("abort", gone, { once: true });
    waiting.set(id, resolve);
  });
}

/** A request as Clients have changed it. */
async function edited(request: Request, d: WorkerGo): Promise<Request> {
  const { url, method, headers, body } = d;
  if (url === undefined && method === undefined && headers === undefined && body === undefined) return request;
  const verb = method ?? request.method;
  const bodiless = /^(GET|HEAD)$/i.test(verb);
  const bytes = body !== undefined ? bytesOf(body) : new Uint8Array(await request.clone().arrayBuffer());
  return new Request(url ?? request.url, {
    ...initOf(request),
    method: verb,
    headers: headers ?? request.headers,
    body: bodiless ? undefined : (bytes as Uint8Array<ArrayBuffer>),
  });
}

function made({ url, status, statusText, headers, type, redirected, body }: WorkerFulfill): Response {
  if (type === "opaque")
    return withOverrides(new Response(null), { url: "", status: 0, statusText: "", ok: false, type });
  const bytes = [204, 205, 304].includes(status) ? null : (bytesOf(body) as Uint8Array<ArrayBuffer>);
  return withOverrides(new Response(bytes, { status, statusText, headers }), { url, redirected, type });
}

function head(r: Response): { url: string; status: number; statusText: string; headers: [string, string][] } {
  return { url: r.url, status: r.status, statusText: r.statusText, headers: [...r.headers] };
}

async function bytesIn(from: Request | Response): Promise<string> {
  return encoded(await from.arrayBuffer());
}

const encoded = (b: ArrayBuffer): string => base64(new Uint8Array(b));
