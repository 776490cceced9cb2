// Runtime.addBinding: functions on the frames' windows that call the Client.

import type { Protocol } from "../../cdp";
import type { FrameContext as Context } from "./context";
import { contextOf, contextsOfWorld } from "./contexts";
import { allFrames } from "../page/frames";
import { type Session, allSessions, onSessionEnd } from "../base/session";

/** What a session has bound under one name. */
interface Binding {
  name: string;
  /** The world it is limited to; absent: the main one. */
  worldName?: string;
  /** The one context it is limited to. */
  contextId?: number;
}

const bySession = new Map<Session, Binding[]>();
const MAX_EARLY = 100;
/** Calls made before any session is known. */
let earlyCalls: { name: string; payload: string; win: Window }[] | undefined = [];

/** Runtime.addBinding. */
export function bind(p: Protocol.Runtime.AddBindingRequest, s: Session): void {
  const binding = {
    name: String(p.name),
    worldName: p.executionContextName || undefined,
    contextId: p.executionContextId,
  };
  if (binding.contextId !== undefined) contextOf(binding.contextId);
  const list = bySession.get(s) ?? [];
  bySession.set(s, list);
  if (
    list.some((b) => b.name === binding.name && b.worldName === binding.worldName && b.contextId === binding.contextId)
  )
    return;
  list.push(binding);
  for (const f of allFrames()) if (f.win) define(f.win, binding.name);
}

/** Runtime.removeBinding: the function stays on the window, but calls no Client. */
export function unbind(p: Protocol.Runtime.RemoveBindingRequest, s: Session): void {
  bySession.set(
    s,
    (bySession.get(s) ?? []).filter((b) => b.name !== p.name),
  );
}

/** Defines every bound name on a new window. */
export function installBindings(win: Window): void {
  for (const list of bySession.values()) for (const b of list) define(win, b.name);
}

/** Defines a name on a window. Calling the function sends Runtime.bindingCalled. */
export function define(win: Window, name: string): void {
  const target = win as unknown as Record<string, unknown>;
  if (functions.has(target[name] as object)) return;
  const f = function (...args: unknown[]): void {
    if (args.length !== 1 || typeof args[0] !== "string") {
      throw new TypeError("Invalid arguments: should be exactly one string.");
    }
    reportCall(win, name, args[0]);
  };
  functions.add(f);
  Object.defineProperty(win, name, { value: f, configurable: true, writable: true, enumerable: true });
}

const functions = new WeakSet<object>();

function reportCall(win: Window, name: string, payload: string): void {
  if (earlyCalls) {
    if (earlyCalls.length < MAX_EARLY) earlyCalls.push({ name, payload, win });
    return;
  }
  for (const s of allSessions()) {
    for (const b of bySession.get(s) ?? []) {
      if (b.name !== name || !s.enabled.has("Runtime")) continue;
      const c = target(b, win);
      if (c) s.emit("Runtime.bindingCalled", { name, payload, executionContextId: c.id });
    }
  }
}

function target(b: Binding, win: Window): Context | undefined {
  if (b.contextId !== undefined) {
    try {
      return contextOf(b.contextId);
    } catch {
      return undefined;
    }
  }
  return contextsOfWorld(b.worldName).find((c) => c.frame.win === win);
}

/** Delivers the calls made before the sessions were known. */
export function flushBindings(): void {
  const list = earlyCalls ?? [];
  earlyCalls = undefined;
  for (const c of list) reportCall(c.win, c.name, c.payload);
}

onSessionEnd((s) => bySession.delete(s));
