// Values as Chromium 156 describes them: Runtime.RemoteObject without its
// objectId, Runtime.ObjectPreview, and the JSON of returnByValue.

import type { Protocol } from "../../cdp";
import { originals } from "../base/originals";
import { ProtocolError } from "../base/registry";

const PREVIEW_PROPERTIES = 5;
const PREVIEW_ITEMS = 100;
const PREVIEW_TEXT = 100;
const MAX_DEPTH = 500;

type Subtype = Protocol.Runtime.RemoteObject["subtype"];

const subtypes: Record<string, Subtype> = {
  RegExp: "regexp",
  Date: "date",
  Map: "map",
  Set: "set",
  WeakMap: "weakmap",
  WeakSet: "weakset",
  Error: "error",
  DOMException: "error",
  Promise: "promise",
  DataView: "dataview",
  ArrayBuffer: "arraybuffer",
  SharedArrayBuffer: "arraybuffer",
  Generator: "generator",
  "Map Iterator": "iterator",
  "Set Iterator": "iterator",
  "Array Iterator": "iterator",
  "String Iterator": "iterator",
  NodeList: "array",
  HTMLCollection: "array",
  Arguments: "array",
  DOMTokenList: "array",
  HTMLAllCollection: "array",
  "WebAssembly.Memory": "webassemblymemory",
};

/** The built-in kind of an object: "Date", "Array" and so on. */
function tag(value: object): string {
  try {
    return originals.objectTag.call(value).slice(8, -1);
  } catch {
    return "Object"; // a revoked Proxy
  }
}

/** Whether a value is a DOM node, of any realm. */
export function isNode(value: unknown): value is Node {
  if (typeof value !== "object" || value === null || !nodeType || isPlain(value)) return false;
  try {
    nodeType.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether an object certainly is none of the browser's. The TypeError of a getter takes longer than all else. */
function isPlain(value: object): boolean {
  try {
    return Object.getPrototypeOf(value) === Object.prototype;
  } catch {
    return false; // a Proxy's trap has thrown
  }
}

// A worker has no nodes.
const nodeType = typeof Node === "function" && Object.getOwnPropertyDescriptor(Node.prototype, "nodeType")?.get;

/** The RemoteObject subtype of an object, if it has one. */
export function subtypeOf(value: object): Subtype {
  if (Array.isArray(value)) return "array";
  if (isNode(value)) return "node";
  if (ArrayBuffer.isView(value))
    return value instanceof DataView || tag(value) === "DataView" ? "dataview" : "typedarray";
  return subtypes[tag(value)];
}

/** The name of an object's constructor. */
function classNameOf(value: object): string {
  try {
    for (let o: object | null = value; o; o = Object.getPrototypeOf(o)) {
      const d = Object.getOwnPropertyDescriptor(o, "constructor");
      const c: unknown = d?.value;
      if (typeof c === "function" && c.name) return String(c.name);
    }
  } catch {
    // A Proxy's trap has thrown, or the object is of another origin.
  }
  const t = tag(value);
  return t === "Function" ? "Function" : t || "Object";
}

function describeNode(node: Node): string {
  if (node.nodeType === Node.ELEMENT_NODE) {
    const e = node as Element;
    const classes = (e.getAttribute("class") ?? "")
      .split(/\s+/)
      .filter(Boolean)
      .map((c) => `.${c}`)
      .join("");
    return e.tagName.toLowerCase() + (e.id ? `#${e.id}` : "") + classes;
  }
  if (node.nodeType === Node.DOCUMENT_TYPE_NODE) return `<!DOCTYPE ${node.nodeName}>`;
  return node.nodeName;
}

/** The text of an error as Chromium shows it: its stack, headed by its class and message. */
export function describeError(e: Error): string {
  let stack = "";
  let head = "";
  let headed = true; // V8's stack begins with class and message; other engines list only the calls
  try {
    const own = typeof e.stack === "string" ? e.stack : "";
    headed = !/@/.test(own) || /^\s*at |\n\s*at /.test(own);
    stack = cleanStack(own);
    head = e.message ? `${e.name}: ${e.message}` : String(e.name);
  } catch {
    return "Error";
  }
  return headed ? stack || head : `${head}\n${stack}`.trimEnd();
}

/** A stack text without the calls inside the agent. */
export function cleanStack(stack: string): string {
  if (!ownUrl) return stack;
  return stack
    .split("\n")
    .map(fromGecko)
    .map(unwrapEval)
    .filter((line) => !isOwn(line) && line !== "    at eval (<anonymous>)")
    .join("\n");
}

/**
 * Converts a line of a stack in Firefox or Safari, "name@url:line:column", to Chromium's form. Code that the agent
 * has evaluated is "agent.js line 9 > eval:1:2" in Firefox. In Safari it has no position, like native functions:
 * "eval code@", "map@[native code]".
 */
function fromGecko(line: string): string {
  const m = /^(.*?)@(?:(.*?)( line \d+ > .*)?:(\d+):(\d+)|\[native code\])?$/.exec(line);
  if (!m || /^\s*at /.test(line)) return line;
  const [, name, url, evaluated, row, column] = m;
  const place = row
    ? `${evaluated && ownUrl.startsWith(`${url}:`) ? "<anonymous>" : url}:${row}:${column}`
    : "<anonymous>";
  return name && !/^(eval|\w+ code)$/.test(name) ? `    at ${name} (${place})` : `    at ${place}`;
}

/** Names code that the agent has evaluated as Chromium names what a Client evaluates. */
function unwrapEval(line: string): string {
  const m = /^(\s*at )(?:(.*?) )?\(eval at .*\), (<anonymous>:\d+:\d+)\)$/.exec(line);
  if (!m || !line.includes(ownUrl)) return line;
  const [, at, name, place] = m;
  return !name || name === "eval" ? at + place : `${at}${name} (${place})`;
}

let ownUrl = "";
/** The column where the agent ends, if the worker's script follows in the same file. */
let ownEnd = Infinity;

function isOwn(line: string): boolean {
  const at = line.indexOf(ownUrl);
  return at >= 0 && (ownEnd === Infinity || parseInt(line.slice(at + ownUrl.length), 10) <= ownEnd);
}

/**
 * Sets where the agent is in a script that begins with it, all in the first line. `stack` is one of the agent's very
 * end.
 */
export function setOwnText(stack: string): void {
  const call = stack
    .split("\n")
    .map(fromGecko)
    .find((line) => /:1:\d+\)?$/.test(line));
  const m = /^\s*at (?:.* \()?(.*:1:)(\d+)\)?$/.exec(call ?? "");
  if (m) [ownUrl, ownEnd] = [m[1], Number(m[2])];
}

