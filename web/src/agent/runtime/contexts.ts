// Execution contexts. Every frame has a main one, and one for each isolated world, by name. Worlds exist only for
// Clients: they all share the frame's global object.

import type { Protocol } from "../../cdp";
import { type FrameContext, NO_CONTEXT, addContext, dropContext } from "./context";
import { type Frame, allFrames, mainFrame, originOf } from "../page/frames";
import { added } from "../base/added";
import { base, docId } from "../base/originals";
import { ProtocolError } from "../base/registry";
import { type Session, emit } from "../base/session";

const contexts = new Map<number, FrameContext>();
const worldNames = new Set<string>();
/** How many ids a document has. Commands are routed by the thousand that an id is in. */
const IDS = 999;
let counter = 0;

const isFull = (): boolean => contexts.size >= IDS;

/**
 * An id that no context has. Ids of contexts that are gone are used again after all others. If there is none, frames
 * still get their main contexts, with negative ids: no document has these, so commands to them fail.
 */
function freeId(): number {
  if (isFull()) return -++counter;
  for (;;) {
    const id = base * 1000 + 1 + (counter++ % IDS);
    if (!contexts.has(id)) return id;
  }
}

/** Commands are routed by the id at its start. The counter tells contexts apart that have had one id. */
const uniqueId = (id: number): string => `${id}.${counter}.${docId}`;

function create(frame: Frame, name: string, isDefault: boolean): FrameContext {
  const id = freeId();
  const context: FrameContext = { id, uniqueId: uniqueId(id), name, isDefault, frame };
  contexts.set(id, context);
  addContext(context);
  added.framesChanged?.();
  emit("Runtime", "Runtime.executionContextCreated", { context: describe(context) });
  return context;
}

/** Gives the contexts new ids after the base has changed. */
export function renumberContexts(): void {
  const list = [...contexts.values()];
  contexts.clear();
  for (const c of list) {
    c.id = base * 1000 + (c.id % 1000);
    c.uniqueId = uniqueId(c.id);
    contexts.set(c.id, c);
  }
}

function find(frame: Frame, name: string, isDefault: boolean): FrameContext | undefined {
  for (const c of contexts.values()) {
    if (c.frame === frame && c.isDefault === isDefault && c.name === name) return c;
  }
  return undefined;
}

/** The one that was asked for last: each call of the console asks. */
let newest: FrameContext | undefined;

/** The main context of a frame. */
export function mainContext(frame: Frame): FrameContext {
  if (newest?.frame !== frame) newest = find(frame, "", true) ?? create(frame, "", true);
  return newest;
}

/** The world of this name in a frame; the empty name makes a new world each time. */
export function worldContext(frame: Frame, name: string): FrameContext {
  mainContext(frame);
  const there = name && find(frame, name, false);
  if (there) return there;
  if (isFull()) throw new ProtocolError("Too many contexts: 999");
  return create(frame, name, false);
}

/** Creates a world of this name in every frame with a document, now and in future documents. */
export function keepWorld(name: string): void {
  if (!name) return;
  worldNames.add(name);
  for (const frame of allFrames()) if (find(frame, "", true)) worldContext(frame, name);
}

/**
 * Creates the contexts of a new document in a frame. A document of another origin has them too, as in Chromium:
 * evaluating in it fails at once, and Clients do not wait for a context.
 */
export function createContexts(frame: Frame): void {
  mainContext(frame);
  for (const name of worldNames) if (!isFull()) worldContext(frame, name);
}

/** Forgets the contexts of a frame whose document has gone. */
export function destroyContexts(frame: Frame): void {
  for (const c of [...contexts.values()]) {
    if (c.frame !== frame) continue;
    contexts.delete(c.id);
    if (newest === c) newest = undefined;
    added.framesChanged?.();
    emit("Runtime", "Runtime.executionContextDestroyed", {
      executionContextId: c.id,
      executionContextUniqueId: c.uniqueId,
    });
    dropContext(c);
  }
}

/** The context with this id; throws "Cannot find context with specified id". */
export function contextOf(id: number): FrameContext {
  const c = contexts.get(id);
  if (!c) throw new ProtocolError(NO_CONTEXT);
  return c;
}

/** How commands name a context. */
interface ContextParams {
  contextId?: number;
  executionContextId?: number;
  uniqueContextId?: string;
}

/** The context that the params name: contextId, executionContextId or uniqueContextId; else the main one. */
export function contextOfParams(p: ContextParams): FrameContext {
  const id = p.contextId ?? p.executionContextId;
  const unique = p.uniqueContextId;
  if (id !== undefined && unique !== undefined) {
    throw new ProtocolError("contextId and uniqueContextId are mutually exclusive", -32602);
  }
  if (unique !== undefined) {
    for (const c of contexts.values()) if (c.uniqueId === unique) return c;
    throw new ProtocolError("uniqueContextId not found");
  }
  return id === undefined ? mainContext(mainFrame()) : contextOf(id);
}

/** The contexts limited to this world name, or all main ones for an absent name. */
export function contextsOfWorld(name: string | undefined): FrameContext[] {
  return [...contexts.values()].filter((c) => (name ? c.name === name && !c.isDefault : c.isDefault));
}

/** Runtime.ExecutionContextDescription. */
function describe(c: FrameContext): Protocol.Runtime.ExecutionContextDescription {
  return {
    id: c.id,
    origin: originOf(c.frame),
    name: c.name,
    uniqueId: c.uniqueId,
    auxData: { isDefault: c.isDefault, type: c.isDefault ? "default" : "isolated", frameId: c.frame.id },
  };
}

/** Sends a frame's contexts to one session, or to all that enabled Runtime. */
export function announceContexts(frame: Frame, to?: Session): void {
  for (const c of contexts.values()) {
    if (c.frame !== frame) continue;
    if (to) to.emit("Runtime.executionContextCreated", { context: describe(c) });
    else emit("Runtime", "Runtime.executionContextCreated", { context: describe(c) });
  }
}

/** The ids of all contexts. */
export function contextIds(): Protocol.Runtime.ExecutionContextDestroyedEvent[] {
  return [...contexts.values()].map((c) => ({ executionContextId: c.id, executionContextUniqueId: c.uniqueId }));
}
