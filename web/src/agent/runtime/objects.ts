// Remote objects: values that Clients hold by objectId. Signatures shared by
// the domains.

import type { Protocol } from "../../cdp";
import { type Context, NO_CONTEXT, onContextGone } from "./context";
import { base } from "../base/originals";
import { ProtocolError } from "../base/registry";
import { byValue, describe, preview } from "./serialize";
import { type Session, onSessionEnd } from "../base/session";

/** How to present a value. */
export interface Presentation {
  returnByValue?: boolean;
  generatePreview?: boolean;
  objectGroup?: string;
  /** Serializes the value with its contents. */
  deep?(value: unknown): Protocol.Runtime.DeepSerializedValue;
}

/** One objectId: it keeps its value alive until it is released. */
interface Entry {
  value: unknown;
  context: Context;
  session: Session;
  group?: string;
}

const table = new Map<number, Entry>();
let counter = 0;

/** Mints a RemoteObject for a value in a context, held for that session. */
export function wrap(
  value: unknown,
  context: Context,
  session: Session,
  how: Presentation = {},
): Protocol.Runtime.RemoteObject {
  if (how.returnByValue) return byValue(value);
  const object = describe(value);
  if (how.deep) object.deepSerializedValue = how.deep(value);
  if (
    (typeof value !== "object" || value === null) &&
    typeof value !== "function" &&
    typeof value !== "symbol" &&
    object.type !== "object"
  )
    return object;
  if (value === null) return object;
  const n = ++counter;
  table.set(n, { value, context, session, group: how.objectGroup || undefined });
  object.objectId = `${base}.${context.id % 1000}.${n}`;
  if (how.generatePreview && !how.deep && typeof value === "object") object.preview = preview(value, object);
  return object;
}

/**
 * The value behind an objectId; throws "Could not find object with given id" or, for one of another
 * document, "Cannot find context with specified id".
 */
export function unwrap(objectId: string): { value: unknown; context: Context; group?: string } {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(String(objectId));
  if (!parts) throw new ProtocolError("Invalid remote object id");
  if (Number(parts[1]) !== base) throw new ProtocolError(NO_CONTEXT);
  const entry = table.get(Number(parts[3]));
  if (!entry) throw new ProtocolError("Could not find object with given id");
  return entry;
}

/** Releases one objectId. Unknown ones are ignored, as in Chromium. */
export function release(objectId: string): void {
  const parts = String(objectId).split(".");
  if (parts.length === 3 && Number(parts[0]) === base) table.delete(Number(parts[2]));
}

/** Releases all objectIds of a session with this group name. */
export function releaseGroup(session: Session, group: string): void {
  drop((e) => e.session === session && e.group === group);
}

function drop(which: (e: Entry) => boolean): void {
  for (const [n, e] of table) if (which(e)) table.delete(n);
}

onSessionEnd((s) => drop((e) => e.session === s));
onContextGone((c) => drop((e) => e.context === c));
