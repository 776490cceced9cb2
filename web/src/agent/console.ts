// Console calls and uncaught exceptions: Runtime.consoleAPICalled and
// Runtime.exceptionThrown, with what happened before a session came.

import { frameOfDocument, mainFrame } from "./frames";
import { type Place, callFrames, exceptionDetails } from "./exceptions";
import { mainContext, wrap } from "./objects";
import { isOwnError } from "./scriptelement";
import { type Session, emit } from "./session";
import { cleanStack } from "./serialize";

const MAX_CALLS = 200;
const MAX_EXCEPTIONS = 100;
const HOW = { generatePreview: true, objectGroup: "console" };

/** One thing to tell: a function of the session, since each session has objectIds of its own. */
interface Entry {
  method: string;
  params(s: Session): Record<string, unknown>;
}

let calls: Entry[] = [];
let exceptions: Entry[] = [];

function keep(list: Entry[], entry: Entry, max: number): void {
  list.push(entry);
  if (list.length > max) list.shift();
  emit("Runtime", entry.method, (s) => entry.params(s));
}

/** Tells a session what was kept. */
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
const types: Record<string, string> = {
  log: "log", debug: "debug", info: "info", error: "error", warn: "warning", dir: "dir", dirxml: "dirxml",
  table: "table", trace: "trace", clear: "clear", group: "startGroup", groupCollapsed: "startGroupCollapsed",
  groupEnd: "endGroup",
};

type Win = Window & typeof globalThis;
type Method = (...args: unknown[]) => unknown;

/** Wraps a window's console. */
export function installConsole(win: Win): void {
  const target = win.console as unknown as Record<string, Method>;
  const replace = (name: string, before: (args: unknown[]) => void): void => {
    const native = target[name];
    if (typeof native !== "function") return;
    target[name] = { [name](this: unknown, ...args: unknown[]) {
      try {
        before(args);
      } catch {
        // A console call must never fail for being watched.
      }
      return native.apply(this, args);
    } }[name];
  };
  for (const name of Object.keys(types)) replace(name, (args) => called(win, types[name], args));
  replace("assert", ([ok, ...rest]) => {
    if (!ok) called(win, "assert", rest.length ? rest : ["console.assert"]);
  });
  installCounters(win, replace);
}

function installCounters(win: Win, replace: (name: string, before: (args: unknown[]) => void) => void): void {
  const counts = new Map<string, number>();
  const started = new Map<string, number>();
  const label = (args: unknown[]): string => (args[0] === undefined ? "default" : String(args[0]));
  replace("count", (args) => {
    const n = (counts.get(label(args)) ?? 0) + 1;
    counts.set(label(args), n);
    called(win, "count", [`${label(args)}: ${n}`]);
  });
  replace("countReset", (args) => void counts.delete(label(args)));
  replace("time", (args) => void (started.has(label(args)) || started.set(label(args), performance.now())));
  const elapsed = (args: unknown[]): string => `${label(args)}: ${performance.now() - (started.get(label(args)) ?? NaN)} ms`;
  replace("timeLog", (args) => {
    if (started.has(label(args))) called(win, "log", [elapsed(args), ...args.slice(1)]);
  });
  replace("timeEnd", (args) => {
    if (started.has(label(args))) called(win, "timeEnd", [elapsed(args)]);
    started.delete(label(args));
  });
}

function called(win: Win, type: string, args: unknown[]): void {
  const context = mainContext(frameOfDocument(win.document) ?? mainFrame());
  const timestamp = Date.now();
  const stack = new Error().stack ?? "";
  if (type === "clear") calls = [];
  keep(calls, {
    method: "Runtime.consoleAPICalled",
    params: (s) => ({
      type,
      args: args.map((a) => wrap(a, context, s, HOW)),
      executionContextId: context.id,
      timestamp,
      stackTrace: { callFrames: callFrames(cleanStack(stack)) },
    }),
  }, MAX_CALLS);
}

// ------------------------------------------------------------- exceptions

/** Watches a window for uncaught exceptions and rejections. */
export function installErrors(win: Win): void {
  win.addEventListener("error", (e) => {
    if (isOwnError(e)) return;
    if (!(e instanceof win.ErrorEvent)) return; // an element that failed to load
    const at = { url: e.filename, line: Math.max(0, e.lineno - 1), column: Math.max(0, e.colno - 1) };
    if (e.error === null || e.error === undefined) thrown(win, e.message, e.message, at);
    else thrown(win, e.error, "Uncaught", at);
  }, true);
  win.addEventListener("unhandledrejection", (e) => thrown(win, e.reason, "Uncaught (in promise)", {}), true);
}

function thrown(win: Win, value: unknown, text: string, at: Place): void {
  const context = mainContext(frameOfDocument(win.document) ?? mainFrame());
  const timestamp = Date.now();
  keep(exceptions, {
    method: "Runtime.exceptionThrown",
    params: (s) => ({ timestamp, exceptionDetails: exceptionDetails(value, text, context, s, HOW, at) }),
  }, MAX_EXCEPTIONS);
}