/** Sets the URL of the script that is only the agent, so that stacks can be shown without it. */
export function setOwnUrl(url: string): void {
  ownUrl = url && `${url}:`;
}

function sizeOf(value: object, subtype: Subtype): number | undefined {
  const v = value as { length?: unknown; size?: unknown; byteLength?: unknown };
  try {
    if (subtype === "array" || subtype === "typedarray") return Number(v.length);
    if (subtype === "map" || subtype === "set") return Number(v.size);
    if (subtype === "arraybuffer" || subtype === "dataview") return Number(v.byteLength);
  } catch {
    // a getter of the page has thrown
  }
  return undefined;
}

function describeObject(value: object, subtype: Subtype, className: string): string {
  switch (subtype) {
    case "node":
      return describeNode(value as Node);
    case "error":
      return describeError(value as Error);
    case "regexp":
      return RegExp.prototype.toString.call(value);
    case "date":
      return Date.prototype.toString.call(value);
  }
  const size = sizeOf(value, subtype);
  return size === undefined ? className : `${className}(${size})`;
}

/** A RemoteObject without objectId. */
export function describe(value: unknown): Protocol.Runtime.RemoteObject {
  switch (typeof value) {
    case "undefined":
      return { type: "undefined" };
    case "string":
      return { type: "string", value };
    case "boolean":
      return { type: "boolean", value };
    case "number":
      return describeNumber(value);
    case "bigint":
      return { type: "bigint", unserializableValue: `${value}n`, description: `${value}n` };
    case "symbol":
      return { type: "symbol", description: String(value) };
    case "function":
      return {
        type: "function",
        className: tag(value) === "Function" ? "Function" : tag(value),
        description: textOf(value),
      };
  }
  if (value === null) return { type: "object", subtype: "null", value: null };
  const subtype = subtypeOf(value as object);
  const className = classNameOf(value as object);
  return {
    type: "object",
    ...(subtype && { subtype }),
    className,
    description: describeObject(value as object, subtype, className),
  };
}

function describeNumber(n: number): Protocol.Runtime.RemoteObject {
  if (Object.is(n, -0)) return { type: "number", unserializableValue: "-0", description: "-0" };
  if (!Number.isFinite(n)) return { type: "number", unserializableValue: String(n), description: String(n) };
  return { type: "number", value: n, description: String(n) };
}

