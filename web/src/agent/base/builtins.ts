// The built-ins as they were before the page's scripts ran. A page may replace any of them: Array.prototype.map =
// null. build/builtins.mjs rewrites the agent's bundle to call the functions with a $ here, which look the originals
// up in tables. Only this file is not rewritten: after the start it uses no built-in but those that it holds itself,
// and no iterator.

type Fn = (...args: unknown[]) => unknown;
/** A property that a native function reads internally, with its original value. */
interface Part {
  on: object;
  key: PropertyKey;
  was: PropertyDescriptor;
}
/** A built-in, and the properties that it reads internally and that the page may replace. */
interface Builtin {
  f: Fn;
  parts?: Part[];
}

const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
const { isArray, prototype: arrayPrototype } = Array;
const { hasOwnProperty } = Object.prototype;
const { iterator } = Symbol;
const { Promise: NativePromise, WeakMap: NativeWeakMap } = window;
const { get: weakGet, set: weakSet } = WeakMap.prototype;
/** The constructors of each realm, by the prototype of its window. */
const globals = new NativeWeakMap<object, Record<string, unknown>>();
const has = (o: object, key: PropertyKey): boolean => apply(hasOwnProperty, o, [key]) as boolean;
const kept = new NativeWeakMap<object, Record<PropertyKey, Builtin>>();

const LANGUAGE =
  "Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect RegExp Date Error Map Set WeakMap WeakSet WeakRef Promise " +
  "ArrayBuffer Uint8Array";
/** What can be gone through, and is not of the language. */
const LISTS =
  "NodeList HTMLCollection DOMTokenList NamedNodeMap StyleSheetList CSSRuleList DOMRectList Headers FormData URLSearchParams";

// ------------------------------------------------------------- protocols

const iteratorOf = (o: { [Symbol.iterator](): object }): object => getPrototypeOf(o[Symbol.iterator]()) as object;

/** A descriptor that inherits nothing, such as a `get` of Object.prototype. */
function plain(d: PropertyDescriptor | undefined): PropertyDescriptor | undefined {
  if (d) setPrototypeOf(d, null);
  return d;
}

function partsOf(on: object, ...keys: PropertyKey[]): Part[] {
  return keys.flatMap((key) => {
    const was = plain(getOwnPropertyDescriptor(on, key));
    return was ? [{ on, key, was }] : [];
  });
}

/** How map and slice find the constructor of their result (ECMA-262, ArraySpeciesCreate). */
const species = [...partsOf(arrayPrototype, "constructor"), ...partsOf(Array, Symbol.species)];
const arrayIteration = [...partsOf(arrayPrototype, iterator), ...partsOf(iteratorOf([]), "next")];
const iteration = [
  ...arrayIteration,
  ...partsOf(Map.prototype, iterator, "set"),
  ...partsOf(Set.prototype, iterator, "add"),
  ...partsOf(WeakMap.prototype, "set"),
  ...partsOf(WeakSet.prototype, "add"),
  ...[new Map(), new Set(), ""].flatMap((o) => partsOf(iteratorOf(o), "next")),
];
const matching = [
  ...partsOf(RegExp.prototype, ...ownKeys(RegExp.prototype)),
  ...partsOf(RegExp, Symbol.species),
  ...species,
];
const promising = [
  ...partsOf(NativePromise.prototype, "constructor", "then"),
  ...partsOf(NativePromise, Symbol.species, "resolve"),
  ...iteration,
];

const NEEDS = new Map<object, [names: RegExp, parts: Part[]]>([
  [arrayPrototype, [/^(concat|filter|flat|flatMap|map|slice|splice)$/, species]],
  [Array, [/^from$/, iteration]],
  [Object, [/^fromEntries$/, iteration]],
  [String.prototype, [/^(match|matchAll|replace|replaceAll|search|split)$/, matching]],
  [RegExp.prototype, [/^test$/, partsOf(RegExp.prototype, "exec")]],
  [iteratorOf("".matchAll(/x/g)), [/^next$/, matching]],
  [NativePromise.prototype, [/^/, promising]],
  [NativePromise, [/^/, promising]],
]);

/** Whether nothing that a native function looks up has been replaced. */
function intact(parts: Part[]): boolean {
  for (let i = 0; i < parts.length; i++) {
    const { on, key, was } = parts[i];
    if (was.get ? getOwnPropertyDescriptor(on, key)?.get !== was.get : (on as never)[key] !== was.value) return false;
  }
  return true;
}

