// Wraps asynchronous XMLHttpRequests of a worker while Clients listen. They are sent by fetch, and this agent
// delivers the response, as the agent of a page does after a pause.

import { Answer, type Answered, fire, shadow } from "../agent/network/xhranswer";
import { DeliveredAnswer } from "../agent/network/xhrdelivery";
import { originals } from "../agent/base/originals";
import { run, wantsNow } from "./requests";

type Xhr = XMLHttpRequest;

const { Request } = window;

/** One request of an XMLHttpRequest, from open to open. */
interface Call extends Answered {
  method: string;
  async: boolean;
  headers: [name: string, value: string][];
  /** Set until the answer comes. Aborts the request. */
  under?: AbortController;
}

const calls = new WeakMap<Xhr, Call>();
/** Stands for an Exchange: the agent of the page reports the request. */
const noExchange = { responded: () => {}, finished: () => {}, failed: () => {} };

/** Wraps XMLHttpRequest. */
export function installXhr(): void {
  const proto = window.XMLHttpRequest.prototype;
  const { open, send, abort, setRequestHeader, overrideMimeType, getResponseHeader, getAllResponseHeaders } = proto;
  Object.assign(proto, {
    open(this: Xhr, ...args: Parameters<Xhr["open"]>) {
      calls.get(this)?.under?.abort();
      calls.delete(this);
      Reflect.apply(open, this, args);
      const [method, address] = args;
      const url = new URL(String(address), location.href).href;
      const async = args.length < 3 || !!args[2];
      calls.set(this, {
        win: window,
        method: String(method).toUpperCase(),
        url,
        async,
        headers: [],
        size: 0,
        exchange: noExchange,
      });
    },
    setRequestHeader(this: Xhr, name: string, value: string) {
      setRequestHeader.call(this, name, value);
      calls.get(this)?.headers.push([String(name), String(value)]);
    },
    overrideMimeType(this: Xhr, mime: string) {
      overrideMimeType.call(this, mime);
      const call = calls.get(this);
      if (call) call.mime = mime;
    },
    send(this: Xhr, body?: XMLHttpRequestBodyInit | null) {
      const call = calls.get(this);
      if (!call?.async || call.under || call.answer || wantsNow() === "-") return send.call(this, body);
      play(this, call, body);
    },
    abort(this: Xhr) {
      const call = calls.get(this);
      if (call?.answer) call.answer.end("abort");
      else if (call?.under) giveUp(this, call, "abort");
      else abort.call(this);
    },
    getResponseHeader(this: Xhr, name: string) {
      const { answer } = calls.get(this) ?? {};
      return answer ? answer.header(name) : getResponseHeader.call(this, name);
    },
    getAllResponseHeaders(this: Xhr) {
      const { answer } = calls.get(this) ?? {};
      return answer ? answer.headers() : getAllResponseHeaders.call(this);
    },
  });
  shadow(proto, (xhr) => calls.get(xhr));
}

function play(xhr: Xhr, call: Call, given?: XMLHttpRequestBodyInit | null): void {
  const { method, url, headers } = call;
  const control = (call.under = new AbortController());
  const body = /^(GET|HEAD)$/.test(method) ? undefined : given;
  const credentials = xhr.withCredentials ? "include" : "same-origin";
  const request = new Request(url, { method, headers, body, credentials, signal: control.signal });
  const timer = xhr.timeout > 0 ? originals.setTimeout(() => giveUp(xhr, call, "timeout"), xhr.timeout) : 0;
  fire(xhr, "loadstart");
  const answered = (how: (a: DeliveredAnswer) => void): void => {
    originals.clearTimeout(timer);
    if (control.signal.aborted || calls.get(xhr) !== call) return;
    call.under = undefined;
    how((call.answer = new DeliveredAnswer(xhr, call)));
  };
  run(request, "XMLHttpRequest").then(
    (r) => answered((a) => void a.deliver(r, r.headers)),
    () => answered((a) => a.end("error")),
  );
}

/** Script, or its time limit, ends a request. */
function giveUp(xhr: Xhr, call: Call, how: "abort" | "timeout"): void {
  call.under?.abort();
  call.under = undefined;
  (call.answer = new Answer(xhr, call)).end(how);
}
