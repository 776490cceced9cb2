// Delivers an answer to an XMLHttpRequest in place of the browser's: states and events in the order of XMLHttpRequest
// Standard, 3.5 and of Chromium 156. Answers with a response are in xhrdelivery.ts.

import type { Exchange } from "./exchange";

/** What an answer needs of its request. */
export interface Answered {
  win: Window & typeof globalThis;
  url: string;
  /** Bytes of the request's body. */
  size: number;
  mime?: string;
  exchange?: Pick<Exchange, "responded" | "finished" | "failed">;
  /** What the page gets in place of the browser's answer. */
  answer?: Answer;
  /** The address that the page sees where a Client has changed it. */
  shown?: { real: string; as: string };
}

const { apply } = Reflect;

const SHADOWED = [
  "readyState",
  "status",
  "statusText",
  "response",
  "responseText",
  "responseXML",
  "responseURL",
] as const;

/** Wraps the properties of XMLHttpRequest, so that they come from the delivered answer if there is one. */
export function shadow(proto: XMLHttpRequest, callOf: (xhr: XMLHttpRequest) => Answered | undefined): void {
  for (const name of SHADOWED) {
    const own = Object.getOwnPropertyDescriptor(proto, name);
    if (!own?.get) continue;
    const { get } = own;
    Object.defineProperty(proto, name, {
      ...own,
      get(this: XMLHttpRequest): unknown {
        const value = apply(get, this, []) as unknown; // the browser's getter throws if the responseType does not fit
        const { answer, shown } = callOf(this) ?? {};
        if (answer) return answer[name];
        return shown && name === "responseURL" && value === shown.real ? shown.as : value;
      },
    });
  }
}

/** Dispatches a progress event. */
export function fire(target: EventTarget, type: string, loaded = 0, total = 0): void {
  target.dispatchEvent(new ProgressEvent(type, { lengthComputable: total > 0, loaded, total }));
}

/** An answer without a response. */
export class Answer {
  readyState = 1;
  status = 0;
  statusText = "";
  responseURL = "";
  /** Whether the body has been sent. */
  protected uploaded = false;

  constructor(
    protected readonly xhr: XMLHttpRequest,
    protected readonly call: Answered,
  ) {}

  /** Ends it without a response, or before all of it has come. */
  end(how: "error" | "abort" | "timeout"): void {
    const { xhr, call } = this;
    if (this.readyState < 4) {
      call.exchange?.failed("net::ERR_ABORTED", true);
      this.fail();
      if (!this.enter(4)) return;
      if (call.size && !this.uploaded) for (const type of [how, "loadend"]) fire(xhr.upload, type);
      fire(xhr, how);
      if (this.current) fire(xhr, "loadend");
    } else {
      this.fail();
    }
    if (how === "abort" && this.current) this.readyState = 0;
  }

  /** Forgets the response. */
  protected fail(): void {
    this.status = 0;
    this.statusText = this.responseURL = "";
  }

  /** Whether the page has neither aborted the request nor opened another. */
  protected get current(): boolean {
    return this.call.answer === this && this.readyState !== 0;
  }

  protected enter(state: number): boolean {
    this.readyState = state;
    this.xhr.dispatchEvent(new Event("readystatechange"));
    return this.current && this.readyState === state;
  }

  header(_name: string): string | null {
    return null;
  }

  headers(): string {
    return "";
  }

  get responseText(): string {
    return "";
  }

  get responseXML(): Document | null {
    return null;
  }

  get response(): unknown {
    return /^(text)?$/.test(this.xhr.responseType) ? "" : null;
  }
}
