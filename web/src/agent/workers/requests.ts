// Requests of a worker's script. The Network domain of the worker's sessions reports them, and the Fetch domain of
// the page's sessions pauses them, as in Chromium.

import type { EventName, EventParams } from "../../cdp";
import type { HeaderPairs } from "../../wire/proxy";
import type {
  ToWorker,
  WorkerBody,
  WorkerFailed,
  WorkerNews,
  WorkerRequest,
  WorkerResponse,
  WantsLetter,
} from "../../wire/worker";
import { originals } from "../base/originals";
import { type Session, allSessions } from "../base/session";
import type { Asker } from "../network/cors";
import { type Draft, FailedByClient, draftOf, isMadeUp } from "../network/draft";
import { Exchange } from "../network/exchange";
import { tellFailure } from "../network/failure";
import { intercepted, interceptionOf, mayPause } from "../network/intercept";
import { atProxy } from "../page/moved";
import { base64, bytesOf } from "../network/payload";
import { PATIENCE_MS, isReady } from "../network/reporter";
import { withOverrides } from "../network/responses";

/** What Clients want to do with the requests of a worker with these sessions. */
export function wantsNow(own: Session[] = []): WantsLetter {
  if (mayPause()) return "h";
  return !isReady() || [...allSessions(), ...own].some((s) => s.enabled.has("Network")) ? "t" : "-";
}

/** A request under way. */
interface UnderWay {
  exchange: Exchange;
  asker: Asker;
  /** Aborted when script aborts it. */
  control: AbortController;
  /** Takes the response or the failure, if a Client wants to see it before script does. */
  see?: (r: Response | Error) => void;
}

type Win = Window & typeof globalThis;

const MAX_EARLY = 1000;

export class WorkerRequests {
  private readonly underWay = new Map<number, UnderWay>();
  /** Events from before the first session: a worker starts without waiting for one. */
  private early: ((s: Session) => void)[] | undefined = [];

  constructor(
    private readonly url: string,
    private readonly win: Win,
    private readonly post: (message: ToWorker) => void,
    /** The worker's sessions. */
    private readonly sessions: () => Iterable<Session>,
    /** Called when Clients may want something else of its requests. */
    private readonly changed: () => void,
  ) {
    originals.setTimeout(() => (this.early = undefined), PATIENCE_MS);
  }

  /** Sends an event to the sessions that have Network enabled. */
  tell<M extends EventName>(method: M, params: EventParams<M>): void {
    for (const s of this.sessions()) if (s.enabled.has("Network")) s.emit(method, params);
    if (this.early && this.early.length < MAX_EARLY) this.early.push((s) => s.emit(method, params));
  }

  /** Network.enable in one of the worker's sessions. */
  enable(s: Session): void {
    if (s.enabled.has("Network")) return;
    s.enabled.add("Network");
    this.changed();
    for (const f of this.early ?? []) f(s);
  }

  /** Network.disable in one of the worker's sessions. */
  disable(s: Session): void {
    s.enabled.delete("Network");
    this.changed();
  }

  /** Handles a message of the worker about a request. */
  receive(m: WorkerNews): void {
    if (m.worker === "request") return void this.begin(m);
    const u = this.underWay.get(m.id);
    if (!u) return;
    if (m.worker === "response") return this.responded(m, u);
    this.underWay.delete(m.id);
    if (m.worker === "body") this.finished(m, u);
    else this.failed(m, u);
  }

  /** The worker has ended. */
  end(): void {
    for (const u of this.underWay.values()) {
      u.control.abort();
      u.exchange.failed("net::ERR_ABORTED", true);
    }
    this.underWay.clear();
  }

