// The Runtime domain: evaluation, remote objects, contexts.

import type { Protocol } from "../../cdp";
import { type Answered, answer, argument, awaitPromise, programsIn } from "./answers";
import { bind, unbind } from "./bindings";
import { replayConsole, discardConsole } from "./console";
import { type Context, NO_CONTEXT } from "./context";
import { announceContexts, contextOfParams } from "./contexts";
import { prepare, run } from "./evaluate";
import { type Win, allFrames, unreachable } from "../page/frames";
import { release, releaseGroup, unwrap } from "./objects";
import { added } from "../base/added";
import { docId } from "../base/originals";
import { ProtocolError, register } from "../base/registry";
import { storeBinding } from "./scripts";
import type { Session } from "../base/session";
import { replaceTop } from "../windows/topwindow";

declare module "../base/added" {
  /** The functions that run programs as a console does. */
  interface Added {
    withHelpers(win: Win, f: () => unknown): unknown;
    prepareRepl(win: Win, source: string): Promise<void> | undefined;
    runRepl(win: Win, source: string): unknown;
  }
}

function refuseSideEffects(c: Context): never {
  throw new (c.frame?.win ?? window).EvalError("Possible side-effect in debug-evaluate");
}

/**
 * Answers for a document that this agent does not reach. While it loads, the error has Chromium's words, upon which
 * Clients try again. They do not upon an exception, which one without an agent gives.
 */
function outOfReach(p: Protocol.Runtime.EvaluateRequest, c: Context, s: Session): Answered | Promise<Answered> {
  const { frame } = c;
  if (!frame?.silent) throw new ProtocolError(NO_CONTEXT);
  return answer(p, c, s, () => {
    throw new Error(unreachable(frame));
  });
}

function evaluate(p: Protocol.Runtime.EvaluateRequest, s: Session): Answered | Promise<Answered> {
  const c = contextOfParams(p);
  const win = c.frame?.win;
  if (!win) return outOfReach(p, c, s);
  const source = String(p.expression);
  const evaluated = (): Answered | Promise<Answered> =>
    answer(p, c, s, () => {
      if (p.throwOnSideEffect) refuseSideEffects(c);
      const runs = (): unknown => (p.replMode ? added.runRepl?.(win, source) : run(win, source, !c.isDefault));
      return p.includeCommandLineAPI ? added.withHelpers?.(win, runs) : runs();
    });
  const ready = p.throwOnSideEffect
    ? undefined
    : p.replMode
      ? added.prepareRepl?.(win, source)
      : prepare(win, [source], [], !c.isDefault);
  return ready ? ready.then(evaluated) : evaluated();
}

/** The beginning of a function, which a Client such as Playwright passes as text to one that evaluates it. */
const FUNCTION = /^(async |function|\(?[\w, {}]*\)? =>)/;

function callFunctionOn(p: Protocol.Runtime.CallFunctionOnRequest, s: Session): Answered | Promise<Answered> {
  const held = p.objectId !== undefined ? unwrap(p.objectId) : undefined;
  if (!held && p.executionContextId === undefined && p.uniqueContextId === undefined) {
    throw new ProtocolError("Either objectId or executionContextId or uniqueContextId must be specified");
  }
  const c = held?.context ?? contextOfParams(p);
  const win = c.frame?.win;
  if (!win) return outOfReach({ ...p, expression: "" }, c, s);
  const given = p.arguments ?? [];
  for (const a of given) if (FUNCTION.test(a.value as string)) a.value = replaceTop(a.value as string);
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

register("Runtime", {
  enable: (_p, s) => {
    if (s.enabled.has("Runtime")) return;
    for (const f of allFrames()) announceContexts(f, s);
    replayConsole(s);
  },
  disable: () => {},
  evaluate,
  callFunctionOn,
  awaitPromise,
  releaseObject: (p) => release(p.objectId),
  releaseObjectGroup: (p, s) => releaseGroup(s, p.objectGroup),
  addBinding: (p, s) => {
    bind(p, s);
    if (!p.executionContextName && p.executionContextId === undefined) storeBinding(p.name);
  },
  removeBinding: unbind,
  discardConsoleEntries: discardConsole,
  getIsolateId: () => ({ id: docId }),
});
