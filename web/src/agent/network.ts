// The Network domain: the document's own request, and what the page's script
// asks for by fetch. Each request is told whole or not at all.

import type { Json } from "../protocol";
import { type Frame, frameOfDocument, mainFrame, splitFragment } from "./frames";
import { type Decision, intercept } from "./intercept";
import { isBundle } from "./lazy";
import { mint, monotonic, originals } from "./originals";
import { ProtocolError, register } from "./registry";
import { isOwnAddress } from "./scriptelement";
import { emit } from "./session";

const MAX_BODIES = 200;
const MAX_BYTES = 20_000_000;
const bodies = new Map<string, ArrayBuffer>();
let held = 0;

function keepBody(id: string, body: ArrayBuffer): void {
  if (body.byteLength > MAX_BYTES) return;
  bodies.set(id, body);
  held += body.byteLength;
  for (const [old, b] of bodies) {
    if (bodies.size <= MAX_BODIES && held <= MAX_BYTES) break;
    bodies.delete(old);
    held -= b.byteLength;
  }
}

/** The answer to the main frame's document, whose request the last document or the Host has told of. */
export function respondDocument(loaderId: string): void {
  const t = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
  const status = (t as unknown as { responseStatus?: number })?.responseStatus || 200;
  emit("Network", "Network.responseReceived", {
    requestId: loaderId, loaderId, timestamp: monotonic(), type: "Document", frameId: mainFrame().id, hasExtraInfo: false,
    response: response(splitFragment(location.href)[0], status, "", {}, document.contentType),
  });
  const encodedDataLength = t?.transferSize ?? 0;
  emit("Network", "Network.loadingFinished", { requestId: loaderId, timestamp: monotonic(), encodedDataLength });
}

/** Network.Response. */
export function response(url: string, status: number, statusText: string, headers: Json, mimeType: string): Json {
  return {
    url, status, statusText, headers, mimeType, charset: "utf-8", connectionReused: false, connectionId: 0,
    fromDiskCache: false, fromServiceWorker: false, fromPrefetchCache: false, encodedDataLength: 0,
    securityState: url.startsWith("https:") ? "secure" : "insecure", protocol: "http/1.1",
  };
}

/** Reports one request of script from its start to its end. */
class Exchange {
  readonly id = mint();
  private readonly frame: Frame;

  constructor(win: Window, private readonly type: string, private readonly url: string, method: string, headers: Json, body?: string) {
    const [plain, urlFragment] = splitFragment(url);
    this.frame = frameOfDocument(win.document) ?? mainFrame();
    const { id: frameId, loaderId } = this.frame;
    emit("Network", "Network.requestWillBeSent", {
      requestId: this.id, loaderId, documentURL: win.location.href, timestamp: monotonic(), wallTime: originals.now() / 1000,
      request: {
        url: plain, ...(urlFragment && { urlFragment }), method, headers, initialPriority: "High",
        referrerPolicy: "strict-origin-when-cross-origin",
        ...(body !== undefined && { hasPostData: true, postData: body, postDataEntries: [{ bytes: base64(new TextEncoder().encode(body).buffer) }] }),
      },
      initiator: { type: "script" }, redirectHasExtraInfo: false, type, frameId, hasUserGesture: false,
    });
  }

  get frameId(): string {
    return this.frame.id;
  }

  responded(status: number, statusText: string, headers: Json, mime: string): void {
    emit("Network", "Network.responseReceived", {
      requestId: this.id, loaderId: this.frame.loaderId, timestamp: monotonic(), type: this.type,
      response: response(this.url, status, statusText, headers, mime), hasExtraInfo: false, frameId: this.frame.id,
    });
  }

  finished(body?: ArrayBuffer): void {
    if (body) keepBody(this.id, body);
    emit("Network", "Network.loadingFinished", {
      requestId: this.id, timestamp: monotonic(), encodedDataLength: body?.byteLength ?? 0,
    });
  }

  failed(errorText: string): void {
    emit("Network", "Network.loadingFailed", {
      requestId: this.id, timestamp: monotonic(), type: this.type, errorText, canceled: errorText === "net::ERR_ABORTED",
    });
  }
}

/** Wraps the request functions of a window. */
export function installNetwork(win: Window & typeof globalThis): void {
  installFetch(win);
  installXhr(win);
  if (win !== window) watchResources(win);
}

const resourceTypes: Record<string, string> = { img: "Image", script: "Script", link: "Stylesheet", css: "Stylesheet" };

const watched = new WeakSet<Performance>(); // a WindowProxy stays the same for the next document

/**
 * Tells of the resources that elements load, after the fact and without
 * headers, and of those from before the call too. The main frame's turn comes
 * when its sessions are back, or what its document loads first would be lost.
 */
export function watchResources(win: Window & typeof globalThis): void {
  if (watched.has(win.performance)) return;
  watched.add(win.performance);
  const told = new Set(["fetch", "xmlhttprequest", "iframe", "frame"]);
  new win.PerformanceObserver((list) => {
    for (const e of list.getEntries() as PerformanceResourceTiming[]) {
      if (told.has(e.initiatorType) || isOwnAddress(e.name) || isBundle(e.name)) continue;
      const x = new Exchange(win, resourceTypes[e.initiatorType] ?? "Other", e.name, "GET", {});
      x.responded((e as unknown as { responseStatus?: number }).responseStatus || 200, "", {}, "");
      x.finished();
    }
  }).observe({ type: "resource", buffered: true });
}

