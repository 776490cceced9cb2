// What Clients get of a frame whose document has no Frame Agent, such as the log-in page of another site.
//
// A Client such as Playwright waits without end for the contexts of a document. So it gets a document that stands for
// the unknown one, as Chromium's error page stands for a page that could not be loaded. What evaluates there throws an
// error that says what has happened; commands that set something for later documents succeed.

import type { Protocol } from "../cdp";
import type { Json } from "../wire/cdp";
import { hexId } from "./channel";
import type { Call, Session } from "./session";
import { isRecorded, record } from "./state";
import { type Reply, read } from "./text";
import type { TargetView } from "./targetview";

/** The address of Chromium's own error pages. */
const ERROR_PAGE = "chrome-error://chromewebdata/";
/** The first id of a context here. Agents count from 1. */
const FIRST_CONTEXT = 1 << 30;

export class LostDocument {
  private readonly loaderId = hexId(32);
  private nextContext = FIRST_CONTEXT;

  /**
   * `before` is the address of the last document with an agent. `why` is the whole message: what has happened, and what
   * leads back.
   */
  constructor(
    private readonly target: TargetView,
    readonly before: string,
    private readonly why: () => string,
  ) {}

  /** Gives the Target another title and URL than those of the document before. `origin` is where the frame is. */
  rename(origin: string): void {
    Object.assign(this.target.info, { title: origin ? `No agent: left for ${origin}` : "No agent", url: ERROR_PAGE });
  }

  /** Tells the sessions that the document has come, and why nothing can be done with it. */
  announce(): void {
    const t = this.target;
    const { loaderId } = this;
    const timestamp = Date.now() / 1000;
    t.emit("Page", "Page.frameNavigated", { frame: this.frame(), type: "Navigation" });
    for (const s of t.first()) {
      if (s.has("Runtime")) this.announceContexts(s);
      if (!s.has("Page")) continue;
      for (const name of ["init", "DOMContentLoaded", "load"])
        if (s.state.lifecycle) t.tell([s], "Page.lifecycleEvent", { frameId: t.id, loaderId, name, timestamp });
    }
    t.emit("Page", "Page.domContentEventFired", { timestamp });
    t.emit("Page", "Page.loadEventFired", { timestamp });
    t.emit("Page", "Page.frameStoppedLoading", { frameId: t.id });
    this.log();
  }

  /** Says it on the console of Clients. */
  log(only?: Session): void {
    const entry = { source: "other", level: "error", text: this.why(), timestamp: Date.now() } as const;
    if (only) this.target.tell([only], "Log.entryAdded", { entry });
    else this.target.emit("Log", "Log.entryAdded", { entry });
  }

  /** The answer to a command; undefined if that is the error that no agent is there. */
  answer({ session, method, params: carried }: Call): Reply | undefined {
    const params = read(carried);
    const identifier = method === "Page.addScriptToEvaluateOnNewDocument" && { identifier: hexId(16) };
    const enabled = session.has("Log");
    const kept = record(session.state, method, { ...params, ...identifier });
    switch (method) {
      case "Page.getFrameTree":
        return { result: { frameTree: { frame: this.frame() } } };
      case "Page.getResourceTree":
        return { result: { frameTree: { frame: this.frame(), resources: [] } } };
      case "Page.createIsolatedWorld":
        return { result: { executionContextId: this.announceContext(session, String(params.worldName ?? "")) } };
      case "Runtime.enable":
        this.announceContexts(session);
        return { result: {} };
      case "Log.enable":
        if (!enabled) this.log(session);
        return { result: {} };
      case "Runtime.evaluate":
      case "Runtime.callFunctionOn":
        return { result: this.exception() };
      case "Runtime.runIfWaitingForDebugger":
        return { result: {} };
    }
    return kept || isRecorded(method) ? { result: kept ?? {} } : undefined;
  }

  private frame(): Protocol.Page.Frame {
    const { id, info } = this.target;
    return {
      id,
      loaderId: this.loaderId,
      url: info.url,
      domainAndRegistry: "",
      securityOrigin: "://",
      mimeType: "text/html",
      secureContextType: "InsecureScheme",
      crossOriginIsolatedContextType: "NotIsolated",
      gatedAPIFeatures: [],
    };
  }

  /** The main context, and one for each world that the session has named. */
  private announceContexts(s: Session): void {
    const worlds = new Set(s.state.scripts.flatMap((x) => x.worldName ?? []));
    this.announceContext(s);
    for (const world of worlds) this.announceContext(s, world);
  }

  private announceContext(s: Session, world?: string): number {
    const id = this.nextContext++;
    const main = world === undefined;
    const auxData = { isDefault: main, type: main ? "default" : "isolated", frameId: this.target.id };
    const context = { id, origin: "://", name: world ?? "", uniqueId: `${this.loaderId}.${id}`, auxData };
    if (s.has("Runtime")) this.target.tell([s], "Runtime.executionContextCreated", { context });
    return id;
  }

  private exception(): Json {
    const description = `Error: ${this.why()}`;
    const exception = { type: "object", subtype: "error", className: "Error", description };
    const exceptionDetails = { exceptionId: 1, text: "Uncaught", lineNumber: 0, columnNumber: 0, exception };
    return { result: exception, exceptionDetails };
  }
}
