// The agent of a dedicated worker, which runs before the worker's own script in
// the same text. It announces itself to the agent of the page, and answers the
// Runtime domain over the MessagePort that it hands over.

import type { Protocol } from "../cdp";
import type { Answer, Command } from "../wire/cdp";
import { type FromWorker, type ToWorker, WORKER_NAME, type WantsLetter, type WorkerHello } from "../wire/worker";
import { type Answered, answer, argument, awaitPromise } from "../agent/runtime/answers";
import "../agent/runtime/deep";
import { getExceptionDetails, getProperties } from "../agent/runtime/properties";
import { discardConsole, installConsole, installErrors, replayConsole } from "../agent/runtime/console";
import { setOwnText } from "../agent/runtime/serialize";
import { type Context, NO_CONTEXT, addContext } from "../agent/runtime/context";
import { release, releaseGroup, unwrap } from "../agent/runtime/objects";
import { base, docId, originals } from "../agent/base/originals";
import { type Handler, ProtocolError, errorOf } from "../agent/base/registry";
import { Session, addSession, endSession, sessionOf } from "../agent/base/session";
import { installNested } from "./nested";
import { installXhr } from "./xhr";
import { decided, installRequests, setWants } from "./requests";

// biome-ignore lint/security/noGlobalEval: Runtime.evaluate runs what clients say
const run = window.eval;

const context: Context = { id: base * 1000 + 1, uniqueId: `${base}.${docId}`, name: "", isDefault: true };
addContext(context);

const { port1: port, port2 } = new MessageChannel();
const send = (message: string): void => port.postMessage(message);

// -------------------------------------------------------------- commands

/** The context that params name must be the worker's own. */
function checkContext(id: number | undefined, unique: string | undefined): void {
  if ((id ?? context.id) !== context.id || (unique ?? context.uniqueId) !== context.uniqueId)
    throw new ProtocolError(NO_CONTEXT);
}

function evaluate(p: Protocol.Runtime.EvaluateRequest, s: Session): Answered | Promise<Answered> {
  checkContext(p.contextId, p.uniqueContextId);
  return answer(p, context, s, () => run(String(p.expression)));
}

function callFunctionOn(p: Protocol.Runtime.CallFunctionOnRequest, s: Session): Answered | Promise<Answered> {
  const held = p.objectId === undefined ? undefined : unwrap(p.objectId);
  checkContext(p.executionContextId, p.uniqueContextId);
  const args = (p.arguments ?? []).map((a) => argument(a, run));
  return answer({ ...p, objectGroup: p.objectGroup ?? held?.group }, context, s, () => {
    const f: unknown = run(`(${p.functionDeclaration}\n)`);
    if (typeof f !== "function") throw new ProtocolError("Given expression does not evaluate to a function");
    return Reflect.apply(f, held ? held.value : window, args);
  });
}

function enable(_p: object, s: Session): void {
  if (s.enabled.has("Runtime")) return;
  s.enabled.add("Runtime");
  const { id, name, uniqueId } = context;
  s.emit("Runtime.executionContextCreated", { context: { id, name, uniqueId, origin: window.origin } });
  // The agent answers when the worker's script has run: it is in the same text.
  s.emit("Inspector.workerScriptLoaded", {} as never);
  replayConsole(s);
}

const handlers = new Map<string, Handler>(
  Object.entries<Handler>({
    "Runtime.enable": enable,
    "Runtime.disable": (_p, s) => void s.enabled.delete("Runtime"),
    "Runtime.evaluate": evaluate as unknown as Handler,
    "Runtime.callFunctionOn": callFunctionOn as unknown as Handler,
    "Runtime.getProperties": getProperties as unknown as Handler,
    "Runtime.awaitPromise": awaitPromise as unknown as Handler,
    "Runtime.getExceptionDetails": getExceptionDetails as unknown as Handler,
    "Runtime.releaseObject": (p) => release(String(p.objectId)),
    "Runtime.releaseObjectGroup": (p, s) => releaseGroup(s, String(p.objectGroup)),
    "Runtime.discardConsoleEntries": discardConsole,
    "Runtime.getIsolateId": () => ({ id: docId }),
    // A worker does not wait, as waitingForDebugger of Target.attachedToTarget says.
    "Runtime.runIfWaitingForDebugger": () => {},
  }),
);

const impossible = (method: string): string =>
  handlers.has(method)
    ? ""
    : `'${method}' wasn't found in a worker of an embedded frame: only Runtime, Network and Target.setAutoAttach are there`;

function execute(m: Command, s: Session): void {
  const reply = (r: Answer): void => send(originals.stringify({ id: m.id, ...r }));
  try {
    const handler = handlers.get(m.method);
    if (!handler) throw new ProtocolError(impossible(m.method), -32601);
    const result = handler(m.params ?? {}, s);
    if (!(result instanceof Promise)) return reply({ result: result ?? {} });
    result.then(
      (r) => reply({ result: r ?? {} }),
      (e) => reply({ error: errorOf(e) }),
    );
  } catch (e) {
    reply({ error: errorOf(e) });
  }
}

function receive(data: string): void {
  const m: ToWorker = originals.parse(data);
  if (m.worker === "attached") return addSession(new Session(m.sessionId, send));
  if (m.worker === "detached") return endSession(m.sessionId);
  if (m.worker === "wants") return setWants(m.wants, m.offline);
  if (m.worker !== undefined) return decided(m);
  const s = sessionOf(m.sessionId ?? "");
  if (s) execute(m as Command, s);
}

// ----------------------------------------------------------------- begin

/** Starts. The hello must be the worker's first message. */
function begin(): void {
  const given = window.name.slice(WORKER_NAME.length);
  const space = given.indexOf(" ");
  setWants(given[0] as WantsLetter);
  window.name = given.slice(space + 1);
  const { close } = window;
  window.close = function () {
    send(originals.stringify({ worker: "closes" } satisfies FromWorker));
    close.call(window);
  };
  installRequests((m: FromWorker) => send(originals.stringify(m)));
  installXhr();
  installNested(given[1] === "p", given.slice(2, space), (m, nested) =>
    port.postMessage(originals.stringify(m), nested ? [nested] : []),
  );
  installConsole(window, () => context);
  installErrors(
    window,
    () => context,
    () => false,
  );
  port.onmessage = (e) => receive(e.data);
  (window as unknown as Worker).postMessage({ icdp: "worker", v: 1 } satisfies WorkerHello, [port2]);
}

if (window.name.startsWith(WORKER_NAME)) begin();
// Must be the last statement: its position is where the agent ends in the first line.
setOwnText(new Error().stack ?? "");
