// Runtime.ExceptionDetails and stack traces, made from the stack texts of
// Chromium and of Firefox.

import type { Protocol } from "../../cdp";
import type { Context } from "./context";
import { type Presentation, wrap } from "./objects";
import { cleanStack } from "./serialize";
import type { Session } from "../base/session";

let counter = 0;

/** Runtime.StackTrace.callFrames of a stack text; lines and columns count from 0. */
export function callFrames(stack: string): Protocol.Runtime.CallFrame[] {
  const frames: Protocol.Runtime.CallFrame[] = [];
  for (const line of cleanStack(stack).split("\n")) {
    const m = /^\s*at (?:(.*?) \()?(.*?):(\d+):(\d+)\)?$/.exec(line);
    if (!m) continue;
    frames.push({
      functionName: (m[1] ?? "").replace(/^(async|new) /, ""),
      scriptId: "0",
      url: m[2] === "<anonymous>" ? "" : m[2],
      lineNumber: Number(m[3]) - 1,
      columnNumber: Number(m[4]) - 1,
    });
  }
  return frames;
}

const KNOWN_STACKS = 100;
const known = new Map<string, Protocol.Runtime.CallFrame[]>();

/** Where an error was made, without the agent. A page logs at the same places again and again: these are read once. */
export function framesOf(e: Error): Protocol.Runtime.CallFrame[] {
  const stack: unknown = e.stack;
  if (typeof stack !== "string") return []; // as Error.prepareStackTrace of the page has it
  let frames = known.get(stack);
  if (!frames) {
    if (known.size >= KNOWN_STACKS) known.clear();
    known.set(stack, (frames = callFrames(stack)));
  }
  return frames;
}

/** The stack of the caller, without the agent. */
export function currentStack(): Protocol.Runtime.CallFrame[] {
  return framesOf(new Error());
}

/** Whether a value is an Error of any realm. */
export function isError(value: unknown): value is Error {
  return (
    typeof value === "object" &&
    value !== null &&
    /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
  );
}

/** Where an exception came from, when its stack does not say. */
export interface Place {
  url?: string;
  /** From 0. */
  line?: number;
  column?: number;
}

/** Runtime.ExceptionDetails of a thrown value; text is "Uncaught" or "Uncaught (in promise)". */
export function exceptionDetails(
  thrown: unknown,
  text: string,
  c: Context,
  s: Session,
  how: Presentation,
  at: Place = {},
): Protocol.Runtime.ExceptionDetails {
  const frames = isError(thrown) && typeof thrown.stack === "string" ? callFrames(thrown.stack) : [];
  const top = frames[0];
  return {
    exceptionId: ++counter,
    text,
    lineNumber: at.line ?? top?.lineNumber ?? 0,
    columnNumber: at.column ?? top?.columnNumber ?? 0,
    scriptId: "0",
    ...((at.url || top?.url) && { url: at.url || top.url }),
    ...(frames.length > 0 && { stackTrace: { callFrames: frames } }),
    exception: wrap(thrown, c, s, how),
    executionContextId: c.id,
  };
}