function textOf(f: object): string {
  try {
    return originals.functionText.call(f);
  } catch {
    return "function () { [native code] }";
  }
}

// ------------------------------------------------------------- by value

/** The RemoteObject of returnByValue; throws the errors of Chromium for what JSON cannot hold. */
export function byValue(value: unknown): Protocol.Runtime.RemoteObject {
  if (typeof value === "symbol") throw new ProtocolError("Object couldn't be returned by value");
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return describe(value);
  return { type: typeof value, value: toJson(value, 0) };
}

/** JSON from an object's own enumerable properties; toJSON is not called. */
function toJson(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new ProtocolError("Object reference chain is too long");
  switch (typeof value) {
    case "undefined":
      return null;
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
    case "symbol":
      throw new ProtocolError("Object couldn't be returned by value");
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (let i = 0; i < value.length; i++) list.push(toJson(value[i], depth + 1));
    return list;
  }
  const source = value as Record<string, unknown>;
  const object: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(source)) {
    const v: unknown = source[key];
    if (v !== undefined) object[key] = toJson(v, depth + 1);
  }
  return object;
}

// --------------------------------------------------------------- previews

/** Runtime.ObjectPreview of an object that was described. */
export function preview(value: object, d = describe(value)): Protocol.Runtime.ObjectPreview {
  const properties: Protocol.Runtime.PropertyPreview[] = [];
  let overflow = false;
  const isList = d.subtype === "array" || d.subtype === "typedarray";
  let items = 0;
  let named = 0;
  for (const key of previewKeys(value, d.subtype)) {
    const index = isList && /^\d+$/.test(key);
    if (index ? items >= PREVIEW_ITEMS : named >= PREVIEW_PROPERTIES) {
      overflow = true;
      break;
    }
    index ? items++ : named++;
    properties.push(propertyPreview(value, key));
  }
  const { type, subtype, description } = d;
  const result: Protocol.Runtime.ObjectPreview = {
    type,
    ...(subtype && { subtype }),
    description,
    overflow,
    properties,
  };
  if (subtype === "map" || subtype === "set") addEntries(result, value as Map<unknown, unknown> | Set<unknown>);
  return result;
}

function previewKeys(value: object, subtype: Subtype): string[] {
  try {
    const keys = Object.getOwnPropertyNames(value).filter((k) => k !== "length" || subtype === undefined);
    if (subtype === "error") return ["stack", "message"].filter((k) => keys.includes(k));
    return keys;
  } catch {
    return [];
  }
}

function propertyPreview(owner: object, name: string): Protocol.Runtime.PropertyPreview {
  let d: PropertyDescriptor | undefined;
  try {
    d = Object.getOwnPropertyDescriptor(owner, name);
  } catch {
    // shown like an accessor
  }
  if (!d || d.get || d.set) return { name, type: "accessor" };
  const o = describe(d.value);
  let text = d.value === null ? "null" : (o.description ?? String(d.value));
  if (o.type === "string") text = abbreviate(d.value, PREVIEW_TEXT);
  if (o.type === "function") text = "";
  if (o.subtype === "error" && name === "stack") text = cleanStack(text);
  if (o.type === "undefined") return { name, type: "undefined", value: "undefined" };
  return { name, type: o.type, value: text, ...(o.subtype && { subtype: o.subtype }) };
}

function addEntries(result: Protocol.Runtime.ObjectPreview, value: Map<unknown, unknown> | Set<unknown>): void {
  const entries: Protocol.Runtime.EntryPreview[] = [];
  const isMap = result.subtype === "map";
  for (const entry of value.entries()) {
    if (entries.length >= PREVIEW_PROPERTIES) {
      result.overflow = true;
      break;
    }
    const item = { value: shallow(entry[1]) };
    entries.push(isMap ? { key: shallow(entry[0]), ...item } : item);
  }
  result.entries = entries;
}

/** The preview of a value inside a collection, without its own properties unless it is an object. */
function shallow(value: unknown): Protocol.Runtime.ObjectPreview {
  if (typeof value === "object" && value !== null) return { ...preview(value), entries: undefined };
  const d = describe(value);
  return {
    type: d.type,
    ...(d.subtype && { subtype: d.subtype }),
    description: d.description ?? String(value),
    overflow: false,
    properties: [],
  };
}

/** Cuts the middle out of a long text, as Chromium does. */
function abbreviate(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = max >> 1;
  return text.slice(0, half) + "\u2026" + text.slice(text.length - (max - half - 1));
}
