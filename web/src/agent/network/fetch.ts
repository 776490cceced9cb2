// Wraps window.fetch: reports requests, pauses them for Clients, and reads bodies in parallel with the page.

import { intercepted, interceptionOf, wanted } from "./intercept";
import { tellFailure } from "./failure";
import type { Asker } from "./cors";
import { type Draft, FailedByClient, draftOf, isMadeUp } from "./draft";
import { initOf, withOverrides } from "./responses";
import { Exchange } from "./exchange";
import { atProxy, isRedirected } from "../page/moved";
import { type Payload, boundaryOf, payloadOf } from "./payload";
import { countUnreported } from "./reporter";
import { followBody } from "./responsebody";
import { isUnreported, logUnreportedFailure, logUnreportedResponse } from "./unreported";

type Win = Window & typeof globalThis;

/** The bodies that Request objects were made with. Reading the body of a Request would consume it. */
const bodies = new WeakMap<Request, unknown>();
const { apply } = Reflect;

/** Wraps fetch and Request of a window. */
export function installFetch(win: Win): void {
  const native = win.fetch.bind(win);
  const NativeRequest = win.Request;
  const clone = NativeRequest.prototype.clone;
  const noted = (r: Request, body: unknown): Request => {
    if (body !== undefined && body !== null) bodies.set(r, body);
    return r;
  };
  win.Request = new Proxy(NativeRequest, {
    construct(target, args: [RequestInfo | URL, RequestInit?], newTarget) {
      return noted(Reflect.construct(target, args, newTarget) as Request, given(args[0], args[1]));
    },
  });
  NativeRequest.prototype.constructor = win.Request;
  NativeRequest.prototype.clone = function (): Request {
    return noted(clone.call(this), bodies.get(this));
  };
  win.fetch = {
    fetch(input: RequestInfo | URL, ...rest: [init?: RequestInit]): Promise<Response> {
      // biome-ignore lint/complexity/noArguments: no argument at all differs from undefined
      if (isUnreported() && !isMoved(win, input)) return fetchUnreported(win, native, NativeRequest, arguments);
      let request: Request;
      try {
        // biome-ignore lint/complexity/noArguments: no argument at all differs from undefined
        request = Reflect.construct(NativeRequest, arguments) as Request;
      } catch {
        // biome-ignore lint/complexity/noArguments: no argument at all differs from undefined
        return Reflect.apply(native, undefined, arguments) as Promise<Response>; // rejects with the browser's own error
      }
      const payload = payloadOf(given(input, rest[0]), boundaryOf(request.headers.get("content-type")));
      return run({ win, native, NativeRequest, request, payload });
    },
  }.fetch;
}

/** Whether a request goes to the app's own origin, so that the proxy must get it: see page/moved.ts. */
function isMoved(win: Win, input: RequestInfo | URL): boolean {
  if (!isRedirected()) return false;
  const to = typeof input === "string" ? input : ((input as Request | undefined)?.url ?? String(input));
  return atProxy(to, win.document.baseURI) !== to;
}

/** Makes a request that no session listens to. */
async function fetchUnreported(
  win: Win,
  native: typeof fetch,
  NativeRequest: typeof Request,
  args: IArguments,
): Promise<Response> {
  const over = countUnreported(win);
  try {
    const r = (await apply(native, undefined, args)) as Response;
    if (r.status >= 400) logUnreportedResponse(addressOf(NativeRequest, args) ?? r.url, r.status, r.statusText);
    return r;
  } catch (e) {
    const url = (e as Error | undefined)?.name === "AbortError" ? undefined : addressOf(NativeRequest, args);
    if (url) logUnreportedFailure(url);
    throw e;
  } finally {
    over();
  }
}

/** The URL in the arguments of fetch. Undefined if there is none, or the page has aborted the request. */
function addressOf(NativeRequest: typeof Request, args: IArguments): string | undefined {
  try {
    const { url, signal } = Reflect.construct(NativeRequest, args) as Request;
    return signal.aborted ? undefined : url;
  } catch {
    return (args[0] as Request | undefined)?.url; // no copy can be made of a Request whose body has been sent
  }
}

function given(input: unknown, init: RequestInit | undefined): unknown {
  return init?.body ?? bodies.get(input as Request);
}

interface Call {
  win: Win;
  native: typeof fetch;
  NativeRequest: typeof Request;
  request: Request;
  payload?: Payload;
}

/** Script does not get the response, because of CORS. This has been reported. */
class Refused extends Error {}

async function run(call: Call): Promise<Response> {
  const { win, native, request, payload } = call;
  const { method, signal, referrerPolicy } = request;
  if (signal.aborted) return native(request); // there is no request
  const url = atProxy(request.url);
  const headers = Object.fromEntries(request.headers);
  const asks = { origin: win.origin, mode: request.mode, credentials: request.credentials, by: "fetch" as const };
  const x = new Exchange(win, "Fetch", { url, method, headers, payload, referrerPolicy, pausable: true });
  try {
    const draft = draftOf(url, method, [...request.headers], payload);
    const asked = url === request.url ? undefined : draft;
    const send = (changed = asked): Promise<Response> => (changed ? resend(call, changed) : native(request));
    const r = wanted(url)
      ? (await intercepted({ exchange: x, win, draft, signal, send, follows: request.redirect === "follow" }))!
      : await send();
    const asker: Asker = { ...asks, url: r.url || url };
    const refused = interceptionOf(r)?.judge(r, asker);
    if (refused) {
      x.refused(refused);
      throw new Refused();
    }
    x.responded({
      url: r.url || url,
      status: r.status,
      statusText: r.statusText,
      headers: Object.fromEntries(r.headers),
      made: isMadeUp(r),
    });
    const seen = interceptionOf(r)?.seenByScript(win, r, asker) ?? r;
    followBody(x, seen.type === "opaque" ? r : seen);
    return seen;
  } catch (e) {
    if (e instanceof Refused) throw new win.TypeError("Failed to fetch");
    if (e instanceof FailedByClient) {
      x.failed(e.message, e.message === "net::ERR_ABORTED");
      throw new win.TypeError("Failed to fetch");
    }
    if (signal.aborted) x.failed("net::ERR_ABORTED", true);
    else void tellFailure(x, { ...asks, url });
    throw e;
  }
}

/** Sends a request as a Client has changed it. The page sees the address that it asked for. */
async function resend({ native, NativeRequest, request }: Call, draft: Draft): Promise<Response> {
  const { body: replaced } = draft.changed;
  const bodiless = /^(GET|HEAD)$/i.test(draft.method);
  const body = bodiless
    ? undefined
    : ((replaced ?? (request.body && (await request.arrayBuffer()))) as BodyInit | undefined);
  const { method, headers } = draft;
  const r = await native(new NativeRequest(draft.url, { ...initOf(request), method, headers, body }));
  return r.url === draft.url && draft.url !== draft.shown
    ? withOverrides(r, { url: draft.shown, redirected: false })
    : r;
}
