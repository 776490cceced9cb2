// The Runtime domain: evaluation, remote objects, contexts.

import type { Protocol } from "../../cdp";
import {
  type Answered,
  answer,
  argument,
  awaitPromise,
  getExceptionDetails,
  getProperties,
  programsIn,
} from "./answers";
import { bind, unbind } from "./bindings";
import { replayConsole, discardConsole } from "./console";
import { withHelpers } from "./commandline";
import { type Context, NO_CONTEXT } from "./context";
import { announceContexts, contextOfParams } from "./contexts";
import { prepare, prepareRepl, run, runRepl } from "./evaluate";
import { allFrames, unreachable } from "../page/frames";
import { exceptionDetails } from "./exceptions";
import { release, releaseGroup, unwrap } from "./objects";
import { docId } from "../base/originals";
import { ProtocolError, register } from "../base/registry";
import { storeBinding } from "./scripts";
import type { Session } from "../base/session";
import { impossible } from "../base/unsupported";

function refuseSideEffects(c: Context): never {
  throw new (c.frame?.win ?? window).EvalError("Possible side-effect in debug-evaluate");
}

/** In Chromium's words, on which clients wait for a frame that is being loaded. */
function outOfReach({ frame }: Context): ProtocolError {
  return new ProtocolError(NO_CONTEXT, -32000, frame?.silent ? unreachable(frame) : "");
}

function evaluate(p: Protocol.Runtime.EvaluateRequest, s: Session): Answered | Promise<Answered> {
  const c = contextOfParams(p);
  const win = c.frame?.win;
  if (!win) throw outOfReach(c);
  const source = String(p.expression);
  const evaluated = (): Answered | Promise<Answered> =>
    answer(p, c, s, () => {
      if (p.throwOnSideEffect) refuseSideEffects(c);
      const runs = (): unknown => (p.replMode ? runRepl(win, source) : run(win, source, !c.isDefault));
      return p.includeCommandLineAPI ? withHelpers(win, runs) : runs();
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
  const win = c.frame?.win;
  if (!win) throw outOfReach(c);
  const given = p.arguments ?? [];
  const group = p.objectGroup ?? held?.group;
  const source = `(${p.functionDeclaration}\n)`;
  const runs = (program: string): unknown => run(win, program, !c.isDefault);
  const called = (): Answered | Promise<Answered> => {
    const args = given.map((a) => argument(a, runs));
    return answer({ ...p, objectGroup: group }, c, s, () => {
      if (p.throwOnSideEffect) refuseSideEffects(c);
      const f = runs(source);
      if (typeof f !== "function") throw new ProtocolError("Given expression does not evaluate to a function");
      return Reflect.apply(f, held ? held.value : win, args);
    });
  };
  const ready = prepare(
    win,
    [source, ...programsIn(given)],
    given.map((a) => a.value),
    !c.isDefault,
  );
  return ready ? ready.then(called) : called();
}

function heapUsage(): Protocol.Runtime.GetHeapUsageResponse {
  const m = (performance as unknown as { memory?: { usedJSHeapSize: number; totalJSHeapSize: number } }).memory;
  if (!m) throw new ProtocolError(impossible("Runtime.getHeapUsage", "this browser does not tell script"));
  return {
    usedSize: m.usedJSHeapSize,
    totalSize: m.totalJSHeapSize,
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
  awaitPromise,
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
  setCustomObjectFormatterEnabled: () => {},
  getIsolateId: () => ({ id: docId }),
  getHeapUsage: heapUsage,
  getExceptionDetails,
});
