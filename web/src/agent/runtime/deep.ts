// Runtime.DeepSerializedValue, as Chromium 156 makes it: a value with its contents, for WebDriver BiDi
// (https://w3c.github.io/webdriver-bidi/#type-script-RemoteValue). A Proxy is serialized like its target, since
// script cannot tell them apart.

import type { Protocol } from "../../cdp";
import { added } from "../base/added";
import { ProtocolError } from "../base/registry";
import { describe, subtypeOf } from "./serialize";

/** Chromium has more types than the protocol names. */
export type Deep = Omit<Protocol.Runtime.DeepSerializedValue, "type"> & { type: string };

/** How deep to serialize: levels of objects, levels of nodes, and which shadow trees are included. */
export interface Depths {
  objects: number;
  nodes: number;
  shadows: string;
}

/** Serializes a value inside an object. */
export type Inner = (value: unknown, objects: number) => Deep;

declare module "../base/added" {
  interface Added {
    /** Serializes the browser's own objects; undefined for objects of the language. A worker has none. */
    platform(value: object, depths: Depths, inner: Inner): Deep | undefined;
  }
}

const MAX_DEPTH = 1000; // v8/src/inspector/value-mirror.cc, kMaxProtocolDepth

/** The depths that a command asks for; throws Chromium's errors. */
function depthsOf(o: Protocol.Runtime.SerializationOptions): Depths {
  const { maxNodeDepth = 0, includeShadowTree = "none" } = (o.additionalParameters ?? {}) as Record<string, unknown>;
  if (!Number.isInteger(maxNodeDepth)) throw new ProtocolError("Parameter maxNodeDepth should be of type int.");
  if (!["none", "open", "all"].includes(String(includeShadowTree))) {
    throw new ProtocolError(`Unknown value includeShadowTree:${includeShadowTree}`);
  }
  return {
    objects: Math.min(o.maxDepth ?? MAX_DEPTH, MAX_DEPTH),
    nodes: Number(maxNodeDepth),
    shadows: String(includeShadowTree),
  };
}

/** Serializes a value. */
function deepSerialize(value: unknown, depths: Depths): Deep {
  const known = new Map<unknown, Deep>();
  const repeats: [again: Deep, first: Deep][] = [];
  let twice = 0;
  const serialize: Inner = (v, objects) => {
    if ((typeof v !== "object" && typeof v !== "function") || v === null) return primitive(v);
    const first = known.get(v);
    if (first) {
      const again: Deep = { type: "", weakLocalObjectReference: (first.weakLocalObjectReference ??= ++twice) };
      repeats.push([again, first]);
      return again;
    }
    const d: Deep = { type: "" }; // entered before its contents, which may refer to it
    known.set(v, d);
    return Object.assign(d, added.platform?.(v, { ...depths, objects }, serialize) ?? object(v, objects, serialize));
  };
  try {
    const d = serialize(value, depths.objects);
    for (const [again, first] of repeats) again.type = first.type;
    return d;
  } catch {
    throw new ProtocolError("exception during deep serialization"); // thrown by a getter
  }
}

function primitive(v: unknown): Deep {
  if (v === null) return { type: "null" };
  const { type, value, unserializableValue } = describe(v);
  if (type === "bigint") return { type, value: String(v) };
  if (type === "undefined" || type === "symbol") return { type };
  return { type, value: unserializableValue ?? value };
}

/** Objects that are serialized without their contents, by their subtype as a RemoteObject. */
const BARE = ["weakmap", "weakset", "error", "promise", "typedarray", "arraybuffer", "generator"];

function object(v: object, objects: number, inner: Inner): Deep {
  if (typeof v === "function") return { type: "function" };
  const within = <T>(of: () => T): { value?: T } => (objects > 0 ? { value: of() } : {});
  const one = (each: unknown): Deep => inner(each, objects - 1);
  const subtype = subtypeOf(v) ?? "";
  if (BARE.includes(subtype)) return { type: subtype };
  switch (subtype) {
    case "array":
      if (Array.isArray(v)) return { type: "array", ...within(() => Array.from(v, one)) };
      break; // arguments
    case "regexp": {
      const { source: pattern, flags } = v as RegExp;
      return { type: "regexp", value: { pattern, ...(flags && { flags }) } };
    }
    case "date":
      return { type: "date", value: Number.isNaN(Number(v)) ? "Invalid Date" : (v as Date).toISOString() };
    case "map": {
      const pair = ([k, x]: [unknown, unknown]) => [typeof k === "string" ? k : one(k), one(x)];
      return { type: "map", ...within(() => Array.from((v as Map<unknown, unknown>).entries(), pair)) };
    }
    case "set":
      return { type: "set", ...within(() => Array.from((v as Set<unknown>).values(), one)) };
  }
  const own = v as Record<string, unknown>;
  return { type: "object", ...within(() => Object.keys(own).map((k) => [k, one(own[k])])) };
}

added.deepening = (options) => {
  const depths = depthsOf(options);
  return (value) => deepSerialize(value, depths) as Protocol.Runtime.DeepSerializedValue;
};
