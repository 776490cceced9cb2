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
  f: Fn; // a method, a constructor, or what gets a property
  set?: Fn;
  parts?: Part[];
}
/** What an object had, and what it inherited from. */
interface Table {
  of: Record<PropertyKey, Builtin | undefined>;
  up: object | null;
  dom?: boolean; // it is an interface of the DOM, or its prototype
}

const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
const { isArray, prototype: arrayPrototype } = Array;
const { prototype: objectPrototype } = Object;
const { prototype: typeError } = TypeError;
const toObject = Object;
const { hasOwnProperty } = objectPrototype;
const { iterator } = Symbol;
const { Promise: NativePromise, WeakMap: NativeWeakMap } = window;
const { get: weakGet, set: weakSet } = WeakMap.prototype;
/** The prototypes of the browser's interfaces. */
const interfaces: Table[] = [];
const has = (o: object, key: PropertyKey): boolean => apply(hasOwnProperty, o, [key]) as boolean;
const kept = new NativeWeakMap<object, Table>();
const tableOf = (o: object | null): Table | undefined => apply(weakGet, kept, [o]) as Table | undefined;

const LANGUAGE =
  "Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect RegExp Date Error Map Set WeakMap WeakSet WeakRef Promise " +
  "ArrayBuffer Uint8Array FinalizationRegistry";
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

/** Remembers the built-ins of a window, before its page's scripts run, and once the agent has wrapped some of the DOM's. */
export function $remember(win: Window & typeof globalThis): void {
  const of = rememberLanguage(win);
  keepAll(win, lists.interfaces, true);
  for (let i = 0; i < lists.ofWindow.length; i++) of[lists.ofWindow[i]] = builtinOf(win, lists.ofWindow[i]);
}

/** Remembers the language, and the constructors. These are with the prototype of the window: its proxy may get another. */
function rememberLanguage(win: Window & typeof globalThis): Table["of"] {
  keepAll(win, lists.language);
  keep(getPrototypeOf(win.Uint8Array.prototype) as object);
  const { of } = keep(getPrototypeOf(win) as object);
  for (let i = 0; i < lists.globals.length; i++) of[lists.globals[i]] ??= builtinOf(win, lists.globals[i]);
  return of;
}

function keepAll(win: Window, names: string[], dom?: boolean): void {
  for (let i = 0; i < names.length; i++) {
    const value = (win as never)[names[i]] as (object & { prototype?: object }) | undefined;
    if (!value) continue;
    keep(value, undefined, dom);
    if (!value.prototype) continue;
    const table = keep(value.prototype, undefined, dom);
    if (dom) interfaces[i] ??= table;
    // Browsers put interfaces between that TypeScript does not know.
    for (let at = table.up; at && !tableOf(at); ) at = keep(at, undefined, dom).up;
  }
}

function keep(o: object, need?: [names: RegExp, parts: Part[]], dom?: boolean): Table {
  const before = tableOf(o);
  if (before) return before;
  const of = { __proto__: null } as unknown as Table["of"];
  const keys = ownKeys(o);
  for (let i = 0; i < keys.length; i++) of[keys[i]] = builtinOf(o, keys[i], need);
  const table = { of, up: getPrototypeOf(o), dom };
  apply(weakSet, kept, [o, table]);
  return table;
}

