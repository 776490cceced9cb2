// Runtime.getProperties and Runtime.getExceptionDetails, of a frame's agent and of a worker's.

import type { Protocol } from "../../cdp";
import { ProtocolError } from "../base/registry";
import type { Session } from "../base/session";
import { callFrames, exceptionDetails, isError } from "./exceptions";
import { unwrap, wrap } from "./objects";
import { describeError } from "./serialize";

/** Runtime.getProperties. */
export function getProperties(
  p: Protocol.Runtime.GetPropertiesRequest,
  s: Session,
): Protocol.Runtime.GetPropertiesResponse {
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

/** Runtime.getExceptionDetails. */
export function getExceptionDetails(
  p: Protocol.Runtime.GetExceptionDetailsRequest,
  s: Session,
): Protocol.Runtime.GetExceptionDetailsResponse {
  const { value, context } = unwrap(p.errorObjectId);
  if (!isError(value)) throw new ProtocolError("errorObjectId is not a JS error object");
  const frames = callFrames(value.stack ?? "");
  return {
    exceptionDetails: {
      ...exceptionDetails(value, describeError(value), context, s, {}),
      stackTrace: { callFrames: frames },
    },
  };
}