/** Runs f with the originals in their places. It is synchronous and calls nothing of the page's. */
function repaired<T>(parts: Part[], f: () => T): T {
  const found: (PropertyDescriptor | undefined)[] = [];
  for (let i = 0; i < parts.length; i++) {
    const { on, key, was } = parts[i];
    found[i] = plain(getOwnPropertyDescriptor(on, key));
    defineProperty(on, key, was);
  }
  try {
    return f();
  } finally {
    for (let i = 0; i < parts.length; i++) {
      const { on, key } = parts[i];
      const now = found[i];
      if (now) defineProperty(on, key, now);
      else Reflect.deleteProperty(on, key);
    }
  }
}

// ---------------------------------------------------------------- tables

/**
 * Remembers the built-ins of a window, before its page's scripts run. Functions of the DOM are taken again by another
 * call, once the agent has wrapped some of them.
 */
export function $remember(win: Window & typeof globalThis): void {
  keepAll(win, lists.language);
  keepAll(win, lists.dom);
  takeEarly(win);
  keep(getPrototypeOf(win.Uint8Array.prototype) as object);
  // By its prototype: the proxy of a window stays the same when its frame gets another one.
  const realm = getPrototypeOf(win) as object;
  if (apply(weakGet, globals, [realm])) return;
  const table = { __proto__: null } as unknown as Record<string, unknown>;
  for (let i = 0; i < lists.globals.length; i++) table[lists.globals[i]] = (win as never)[lists.globals[i]];
  apply(weakSet, globals, [realm, table]);
}

function keepAll(win: Window, names: string[]): void {
  for (let i = 0; i < names.length; i++) {
    const value = (win as never)[names[i]] as (object & { prototype?: object }) | undefined;
    if (!value) continue;
    keep(value);
    if (value.prototype) keep(value.prototype);
  }
}

function keep(o: object, need?: [names: RegExp, parts: Part[]]): void {
  if (apply(weakGet, kept, [o])) return;
  const table = { __proto__: null } as unknown as Record<PropertyKey, Builtin>;
  const keys = ownKeys(o);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const d = getOwnPropertyDescriptor(o, key) as PropertyDescriptor;
    const f: unknown = has(d, "value") ? d.value : d.get;
    if (typeof f === "function") {
      table[key] = { f: f as Fn, parts: need && (typeof key === "symbol" || need[0].test(key)) ? need[1] : undefined };
    }
  }
  apply(weakSet, kept, [o, table]);
}

const primitives = {
  __proto__: null,
  string: String.prototype,
  number: Number.prototype,
  boolean: Boolean.prototype,
  symbol: Symbol.prototype,
  bigint: BigInt.prototype,
} as unknown as Record<string, object>;

/**
 * A built-in that o has or inherits. Undefined if there is none, or if an object nearer in the prototype chain has
 * the property.
 */
function find(o: unknown, key: PropertyKey): Builtin | undefined {
  const type = typeof o;
  let at = (type === "object" || type === "function" ? o : primitives[type]) as object | null;
  if (isArray(at)) at = getPrototypeOf(at); // the agent's arrays have no own methods
  while (at) {
    const table = apply(weakGet, kept, [at]) as Record<PropertyKey, Builtin> | undefined;
    if (!table && has(at, key)) return undefined;
    if (table?.[key]) return table[key];
    at = getPrototypeOf(at);
  }
  return undefined;
}

function invoke(o: unknown, key: PropertyKey, args: unknown[], found = find(o, key)): unknown {
  if (!found) return apply((o as Record<PropertyKey, Fn>)[key], o, args);
  const { f, parts } = found;
  const plainText = parts === matching && typeof args[0] === "string"; // the first argument is no regular expression
  if (!parts || plainText || intact(parts)) return apply(f, o, args);
  if (parts === promising) for (let i = 0; i < args.length; i++) args[i] = settling(args[i]);
  return repaired(parts, () => apply(f, o, args));
}

/**
 * Wraps a callback of a promise. If the callback returns a promise, the browser would call its `then`, which may be
 * replaced.
 */
function settling(f: unknown): unknown {
  return typeof f === "function" ? (v: unknown): unknown => $await(apply(f as Fn, undefined, [v])) : f;
}

// ------------------------------------------------ the browser's objects

type Kind = "get" | "set" | "value";
type Table = Record<string, Fn | undefined>;

