// The Runtime domain: evaluation, remote objects, contexts.

import type { Protocol } from "../../cdp";
import { bind, unbind } from "./bindings";
import { replayConsole, discardConsole } from "./console";
import { type Context, NO_CONTEXT, announceContexts, contextOfParams, isLive } from "./contexts";
import { prepare, prepareRepl, run, runRepl } from "./evaluate";
import { allFrames, unreachable } from "../page/frames";
import { callFrames, exceptionDetails, isError } from "./exceptions";
import { type Presentation, release, releaseGroup, unwrap, wrap } from "./objects";
import { docId } from "../base/originals";
import { ProtocolError, register } from "../base/registry";
import { describeError } from "./serialize";
import { storeBinding } from "./scripts";
import type { Session } from "../base/session";

/** What commands say of how a value is to be presented. */
type Presented = Pick<Protocol.Runtime.EvaluateRequest, "returnByValue" | "generatePreview" | "objectGroup">;
type Answered = Protocol.Runtime.EvaluateResponse;

function presentation(p: Presented): Presentation {
  return {
    returnByValue: p.returnByValue === true,
    generatePreview: p.generatePreview === true,
    objectGroup: p.objectGroup,
  };
}

/** Runs a computation and answers with its value, or with what it throws. */
function answer(
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

/** The answer once a promise has settled, or undefined for what is no promise. */
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
  const shown = { objectGroup: how.objectGroup, generatePreview: how.generatePreview };
  return { result: wrap(e, c, s, shown), exceptionDetails: exceptionDetails(e, text, c, s, shown) };
}

function refuseSideEffects(c: Context): never {
  throw new (c.frame.win ?? window).EvalError("Possible side-effect in debug-evaluate");
}

/** A call's argument: by value, unserializable, or an object of this document. */
export function argument(a: Protocol.Runtime.CallArgument): unknown {
  if (a.objectId !== undefined) return unwrap(a.objectId).value;
  const special = a.unserializableValue;
  if (special === undefined) return a.value;
  if (special === "-0") return -0;
  if (special === "NaN") return NaN;
  if (special === "Infinity") return Infinity;
  if (special === "-Infinity") return -Infinity;
  if (/^-?\d+n$/.test(special)) return BigInt(special.slice(0, -1));
  throw new ProtocolError("Couldn't parse value object in call argument");
}

/** In Chromium's words, on which clients wait for a frame that is being loaded. */
function outOfReach({ frame }: Context): ProtocolError {
  return new ProtocolError(NO_CONTEXT, -32000, frame.silent ? unreachable(frame) : "");
}

function evaluate(p: Protocol.Runtime.EvaluateRequest, s: Session): Answered | Promise<Answered> {
  const c = contextOfParams(p);
  const win = c.frame.win;
  if (!win) throw outOfReach(c);
  const source = String(p.expression);
  const evaluated = (): Answered | Promise<Answered> =>
    answer(p, c, s, () => {
      if (p.throwOnSideEffect) refuseSideEffects(c);
      return p.replMode ? runRepl(win, source) : run(win, source, !c.isDefault);
    });
  const ready = p.throwOnSideEffect
    ? undefined
    : p.replMode
      ? prepareRepl(win, source)
      : prepare(win, [source], [], !c.isDefault);
  return ready ? ready.then(evaluated) : evaluated();
}

function callFunctionOn(p: Protocol.Runtime.CallFunctionOnRequest, s: Session): Answered | Promise<Answered> {
  const held = p.objectId !== undefined ? unwrap(p.objectId) : undefined;
  if (!held && p.executionContextId === undefined && p.uniqueContextId === undefined) {
    throw new ProtocolError("Either objectId or executionContextId or uniqueContextId must be specified");
  }
  const c = held?.context ?? contextOfParams(p);
  const win = c.frame.win;
  if (!win) throw outOfReach(c);
  const args = (p.arguments ?? []).map(argument);
  const group = p.objectGroup ?? held?.group;
  const source = `(${p.functionDeclaration}\n)`;
  const called = (): Answered | Promise<Answered> =>
    answer({ ...p, objectGroup: group }, c, s, () => {
      if (p.throwOnSideEffect) refuseSideEffects(c);
      const f = run(win, source, !c.isDefault);
      if (typeof f !== "function") throw new ProtocolError("Given expression does not evaluate to a function");
      return Reflect.apply(f, held ? held.value : win, args);
    });
  const ready = prepare(
    win,
    [source],
    (p.arguments ?? []).map((a) => a.value),
    !c.isDefault,
  );
  return ready ? ready.then(called) : called();
}

// -------------------------------------------------------------- properties

