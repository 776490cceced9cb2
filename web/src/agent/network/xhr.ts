// Wraps XMLHttpRequest: reports requests, and pauses asynchronous ones. The object stays the browser's own; the agent
// delivers only responses that a Client has seen or made up.

import { answerFor, intercepted, interceptionOf, wanted } from "./intercept";
import { hexId, originals } from "../base/originals";
import { tellFailure } from "./failure";
import { netErrorOf } from "./neterror";
import type { Asker } from "./cors";
import { type Draft, FailedByClient, draftOf } from "./draft";
import { Exchange } from "./exchange";
import { atProxy } from "../page/moved";
import { multipart, payloadOf } from "./payload";
import { countUnreported } from "./reporter";
import { isUnreported, logUnreportedFailure, logUnreportedResponse } from "./unreported";
import { Answer, type Answered, fire, shadow } from "./xhranswer";

type Win = Window & typeof globalThis;
type Proto = XMLHttpRequest;
type Body = Document | XMLHttpRequestBodyInit | null | undefined;

/** One request of an XMLHttpRequest, from open to open. */
interface Call extends Answered {
  args: unknown[];
  method: string;
  async: boolean;
  headers: [name: string, value: string][];
  body?: Body;
  exchange?: Exchange;
  /** Set while Clients decide. Aborts the request. */
  paused?: AbortController;
  /** The agent has fired loadstart. The browser's own would be the second. */
  started?: boolean;
  /** Ends the count of a request that is not reported. */
  over?(): void;
}

const calls = new WeakMap<XMLHttpRequest, Call>();
const { apply } = Reflect;

const WRAPPED = [
  "open",
  "send",
  "abort",
  "setRequestHeader",
  "overrideMimeType",
  "getResponseHeader",
  "getAllResponseHeaders",
] as const;

/** The original methods of one window. */
type Natives = Pick<Proto, (typeof WRAPPED)[number]>;

/** Wraps XMLHttpRequest of a window. */
export function installXhr(win: Win): void {
  const proto = win.XMLHttpRequest.prototype;
  const native = Object.fromEntries(WRAPPED.map((name) => [name, (proto as Natives)[name]])) as unknown as Natives;
  // Chromium calls listeners of these objects in the order in which they were added, also capturing ones.
  win.XMLHttpRequest = proto.constructor = new Proxy(win.XMLHttpRequest, {
    construct(target, args, newTarget) {
      const xhr = Reflect.construct(target, args, newTarget) as Proto;
      xhr.addEventListener("loadstart", swallow);
      return xhr;
    },
  });
  const invalid = (what: string): never => {
    throw new win.DOMException(
      `Failed to execute '${what}' on 'XMLHttpRequest': The object's state must be OPENED.`,
      "InvalidStateError",
    );
  };
  Object.assign(proto, {
    open(this: Proto, ...args: Parameters<Proto["open"]>) {
      const moved =
        args.length > 1 ? [args[0], atProxy(String(args[1]), win.document.baseURI), ...args.slice(2)] : args;
      apply(native.open, this, moved);
      opened(win, this, moved);
    },
    setRequestHeader(this: Proto, name: string, value: string) {
      const call = calls.get(this);
      if (call?.paused || call?.answer) return invalid("setRequestHeader");
      apply(native.setRequestHeader, this, [name, value]);
      call?.headers.push([String(name), String(value).trim()]);
    },
    overrideMimeType(this: Proto, mime: string) {
      native.overrideMimeType.call(this, mime);
      const call = calls.get(this);
      if (call) call.mime = mime;
    },
    send(this: Proto, body?: Body) {
      const call = calls.get(this);
      if (call?.paused || call?.answer) return invalid("send");
      if (!call || call.exchange || this.readyState !== 1) return native.send.call(this, body);
      if (call.async && isUnreported()) sendUnreported(this, call, native, body);
      else begin(this, call, native, body);
    },
    abort(this: Proto) {
      const call = calls.get(this);
      if (call?.answer) call.answer.end("abort");
      else if (call?.paused) giveUp(this, call, "abort");
      else native.abort.call(this);
    },
    getResponseHeader(this: Proto, name: string) {
      const { answer } = calls.get(this) ?? {};
      return answer ? answer.header(name) : native.getResponseHeader.call(this, name);
    },
    getAllResponseHeaders(this: Proto) {
      const { answer } = calls.get(this) ?? {};
      return answer ? answer.headers() : native.getAllResponseHeaders.call(this);
    },
  });
  shadow(proto, (xhr) => calls.get(xhr));
}