const { exec } = RegExp.prototype;
const { toString: textOf } = Function.prototype;
const { prototype: typeError } = TypeError;
/** The functions of each prototype that have been found, by kind and name. */
const functions = new NativeWeakMap<object, Table>();

/** What the agent wraps and calls, and what libraries replace first. */
const early = (
  "EventTarget addEventListener removeEventListener dispatchEvent,Window getComputedStyle,HTMLElement click focus," +
  "HTMLFormElement submit,HTMLInputElement showPicker,DocumentFragment querySelector querySelectorAll,Node contains getRootNode," +
  "Document execCommand elementFromPoint elementsFromPoint querySelector querySelectorAll createElement createTreeWalker getSelection," +
  "Element attachShadow setPointerCapture releasePointerCapture hasPointerCapture matches closest querySelector querySelectorAll " +
  "getAttribute hasAttribute getBoundingClientRect getClientRects"
)
  .split(",")
  .map((line) => line.split(" "));

/** Accessors of windows, which a page's own `function performance() {}` replaces. */
const ofWindow =
  "performance history navigator innerWidth innerHeight scrollX scrollY devicePixelRatio origin visualViewport".split(
    " ",
  );

/** Takes those of a window, once the agent has wrapped some of them. Functions of the window count as of its prototype. */
function takeEarly(win: Window): void {
  const table = tableOf(getPrototypeOf(win) as object);
  for (let i = 0; i < ofWindow.length; i++) table[`get ${ofWindow[i]}`] ??= nativeOf(win, ofWindow[i], "get");
  for (let i = 0; i < early.length; i++) {
    const names = early[i];
    const on = (win as never as Record<string, { prototype: Record<string, Fn> } | undefined>)[names[0]]?.prototype;
    for (let k = 1; on && k < names.length; k++)
      tableOf(on)[`value ${names[k]}`] = on[names[k]] ?? (win as never)[names[k]];
  }
}

function tableOf(o: object): Table {
  let table = apply(weakGet, functions, [o]) as Table | undefined;
  if (!table) apply(weakSet, functions, [o, (table = { __proto__: null } as unknown as Table)]);
  return table;
}

/**
 * The browser's own function for a property. No script can make a function whose text is `function NAME() { [native
 * code] }` (ECMA-262, NativeFunction: that is no program); bound functions and proxies have no name in theirs.
 */
