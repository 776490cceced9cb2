// The part of the Runtime domain that needs no window: it is used by the agents of frames and of workers.

import type { Protocol } from "../../cdp";
import { type Context, isLive } from "./context";
import { exceptionDetails, isError } from "./exceptions";
import { type Presentation, unwrap, wrap } from "./objects";
import { added } from "../base/added";
import { ProtocolError } from "../base/registry";
import type { Session } from "../base/session";

/** The params by which commands say how to present a value. */
type Presented = Pick<
  Protocol.Runtime.EvaluateRequest,
  "returnByValue" | "generatePreview" | "objectGroup" | "serializationOptions"
>;
export type Answered = Protocol.Runtime.EvaluateResponse;

declare module "../base/added" {
  interface Added {
    /** Makes the function for deep serialization that the params ask for. */
    deepening(o: Protocol.Runtime.SerializationOptions): Presentation["deep"];
  }
}

function presentation(p: Presented): Presentation {
  const { objectGroup, serializationOptions: options } = p;
  const generatePreview = p.generatePreview === true;
  switch (options?.serialization) {
    case "deep":
      return { generatePreview, objectGroup, deep: added.deepening?.(options) };
    case "json":
      return { returnByValue: true, objectGroup };
    case "idOnly":
      return { generatePreview, objectGroup };
  }
  if (options) {
    throw new ProtocolError(`Unknown serializationOptions.serialization value ${options.serialization}`, -32602);
  }
  return { returnByValue: p.returnByValue === true, generatePreview, objectGroup };
}

/** Runs a computation and answers with its value, or with what it throws. */
export function answer(
  p: Presented & { awaitPromise?: boolean; replMode?: boolean },
  c: Context,
  s: Session,
  compute: () => unknown,
): Answered | Promise<Answered> {
  const how = presentation(p);
  let value: unknown;
  try {
    value = compute();
  } catch (e) {
    return thrown(e, "Uncaught", c, s, how);
  }
  if (p.awaitPromise !== true && p.replMode !== true) return { result: wrap(value, c, s, how) };
  return settled(value, c, s, how) ?? { result: wrap(value, c, s, how) };
}

/** The answer when a promise has settled, or undefined if the value is no promise. */
function settled(value: unknown, c: Context, s: Session, how: Presentation): Promise<Answered> | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  if (!(value instanceof Promise) && !isThenable(value)) return undefined;
  return Promise.resolve(value as Promise<unknown>).then(
    (v) => {
      if (!isLive(c)) throw new ProtocolError("Inspected target navigated or closed");
      return { result: wrap(v, c, s, how) };
    },
    (e) => thrown(e, isError(e) ? `Uncaught (in promise) ${headOf(e)}` : "Uncaught (in promise)", c, s, how),
  );
}

function isThenable(value: object): boolean {
  try {
    return typeof (value as { then?: unknown }).then === "function";
  } catch {
    return false;
  }
}

function headOf(e: Error): string {
  return e.message ? `${e.name}: ${e.message}` : e.name;
}

function thrown(e: unknown, text: string, c: Context, s: Session, how: Presentation): Answered {
  const shown = { objectGroup: how.objectGroup, generatePreview: how.generatePreview || how.deep !== undefined };
  return { result: wrap(e, c, s, shown), exceptionDetails: exceptionDetails(e, text, c, s, shown) };
}

/** Reads an argument of a call: an object of this document, a value, or the result of a program. */
export function argument(a: Protocol.Runtime.CallArgument, run: (program: string) => unknown): unknown {
  if (a.objectId !== undefined) return unwrap(a.objectId).value;
  const special = a.unserializableValue;
  if (a.value !== undefined || special === undefined) return a.value;
  if (special in NAMED) return NAMED[special];
  if (/^-?\d+n$/.test(special)) return BigInt(special.slice(0, -1));
  try {
    return run(special);
  } catch {
    throw new ProtocolError("Couldn't parse value object in call argument");
  }
}

const NAMED: Record<string, unknown> = {
  __proto__: null,
  "-0": -0,
  NaN,
  Infinity,
  "-Infinity": -Infinity,
  undefined,
  null: null,
};

/**
 * The programs among a call's arguments: V8 evaluates unserializableValue unless it names a value such as "-0" or
 * "5n" (v8/src/inspector/injected-script.cc, resolveCallArgument).
 */
export function programsIn(list: Protocol.Runtime.CallArgument[]): string[] {
  return list.flatMap(({ unserializableValue: u }) => (u === undefined || u in NAMED || /^-?\d+n$/.test(u) ? [] : [u]));
}

/** Runtime.awaitPromise. */
export function awaitPromise(p: Protocol.Runtime.AwaitPromiseRequest, s: Session): Promise<Answered> {
  const { value, context, group } = unwrap(p.promiseObjectId);
  const how = { ...presentation(p), objectGroup: group };
  const result = settled(value, context, s, how);
  if (!result) throw new ProtocolError("Could not find promise with given id");
  return result;
}