function installFetch(win: Window & typeof globalThis): void {
  const native = win.fetch.bind(win);
  win.fetch = async function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = input instanceof win.Request && !init ? input : undefined;
    const url = new URL(input instanceof win.Request ? input.url : String(input), win.document.baseURI).href;
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    const headers = Object.fromEntries(new win.Headers(init?.headers ?? request?.headers).entries());
    const x = new Exchange(win, "Fetch", url, method, headers, typeof init?.body === "string" ? init.body : undefined);
    try {
      const paused = intercept(x.id, { url, method, headers, initialPriority: "High", referrerPolicy: "strict-origin-when-cross-origin" }, "Fetch", x.frameId);
      const r = paused ? await decided(win, native, await paused, input, init) : await native(input, init);
      const mime = (r.headers.get("content-type") ?? "").split(";")[0];
      x.responded(r.status, r.statusText, Object.fromEntries(r.headers.entries()), mime);
      r.clone().arrayBuffer().then((b) => x.finished(b), () => x.failed("net::ERR_FAILED"));
      return r;
    } catch (e) {
      x.failed((e as Error)?.name === "AbortError" ? "net::ERR_ABORTED" : "net::ERR_FAILED");
      throw e;
    }
  };
}

/** Carries out what the client has decided for a paused fetch. */
function decided(
  win: Window & typeof globalThis, native: typeof fetch, d: Decision, input: RequestInfo | URL, init?: RequestInit,
): Response | Promise<Response> {
  if (d.kind === "fail") throw new win.TypeError("Failed to fetch");
  if (d.kind === "fulfil") {
    const bodiless = [204, 205, 304].includes(d.status);
    return new win.Response(bodiless ? null : (d.body as BodyInit), { status: d.status, statusText: d.statusText, headers: d.headers });
  }
  const changes = { ...(d.method && { method: d.method }), ...(d.headers && { headers: d.headers }), ...(d.body && { body: d.body as BodyInit }) };
  return native(d.url ?? input, { ...init, ...changes });
}

interface Asked {
  method: string;
  url: string;
  headers: Json;
}

function installXhr(win: Window & typeof globalThis): void {
  const proto = win.XMLHttpRequest.prototype;
  const { open, send, setRequestHeader } = proto;
  const asked = new WeakMap<XMLHttpRequest, Asked>();
  proto.open = function (this: XMLHttpRequest, method: string, url: string | URL, ...rest: unknown[]): void {
    asked.set(this, { method: String(method).toUpperCase(), url: String(url), headers: {} });
    Reflect.apply(open, this, [method, url, ...rest]);
  } as typeof proto.open;
  proto.setRequestHeader = function (name: string, value: string): void {
    setRequestHeader.call(this, name, value);
    const a = asked.get(this);
    if (a) a.headers[name] = value;
  };
  proto.send = function (body?: Document | XMLHttpRequestBodyInit | null): void {
    const a = asked.get(this);
    if (a) follow(win, this, a, new URL(a.url, win.document.baseURI).href, typeof body === "string" ? body : undefined);
    send.call(this, body);
  };
}

function follow(win: Window, xhr: XMLHttpRequest, a: Asked, url: string, body: string | undefined): void {
  const x = new Exchange(win, "XHR", url, a.method, a.headers, body);
  xhr.addEventListener("loadend", () => {
    if (xhr.status === 0) return x.failed("net::ERR_FAILED");
    const lines = xhr.getAllResponseHeaders().split("\r\n").filter(Boolean);
    const headers = Object.fromEntries(lines.map((l) => [l.slice(0, l.indexOf(":")), l.slice(l.indexOf(":") + 2)]));
    x.responded(xhr.status, xhr.statusText, headers, (xhr.getResponseHeader("content-type") ?? "").split(";")[0]);
    x.finished(bodyOf(xhr));
  }, { once: true });
}

function bodyOf(xhr: XMLHttpRequest): ArrayBuffer | undefined {
  if (xhr.response instanceof ArrayBuffer) return xhr.response;
  if (xhr.responseType === "json") return new TextEncoder().encode(JSON.stringify(xhr.response)).buffer;
  return xhr.responseType === "" || xhr.responseType === "text" ? new TextEncoder().encode(xhr.responseText).buffer : undefined;
}

function base64(bytes: ArrayBufferLike): string {
  let text = "";
  for (const b of new Uint8Array(bytes)) text += String.fromCharCode(b);
  return btoa(text);
}

async function getResponseBody(p: Json): Promise<Json> {
  if (p.requestId === mainFrame().loaderId) {
    return { body: await (await originals.fetch(location.href, { cache: "force-cache" })).text(), base64Encoded: false };
  }
  const bytes = bodies.get(p.requestId);
  if (!bytes) throw new ProtocolError("No resource with given identifier found");
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(bytes), base64Encoded: false };
  } catch {
    return { body: base64(bytes), base64Encoded: true };
  }
}

register("Network", {
  enable: () => {},
  disable: () => {},
  getResponseBody,
  setCacheDisabled: () => {},
  setBypassServiceWorker: () => {},
  emulateNetworkConditions: () => {},
  setAttachDebugStack: () => {},
});