function opened(win: Win, xhr: Proto, args: unknown[]): void {
  const before = calls.get(xhr);
  if (before?.paused) before.paused.abort();
  before?.exchange?.failed("net::ERR_ABORTED", true);
  before?.over?.();
  const base = win.document.baseURI;
  calls.set(xhr, {
    win,
    args,
    headers: [],
    size: 0,
    mime: before?.mime,
    method: String(args[0]).toUpperCase(),
    get url() {
      return new URL(String(args[1]), base).href;
    },
    async: args.length < 3 || !!args[2],
  });
}

/** Hides the browser's loadstart event, if the agent has fired one for a paused request. */
function swallow(this: XMLHttpRequest, e: Event): void {
  if (e.isTrusted && calls.get(this)?.started) e.stopImmediatePropagation();
}

// ---------------------------------------------------------------- sending

/** Sends a request that no session listens to. */
function sendUnreported(xhr: Proto, call: Call, native: Natives, body: Body): void {
  call.over = countUnreported(call.win);
  const ended = (e: Event): void => {
    xhr.removeEventListener("error", ended);
    xhr.removeEventListener("loadend", ended);
    if (calls.get(xhr) !== call) return;
    call.over?.();
    if (e.type === "error") logUnreportedFailure(call.url);
    else logUnreportedResponse(call.url, xhr.status, xhr.statusText);
  };
  xhr.addEventListener("error", ended);
  xhr.addEventListener("loadend", ended);
  apply(native.send, xhr, [body]);
}

function begin(xhr: Proto, call: Call, native: Natives, given: Body): void {
  const bodiless = call.method === "GET" || call.method === "HEAD";
  let body = bodiless ? null : given;
  // A form without files is encoded here, as the browser would, so that its bytes and their boundary are known.
  if (
    originals.objectTag.call(body) === "[object FormData]" &&
    !call.headers.some(([n]) => /^content-type$/i.test(n))
  ) {
    const boundary = `----WebKitFormBoundary${hexId(16)}`;
    const bytes = multipart(body as FormData, boundary);
    if (bytes) {
      xhr.setRequestHeader("Content-Type", `multipart/form-data; boundary=${boundary}`);
      body = bytes as Uint8Array<ArrayBuffer>;
    }
  }
  call.body = body;
  const payload = payloadOf(body);
  call.size = payload?.bytes?.length ?? payload?.blob?.size ?? 0;
  const headers = merged(call.headers);
  if (payload?.type && !Object.keys(headers).some((n) => n.toLowerCase() === "content-type"))
    headers["Content-Type"] = payload.type;
  const x = (call.exchange = new Exchange(call.win, "XHR", {
    url: call.url,
    method: call.method,
    headers,
    payload,
    pausable: call.async,
  }));
  if (call.async && wanted(call.url))
    return hold(xhr, call, native, draftOf(call.url, call.method, Object.entries(headers), payload));
  watch(xhr, call, x);
  try {
    native.send.call(xhr, body);
  } catch (e) {
    x.failed(...netErrorOf(call.url));
    throw e;
  }
  if (!call.async) settle(xhr, call, x, "load");
}

function merged(pairs: [string, string][]): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const same = Object.keys(out).find((n) => n.toLowerCase() === name.toLowerCase()) ?? name;
    out[same] = same in out ? `${out[same]}, ${value}` : value;
  }
  return out;
}

/** Pauses until the Clients have decided. */
function hold(xhr: Proto, call: Call, native: Natives, draft: Draft): void {
  const control = (call.paused = new AbortController());
  call.started = true;
  const timer = xhr.timeout > 0 ? originals.setTimeout(() => giveUp(xhr, call, "timeout"), xhr.timeout) : 0;
  const done = (): void => {
    originals.clearTimeout(timer);
    call.paused = undefined;
  };
  const send = (changed: Draft | undefined, toBeSeen: boolean): Promise<Response | undefined> => {
    if (toBeSeen) return byFetch(xhr, call, changed ?? draft, control.signal);
    done();
    continued(xhr, call, native, changed);
    return Promise.resolve(undefined);
  };
  fire(xhr, "loadstart");
  if (control.signal.aborted || calls.get(xhr) !== call) return originals.clearTimeout(timer);
  intercepted({ exchange: call.exchange!, win: call.win, draft, signal: control.signal, send, follows: true }).then(
    (r) => {
      if (!r || calls.get(xhr) !== call) return;
      done();
      const answer = (call.answer = answerFor(xhr, call));
      const asker = askerOf(xhr, call, r.url || call.url);
      const refused = interceptionOf(r)?.judge(r, asker);
      if (!refused) return void answer.deliver(r, interceptionOf(r)?.headersSeen(r, asker) ?? r.headers);
      call.exchange?.refused(refused);
      answer.end("error");
    },
    (e) => {
      if (control.signal.aborted || calls.get(xhr) !== call) return;
      done();
      const [text, ...more] =
        e instanceof FailedByClient ? ([e.message, e.message === "net::ERR_ABORTED"] as const) : netErrorOf(call.url);
      call.exchange?.failed(text, ...more);
      (call.answer = new Answer(xhr, call)).end("error");
    },
  );
}