  private async begin(m: WorkerRequest): Promise<void> {
    const { id, method } = m;
    const url = atProxy(m.url);
    const payload = m.body ? { bytes: bytesOf(m.body) } : undefined;
    const exchange = new Exchange(this.win, m.by === "fetch" ? "Fetch" : "XHR", {
      url,
      method,
      headers: Object.fromEntries(m.headers),
      payload,
      referrerPolicy: m.referrerPolicy,
      pausable: true,
      initiator: { type: "script" },
      worker: { url: this.url, tell: (name, params) => this.tell(name, params) },
    });
    const asker = { origin: this.win.origin, url, mode: m.mode, credentials: m.credentials, by: m.by };
    const u: UnderWay = { exchange, asker, control: new AbortController() };
    this.underWay.set(id, u);
    if (!m.held) return;
    const draft = draftOf(url, method, m.headers, payload);
    const { signal } = u.control;
    const send = (changed: Draft | undefined, toBeSeen: boolean): Promise<Response | undefined> =>
      this.go(id, u, changed ?? (url === m.url ? undefined : draft), toBeSeen);
    try {
      const r = await intercepted({ exchange, win: this.win, draft, signal, send, follows: m.follows });
      if (r) await this.answer(id, u, r);
    } catch (e) {
      if (signal.aborted) return;
      this.underWay.delete(id);
      if (e instanceof FailedByClient) exchange.failed(e.message, e.message === "net::ERR_ABORTED");
      else void tellFailure(exchange, asker);
      this.post({ worker: "fail", id });
    }
  }

  /** Lets the worker send a request. */
  private go(id: number, u: UnderWay, changed: Draft | undefined, see: boolean): Promise<Response | undefined> {
    const { url, method, headers, changed: { body } = {} } = changed ?? {};
    this.post({ worker: "go", id, url, method, headers, ...(body && { body: base64(body) }), see });
    return new Promise((resolve, reject) => {
      if (see) u.see = (r) => (r instanceof Error ? reject(r) : resolve(r));
      else resolve(undefined);
    });
  }

  /** Answers a request that waits. */
  private async answer(id: number, u: UnderWay, r: Response): Promise<void> {
    this.underWay.delete(id);
    const { exchange } = u;
    const asker = { ...u.asker, url: r.url || u.asker.url };
    const refused = interceptionOf(r)?.judge(r, asker);
    if (refused) {
      exchange.refused(refused);
      return this.post({ worker: "fail", id });
    }
    exchange.responded({ ...headOf(r, asker.url), made: isMadeUp(r) });
    const bytes = new Uint8Array(await r.clone().arrayBuffer());
    exchange.finished(bytes);
    const { url, status, statusText, headers, type, redirected } =
      interceptionOf(r)?.seenByScript(this.win, r, asker) ?? r;
    const body = type === "opaque" ? "" : base64(bytes);
    this.post({ worker: "fulfill", id, url, status, statusText, headers: [...headers], type, redirected, body });
  }

  private responded(m: WorkerResponse, u: UnderWay): void {
    const { url, status, statusText, body } = m;
    if (body === undefined) {
      return u.exchange.responded({ url: url || u.asker.url, status, statusText, headers: joined(m.headers) });
    }
    const bytes = [204, 205, 304].includes(status) ? null : (bytesOf(body) as Uint8Array<ArrayBuffer>);
    const known = status >= 200 ? { status, statusText, headers: m.headers } : {};
    u.see?.(withOverrides(new Response(bytes, known), { url, type: "basic" }));
  }

  private finished(m: WorkerBody, u: UnderWay): void {
    u.exchange.finished(m.body === undefined ? null : bytesOf(m.body), m.length);
  }

  private failed(m: WorkerFailed, u: UnderWay): void {
    u.control.abort();
    if (u.see) u.see(new Error("failed"));
    if (m.aborted) u.exchange.failed("net::ERR_ABORTED", true);
    else void tellFailure(u.exchange, u.asker);
  }
}

function headOf(
  r: Response,
  url: string,
): { url: string; status: number; statusText: string; headers: Record<string, string> } {
  return { url, status: r.status, statusText: r.statusText, headers: joined([...r.headers]) };
}

const joined = (pairs: HeaderPairs): Record<string, string> => Object.fromEntries(pairs);