function getProperties(p: Protocol.Runtime.GetPropertiesRequest, s: Session): Protocol.Runtime.GetPropertiesResponse {
  const { value, context, group } = unwrap(p.objectId);
  const how = { objectGroup: group, generatePreview: p.generatePreview === true };
  const show = (v: unknown): Protocol.Runtime.RemoteObject => wrap(v, context, s, how);
  const result: Protocol.Runtime.PropertyDescriptor[] = [];
  const seen = new Set<PropertyKey>();
  for (let o: object | null = Object(value), own = true; o; o = Object.getPrototypeOf(o), own = false) {
    if (!own && p.ownProperties) break;
    for (const key of Reflect.ownKeys(o)) {
      if (seen.has(key) || (p.nonIndexedPropertiesOnly && typeof key === "string" && /^\d+$/.test(key))) continue;
      seen.add(key);
      const d = Object.getOwnPropertyDescriptor(o, key);
      if (!d || (p.accessorPropertiesOnly && !d.get && !d.set)) continue;
      result.push(property(key, d, own, show));
    }
  }
  const proto: unknown = Object.getPrototypeOf(Object(value));
  const internal = p.accessorPropertiesOnly ? [] : [{ name: "[[Prototype]]", value: show(proto) }];
  return { result, internalProperties: internal };
}

function property(
  key: PropertyKey,
  d: PropertyDescriptor,
  own: boolean,
  show: (v: unknown) => Protocol.Runtime.RemoteObject,
): Protocol.Runtime.PropertyDescriptor {
  return {
    name: String(key),
    ...("value" in d ? { value: show(d.value), writable: d.writable } : {}),
    ...(d.get && { get: show(d.get) }),
    ...(d.set && { set: show(d.set) }),
    configurable: d.configurable === true,
    enumerable: d.enumerable === true,
    isOwn: own,
    ...(typeof key === "symbol" && { symbol: show(key) }),
  };
}

function heapUsage(): Protocol.Runtime.GetHeapUsageResponse {
  const m = (performance as unknown as { memory?: { usedJSHeapSize: number; totalJSHeapSize: number } }).memory;
  return {
    usedSize: m?.usedJSHeapSize ?? 0,
    totalSize: m?.totalJSHeapSize ?? 0,
    embedderHeapUsedSize: 0,
    backingStorageSize: 0,
  };
}

/** Whether a text compiles as a program, told without running it. */
async function compile(
  p: Protocol.Runtime.CompileScriptRequest,
  s: Session,
): Promise<Protocol.Runtime.CompileScriptResponse> {
  const c = contextOfParams(p);
  const win = c.frame.win ?? window;
  const text = `(function(){${p.expression}\n})`;
  await prepare(win, [text]);
  try {
    run(win, text);
    return {};
  } catch (e) {
    return { exceptionDetails: exceptionDetails(e, "Uncaught", c, s, {}) };
  }
}

register("Runtime", {
  enable: (_p, s) => {
    if (s.enabled.has("Runtime")) return;
    for (const f of allFrames()) announceContexts(f, s);
    replayConsole(s);
  },
  disable: () => {},
  evaluate,
  callFunctionOn,
  getProperties,
  awaitPromise: (p, s) => {
    const { value, context, group } = unwrap(p.promiseObjectId);
    const how = { ...presentation(p), objectGroup: group };
    const result = settled(value, context, s, how);
    if (!result) throw new ProtocolError("Could not find promise with given id");
    return result;
  },
  releaseObject: (p) => release(p.objectId),
  releaseObjectGroup: (p, s) => releaseGroup(s, p.objectGroup),
  addBinding: (p, s) => {
    bind(p, s);
    if (!p.executionContextName && p.executionContextId === undefined) storeBinding(p.name);
  },
  removeBinding: unbind,
  discardConsoleEntries: discardConsole,
  compileScript: compile,
  runIfWaitingForDebugger: () => {},
  setAsyncCallStackDepth: () => {},
  setMaxCallStackSizeToCapture: () => {},
  setCustomObjectFormatterEnabled: () => {},
  globalLexicalScopeNames: () => ({ names: [] }),
  getIsolateId: () => ({ id: docId }),
  getHeapUsage: heapUsage,
  getExceptionDetails: (p, s) => {
    const { value, context } = unwrap(p.errorObjectId);
    if (!isError(value)) throw new ProtocolError("errorObjectId is not a JS error object");
    const frames = callFrames(value.stack ?? "");
    return {
      exceptionDetails: {
        ...exceptionDetails(value, describeError(value), context, s, {}),
        stackTrace: { callFrames: frames },
      },
    };
  },
});