function nativeOf(o: object, name: string, kind: Kind): Fn | undefined {
  const d = getOwnPropertyDescriptor(o, name);
  const f = d && has(d, kind) && (d[kind] as Fn);
  if (typeof f !== "function") return undefined;
  const match = apply(exec, /^function (?:[gs]et )?(\w+)\(\)\s+{\s+\[native code\]/, [apply(textOf, f, [])]) as
    | string[]
    | null;
  return match?.[1] === name ? f : undefined;
}

/** The function that an object inherits, whatever the page's own classes have; windows have theirs themselves. */
function search(o: object, name: string, kind: Kind): Fn | undefined {
  const key = `${kind} ${name}`;
  for (let at = getPrototypeOf(o); at; at = getPrototypeOf(at)) {
    const table = tableOf(at);
    const f = (table[key] ??= nativeOf(at, name, kind));
    if (f) return f;
  }
  return nativeOf(o, name, kind);
}

/**
 * Reads, sets or calls a property of one of the browser's objects by the function that its interface has for it, whatever
 * the object or a class of the page has of that name. What is none of the browser's objects has a property of its own.
 */
function access(o: unknown, name: string, kind: Kind, args: unknown[]): unknown {
  if ((typeof o === "object" && o) || typeof o === "function") {
    const f = search(o, name, kind);
    try {
      if (f) {
        const result = apply(f, o, args) as unknown;
        return kind === "set" ? args[0] : result;
      }
    } catch (e) {
      if (typeof e !== "object" || !e || getPrototypeOf(e) !== typeError) throw e; // it is of another kind
    }
  }
  const own = o as Record<string, unknown>;
  if (kind === "get") return own[name];
  return kind === "set" ? (own[name] = args[0]) : apply(own[name] as Fn, o, args);
}

export const $read = (o: unknown, name: string): unknown => read(name)(o);
export const $write = (o: unknown, name: string, value: unknown): unknown => access(o, name, "set", [value]);
export const $run = (o: unknown, name: string, ...args: unknown[]): unknown => access(o, name, "value", args);

/** o.name?.(...args). */
export const $may = (o: unknown, name: string, ...args: unknown[]): unknown =>
  name in (o as object) ? access(o, name, "value", args) : undefined;

const read =
  (name: string): Fn =>
  (o) =>
    o === undefined || o === null ? undefined : access(o, name, "get", []);

/** Functions for several names each, which a bundle uses more often. */
export const $getters = (names: string): Fn[] => each(names, read);
export const $setters = (names: string): Fn[] => each(names, (name) => (o, value) => access(o, name, "set", [value]));
export const $callers = (names: string): Fn[] =>
  each(
    names,
    (name) =>
      (o, ...args) =>
        access(o, name, "value", args),
  );
export const $methods = (names: string): Fn[] => each(names, caller);

function each(names: string, make: (name: string) => Fn): Fn[] {
  const list = invoke(names, "split", [" "]) as unknown[];
  for (let i = 0; i < list.length; i++) list[i] = make(list[i] as string);
  return list as Fn[];
}

// ------------------------------------------------ what the bundle calls

/** f(o, ...args), or undefined for an o that is null or undefined. */
export function $maybe(f: Fn, o: unknown, ...args: unknown[]): unknown {
  if (o === undefined || o === null) return undefined;
  const all: unknown[] = [o];
  for (let i = 0; i < args.length; i++) all[i + 1] = args[i];
  return apply(f, undefined, all);
}

/** o.key(...args). */
function caller(key: string): Fn {
  const onArray = find([], key);
  const onString = find("", key);
  return (o, ...args) => {
    if (typeof o === "string") return invoke(o, key, args, onString);
    if (isArray(o) && getPrototypeOf(o) === arrayPrototype) return invoke(o, key, args, onArray);
    return invoke(o, key, args);
  };
}

/** o.key, for an accessor. */
export function $reader(key: string): (o: unknown) => unknown {
  return (o) => {
    const found = find(o, key);
    return found ? apply(found.f, o, []) : (o as Record<string, unknown>)[key];
  };
}

/** Replaces the iterable of loops, spreads and destructuring patterns. */
export function $iterate(o: Iterable<unknown>): Iterable<unknown> {
  if (isArray(o)) {
    if (getPrototypeOf(o) === arrayPrototype && intact(arrayIteration)) return o;
    let i = 0;
    return iterable(() =>
      i < o.length ? { done: false, value: o[i++] as unknown } : { done: true, value: undefined },
    );
  }
  const it = invoke(o, iterator, []) as Iterator<unknown>;
  const ends = "return" in it ? (): unknown => invoke(it, "return", []) : undefined;
  return iterable(() => invoke(it, "next", []), ends);
}

function iterable(next: () => unknown, ends?: () => unknown): Iterable<unknown> {
  const made = { __proto__: null, next, return: ends, [iterator]: () => made } as unknown as Iterable<unknown>;
  return made;
}

/** new f(...args), for constructors that iterate over their argument, such as Map. */
export function $new(f: Fn, ...args: unknown[]): unknown {
  return intact(iteration) ? construct(f, args) : repaired(iteration, () => construct(f, args) as unknown);
}

/** Fills the tables. `names` are the constructors that the bundle calls on other windows. */
export function $expect(names: string): void {
  lists.globals = `getComputedStyle ${names}`.split(" ");
  $remember(window);
}

/** The names of the constructors of the language, and of the others that the agent uses. */
export const $names = (): string[] => [...lists.language, ...lists.globals];

/** The constructor win.name. */
export function $global(win: object, name: string): unknown {
  const table = apply(weakGet, globals, [getPrototypeOf(win)]) as Record<string, unknown> | undefined;
  return table?.[name] ?? (win as Record<string, unknown>)[name];
}

/** Replaces the operand of await, and what an async function returns. */
export function $await(value: unknown): unknown {
  if (!(value instanceof NativePromise) || intact(promising)) return value;
  const then = (...args: unknown[]): unknown => invoke(value, "then", args);
  return { __proto__: null, then };
}

const lists = { language: LANGUAGE.split(" "), dom: LISTS.split(" "), globals: [] as string[] };
NEEDS.forEach((need, o) => {
  keep(o, need);
});
for (const o of [[], new Map(), new Set(), ""]) keep(iteratorOf(o));
keep(getPrototypeOf(iteratorOf([])) as object);
keep(getPrototypeOf(getPrototypeOf((function* () {})()) as object) as object);