function askerOf(xhr: Proto, { win }: Call, url: string): Asker {
  return {
    origin: win.origin,
    url,
    mode: "cors",
    credentials: xhr.withCredentials ? "include" : "same-origin",
    by: "XMLHttpRequest",
  };
}

/** The page, or its time limit, ends a paused request. */
function giveUp(xhr: Proto, call: Call, how: "abort" | "timeout"): void {
  call.paused?.abort();
  call.paused = undefined;
  call.exchange?.failed("net::ERR_ABORTED", true);
  (call.answer = new Answer(xhr, call)).end(how);
}

/** Sends a request that was paused, with the changes of Clients. */
function continued(xhr: Proto, call: Call, native: Natives, changed: Draft | undefined): void {
  if (changed) {
    const [, , , user, password] = call.args;
    Reflect.apply(native.open, xhr, [changed.method, changed.url, true, user, password]); // open() removes the headers
    for (const [name, value] of changed.headers) native.setRequestHeader.call(xhr, name, value);
    if (call.mime !== undefined) native.overrideMimeType.call(xhr, call.mime);
    if (changed.url !== changed.shown)
      call.shown = { real: changed.url.split("#")[0], as: changed.shown.split("#")[0] };
  }
  watch(xhr, call, call.exchange!);
  native.send.call(xhr, (changed?.changed.body as Uint8Array<ArrayBuffer> | undefined) ?? call.body);
}

/** Sends it by fetch, for a Client that wants to see the response before the page does. */
async function byFetch(xhr: Proto, call: Call, draft: Draft, signal: AbortSignal): Promise<Response> {
  const body = (draft.changed.body ?? call.body ?? undefined) as BodyInit | undefined;
  return originals.fetch(draft.url, {
    method: draft.method,
    headers: draft.headers,
    body: /^(GET|HEAD)$/.test(draft.method) ? undefined : body,
    credentials: xhr.withCredentials ? "include" : "same-origin",
    signal,
  });
}

// ---------------------------------------------------------------- telling

/** Reports the response of a request that the browser carries out. */
function watch(xhr: Proto, call: Call, x: Exchange): void {
  const kinds = ["readystatechange", "load", "error", "abort", "timeout"];
  const f = (e: Event): void => {
    if (calls.get(xhr) !== call || call.answer) return;
    if (e.type !== "readystatechange") settle(xhr, call, x, e.type);
    else if (xhr.readyState === 2) tellHeaders(xhr, x);
    if (x.over) for (const k of kinds) xhr.removeEventListener(k, f, true);
  };
  for (const k of kinds) xhr.addEventListener(k, f, true);
}

function tellHeaders(xhr: Proto, x: Exchange): void {
  if (!xhr.status) return;
  const headers: Record<string, string> = {};
  for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
    const i = line.indexOf(": ");
    if (i > 0) headers[line.slice(0, i)] = line.slice(i + 2);
  }
  x.responded({ url: xhr.responseURL, status: xhr.status, statusText: xhr.statusText, headers });
}

function settle(xhr: Proto, call: Call, x: Exchange, how: string): void {
  if (x.over) return;
  if (how === "abort" || how === "timeout") return x.failed("net::ERR_ABORTED", true);
  if (how === "error") return void tellFailure(x, askerOf(xhr, call, x.request.url));
  if (xhr.readyState === 4 && !x.answered) tellHeaders(xhr, x); // a synchronous request has no event for readyState 2
  const body = x.heard ? bodyOf(xhr) : undefined;
  if (body instanceof Promise)
    body.then(
      (b) => x.finished(b),
      () => x.finished(),
    );
  else x.finished(body);
}

function bodyOf(xhr: Proto): Uint8Array | Promise<Uint8Array> | undefined {
  const { response, responseType } = xhr;
  if (responseType === "" || responseType === "text") return new TextEncoder().encode(response);
  if (response === null) return undefined;
  if (responseType === "arraybuffer") return new Uint8Array((response as ArrayBuffer).slice(0));
  if (responseType === "json") return new TextEncoder().encode(JSON.stringify(response));
  if (responseType === "blob") return (response as Blob).arrayBuffer().then((b) => new Uint8Array(b));
  return new TextEncoder().encode((response as Document).documentElement?.outerHTML ?? "");
}
