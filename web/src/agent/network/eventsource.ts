// EventSource: each connection is a request, and each event a message of it.

import { atProxy } from "../page/moved";
import { monotonic } from "../base/originals";
import { Exchange } from "./exchange";

type Win = Window & typeof globalThis;

/** URLs of event streams. Their timing entries have only the initiator type "other". */
export const streamUrls = new Set<string>();

const streams = new WeakMap<EventSource, Stream>();

/** Wraps EventSource of a window. */
export function installEventSource(win: Win): void {
  const Native = win.EventSource;
  const { close, addEventListener } = Native.prototype;
  Native.prototype.close = function (): void {
    close.call(this);
    streams.get(this)?.closed();
  };
  // Events of other names reach only listeners of that name, so the agent listens for each name that the page listens
  // for.
  Native.prototype.addEventListener = function (
    this: EventSource,
    ...args: Parameters<EventTarget["addEventListener"]>
  ): void {
    streams.get(this)?.watch(String(args[0]));
    Reflect.apply(addEventListener, this, args);
  } as typeof addEventListener;
  win.EventSource = new Proxy(Native, {
    construct(target, args, newTarget) {
      if (args.length > 0) args[0] = atProxy(String(args[0]), win.document.baseURI);
      const source = Reflect.construct(target, args, newTarget) as EventSource;
      streams.set(
        source,
        new Stream(win, source, (name, f) => addEventListener.call(source, name, f as EventListener)),
      );
      return source;
    },
  });
  Native.prototype.constructor = win.EventSource;
}

class Stream {
  private exchange: Exchange;
  private readonly names = new Set(["open", "error", "message"]);

  constructor(
    private readonly win: Win,
    private readonly source: EventSource,
    private readonly listen: (name: string, f: (e: Event) => void) => void,
  ) {
    this.exchange = this.request();
    listen("open", () => this.opened());
    listen("error", () => this.ended());
    listen("message", (e) => this.message(e));
  }

  private request(): Exchange {
    streamUrls.add(this.source.url);
    return new Exchange(this.win, "EventSource", {
      url: this.source.url,
      method: "GET",
      headers: { Accept: "text/event-stream" },
    });
  }

  watch(name: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.listen(name, (e) => this.message(e));
  }

  private opened(): void {
    if (this.exchange.over) this.exchange = this.request(); // EventSource has connected again by itself
    this.exchange.responded({
      url: this.source.url,
      status: 200,
      statusText: "OK",
      headers: { "content-type": "text/event-stream" },
    });
  }

  private message(e: Event): void {
    if (!this.exchange.heard || !e.isTrusted || !(e instanceof this.win.MessageEvent)) return;
    this.exchange.note("eventSourceMessageReceived", {
      timestamp: monotonic(),
      eventName: e.type,
      eventId: e.lastEventId,
      data: String(e.data),
    });
  }

  private ended(): void {
    if (this.exchange.answered) this.exchange.finished();
    else this.exchange.failed("net::ERR_FAILED");
  }

  closed(): void {
    this.exchange.failed("net::ERR_ABORTED", true);
  }
}
