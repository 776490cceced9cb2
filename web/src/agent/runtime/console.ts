// Console calls and uncaught exceptions: Runtime.consoleAPICalled and Runtime.exceptionThrown. They are kept for
// sessions that come later.

import type { EventName, EventParams, Protocol } from "../../cdp";
import type { Context } from "./context";
import { type Place, exceptionDetails, framesOf } from "./exceptions";
import { wrap } from "./objects";
import { type Session, emit } from "../base/session";

const MAX_CALLS = 200;
const MAX_EXCEPTIONS = 100;
const HOW = { generatePreview: true, objectGroup: "console" };

/** One event. Its params are made for each session, since each session has its own objectIds. */
interface Entry<M extends EventName = "Runtime.consoleAPICalled" | "Runtime.exceptionThrown"> {
  method: M;
  params(s: Session): EventParams<M>;
  exceptionId?: number;
}

let calls: Entry[] = [];
let exceptions: Entry[] = [];

function keep(list: Entry[], entry: Entry, max: number): void {
  list.push(entry);
  if (list.length > max) list.shift();
  emit("Runtime", entry.method, (s) => entry.params(s));
}

/** Sends the kept events to a session. */
export function replayConsole(s: Session): void {
  for (const e of [...calls, ...exceptions]) s.emit(e.method, e.params(s));
}

/** Runtime.discardConsoleEntries. */
export function discardConsole(): void {
  calls = [];
  exceptions = [];
}

// ---------------------------------------------------------------- console

/** Console methods and the types that CDP gives them. */
const types: Record<string, Protocol.Runtime.ConsoleAPICalledEvent["type"]> = {
  log: "log",
  debug: "debug",
  info: "info",
  error: "error",
  warn: "warning",
  dir: "dir",
  dirxml: "dirxml",
  table: "table",
  trace: "trace",
  clear: "clear",
  group: "startGroup",
  groupCollapsed: "startGroupCollapsed",
  groupEnd: "endGroup",
};

/** A window, or the global scope of a worker. */
type Scope = typeof globalThis;
/** Returns the context for the events of a scope. */
type ContextOf = () => Context;
type Method = (...args: unknown[]) => unknown;

/** Methods for which Chromium reports "console.NAME" if they are called without arguments. */
const bare = new Set(["trace", "clear", "group", "groupCollapsed", "groupEnd"]);

/** Consoles that are wrapped. The first document of a frame has the same one as the blank document before it. */
const wrapped = new WeakSet<Console>();

/** Wraps the console of a window or a worker. */
export function installConsole(win: { console: Console }, contextOf: ContextOf): void {
  if (wrapped.has(win.console)) return;
  wrapped.add(win.console);
  const target = win.console as unknown as Record<string, Method>;
  const replace = (name: string, before: (args: unknown[]) => void): void => {
    const native = target[name];
    if (typeof native !== "function") return;
    target[name] = {
      [name](this: unknown, ...args: unknown[]) {
        try {
          before(args);
        } catch {
          // The page's console call must not fail because of the agent.
        }
        return native.apply(this, args);
      },
    }[name];
  };
  for (const name of Object.keys(types)) {
    replace(name, (args) =>
      called(contextOf, types[name], !args.length && bare.has(name) ? [`console.${name}`] : args),
    );
  }
  replace("assert", (args) => {
    const [ok, ...rest] = args;
    if (!ok) called(contextOf, "assert", rest.length ? rest : ["console.assert"]);
  });
  installCounters(contextOf, replace);
}