function builtinOf(o: object, key: PropertyKey, need?: [names: RegExp, parts: Part[]]): Builtin | undefined {
  const d = getOwnPropertyDescriptor(o, key);
  if (!d) return undefined;
  const isValue = has(d, "value"); // what it inherits may be the page's
  const f: unknown = isValue ? d.value : d.get;
  if (typeof f !== "function") return undefined;
  return {
    f: f as Fn,
    set: isValue ? undefined : d.set,
    parts: need && (typeof key === "symbol" || need[0].test(key as string)) ? need[1] : undefined,
  };
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
    const table = tableOf(at)?.of;
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

/** The nearest table of an object's that has a property; if none has it, one of the browser's interfaces. */
function tableWith(o: object, name: PropertyKey): Table | undefined {
  let dom: Table | undefined;
  for (let at: object | null = typeof o === "function" ? o : getPrototypeOf(o); at; ) {
    const table = tableOf(at);
    if (table?.of[name]) return table;
    if (table?.dom) dom = table;
    at = table ? table.up : getPrototypeOf(at);
  }
  return dom;
}

/**
 * Reads, sets or calls a property of one of the browser's objects by what its interfaces had, whatever the object itself
 * or a class of the page has of that name. What is none of the browser's objects has a property of its own.
 */
function access(o: unknown, name: string, kind: "get" | "set" | "call", args: unknown[]): unknown {
  const of = kind === "set" ? "set" : "f";
  let own = o as Record<string, unknown>;
  if ((typeof o === "object" && o) || typeof o === "function") {
    const table = tableWith(o, name);
    const f = table?.of[name]?.[of];
    try {
      if (f) return apply(f, o, args);
    } catch (e) {
      // What input/hoverselector.ts gives the page in the place of attributes is none of the browser's objects.
      if (tableOf(getPrototypeOf(o)) || getPrototypeOf(toObject(e)) !== typeError) throw e;
    }
    if (table && !f) own = { __proto__: null } as never;
    else if (!f && getPrototypeOf(o) !== objectPrototype && !isArray(o)) {
      // Its prototype may be the page's.
      for (let i = 0; i < interfaces.length; i++) {
        const f = interfaces[i]?.of[name]?.[of];
        try {
          if (f) return apply(f, o, args);
        } catch {
          // it is of another interface
        }
      }
    }
  }
  if (kind === "call") return apply(own[name] as Fn, o, args);
  return kind === "set" ? (own[name] = args[0]) : own[name];
}

export const $read = (o: unknown, name: string): unknown =>
  o === undefined || o === null ? undefined : access(o, name, "get", []);
export const $write = (o: unknown, name: string, value: unknown): unknown => (access(o, name, "set", [value]), value);
export const $run = (o: unknown, name: string, ...args: unknown[]): unknown => access(o, name, "call", args);

/** o.name?.(...args). */
export const $may = (o: unknown, name: string, ...args: unknown[]): unknown =>
  name in (o as object) ? access(o, name, "call", args) : undefined;

/** Functions for several names each, which a bundle uses more often. */
export const $getters = (names: string): Fn[] => each(names, (name) => (o) => $read(o, name));
export const $setters = (names: string): Fn[] => each(names, (name) => (o, value) => $write(o, name, value));
export const $callers = (names: string): Fn[] =>
  each(
    names,
    (name) =>
      (o, ...args) =>
        access(o, name, "call", args),
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
  if (typeof o === "object") {
    // A list of the browser's goes by its `length`, as an array does.
    const table = tableWith(o, "length");
    if (table?.dom && table.of.length && table.of[iterator]) {
      const list = o as never as unknown[];
      const end = access(o, "length", "get", []) as number;
      let i = 0;
      return iterable(() => (i < end ? { done: false, value: list[i++] } : { done: true, value: undefined }));
    }
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

/** Fills the tables: the constructors that the bundle calls on windows, the interfaces that it goes by, and what it reads of windows. */
export function $expect(globals: string, interfaces: string, ofWindow: string): void {
  lists.globals = globals.split(" ");
  lists.interfaces = interfaces.split(" ");
  lists.ofWindow = ofWindow.split(" ");
  rememberLanguage(window);
}

/** The names of all constructors that are remembered. */
export const $names = (): string[] => [...lists.language, ...lists.globals, ...lists.interfaces];

/** The constructor win.name. */
export function $global(win: object, name: string): unknown {
  return tableOf(getPrototypeOf(win))?.of[name]?.f ?? (win as Record<string, unknown>)[name];
}

/** Replaces the operand of await, and what an async function returns. */
export function $await(value: unknown): unknown {
  if (!(value instanceof NativePromise) || intact(promising)) return value;
  const then = (...args: unknown[]): unknown => invoke(value, "then", args);
  return { __proto__: null, then };
}

const lists = {
  language: LANGUAGE.split(" "),
  interfaces: [] as string[],
  globals: [] as string[],
  ofWindow: [] as string[],
};
NEEDS.forEach((need, o) => {
  keep(o, need);
});
for (const o of [[], new Map(), new Set(), ""]) keep(iteratorOf(o));
keep(getPrototypeOf(iteratorOf([])) as object);
keep(getPrototypeOf(getPrototypeOf((function* () {})()) as object) as object);