function installCounters(
  contextOf: ContextOf,
  replace: (name: string, before: (args: unknown[]) => void) => void,
): void {
  const counts = new Map<string, number>();
  const started = new Map<string, number>();
  const label = (args: unknown[]): string => (args[0] === undefined ? "default" : String(args[0]));
  const warn = (text: string): void => called(contextOf, "warning", [text]);
  replace("count", (args) => {
    const n = (counts.get(label(args)) ?? 0) + 1;
    counts.set(label(args), n);
    called(contextOf, "count", [`${label(args)}: ${n}`]);
  });
  replace("countReset", (args) => {
    if (!counts.delete(label(args))) warn(`Count for '${label(args)}' does not exist`);
  });
  replace("time", (args) => {
    if (started.has(label(args))) warn(`Timer '${label(args)}' already exists`);
    else started.set(label(args), performance.now());
  });
  const elapsed = (args: unknown[]): string =>
    `${label(args)}: ${performance.now() - (started.get(label(args)) ?? NaN)} ms`;
  const timed =
    (type: "log" | "timeEnd") =>
    (args: unknown[]): void => {
      if (!started.has(label(args))) return warn(`Timer '${label(args)}' does not exist`);
      called(contextOf, type, [elapsed(args), ...args.slice(1)]);
      if (type === "timeEnd") started.delete(label(args));
    };
  replace("timeLog", timed("log"));
  replace("timeEnd", timed("timeEnd"));
}

function called(contextOf: ContextOf, type: Protocol.Runtime.ConsoleAPICalledEvent["type"], args: unknown[]): void {
  const context = contextOf();
  const timestamp = Date.now();
  const here = new Error(); // the browser writes its stack once it is read
  if (type === "clear") calls = [];
  keep(
    calls,
    {
      method: "Runtime.consoleAPICalled",
      params: (s) => ({
        type,
        args: args.map((a) => wrap(a, context, s, HOW)),
        executionContextId: context.id,
        timestamp,
        stackTrace: { callFrames: framesOf(here) },
      }),
    },
    MAX_CALLS,
  );
}

// ------------------------------------------------------------- exceptions

/** Thrown values for which the error event has `error: null`, by its message. */
const nullErrors = new Map<string, [unknown]>([
  ["Uncaught null", [null]],
  ["Uncaught undefined", [undefined]],
]);

/**
 * Listens for uncaught exceptions and rejections in a window or a worker. `isOwn` says which errors are of the
 * agent's own scripts.
 */
export function installErrors(win: Scope, contextOf: ContextOf, isOwn: (e: ErrorEvent) => boolean): void {
  win.addEventListener(
    "error",
    (e) => {
      if (isOwn(e)) return;
      if (!(e instanceof win.ErrorEvent)) return; // an element that failed to load
      const at = {
        url: e.filename === "undefined" ? "" : e.filename,
        line: Math.max(0, e.lineno - 1),
        column: Math.max(0, e.colno - 1),
      };
      const odd = nullErrors.get(e.message); // a muted error has error: null too, but another message
      if (odd) thrown(contextOf, odd[0], "Uncaught", at);
      else if (e.error === null || e.error === undefined) thrown(contextOf, e.message, e.message, at);
      else thrown(contextOf, e.error, "Uncaught", at);
    },
    true,
  );
  win.addEventListener(
    "unhandledrejection",
    (e) => {
      const id = thrown(contextOf, e.reason, "Uncaught (in promise)", {});
      rejections.set(e.promise, id);
    },
    true,
  );
  win.addEventListener(
    "rejectionhandled",
    (e) => {
      const exceptionId = rejections.get(e.promise);
      if (exceptionId === undefined) return;
      rejections.delete(e.promise);
      exceptions = exceptions.filter((x) => x.exceptionId !== exceptionId);
      emit("Runtime", "Runtime.exceptionRevoked", { reason: "Handler added to rejected promise", exceptionId });
    },
    true,
  );
}

/** The exceptionIds of reported rejections, for the case that a rejection is handled later. */
const rejections = new WeakMap<Promise<unknown>, number>();
let lastId = 0;

/** Reports an exception and returns its id. */
function thrown(contextOf: ContextOf, value: unknown, text: string, at: Place): number {
  const exceptionId = ++lastId;
  const context = contextOf();
  const timestamp = Date.now();
  keep(
    exceptions,
    {
      method: "Runtime.exceptionThrown",
      params: (s) => ({
        timestamp,
        exceptionDetails: { ...exceptionDetails(value, text, context, s, HOW, at), exceptionId },
      }),
      exceptionId,
    },
    MAX_EXCEPTIONS,
  );
  return exceptionId;
}
