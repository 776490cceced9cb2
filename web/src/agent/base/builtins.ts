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
const has = (o: object, key: PropertyKey): boolean => apply(hasOwnProperty, o, [key]) as boolean;
const kept = new NativeWeakMap<object, Record<PropertyKey, Builtin>>();

const LANGUAGE =
  "Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect RegExp Date Error Map Set WeakMap WeakSet WeakRef Promise " +
  "ArrayBuffer Uint8Array";
const DOM =
  "URL URLSearchParams TextEncoder TextDecoder EventTarget Event MessageEvent MessagePort Node Element HTMLElement Document " +
  "DocumentFragment ShadowRoot NodeList HTMLCollection DOMTokenList NamedNodeMap CSSStyleDeclaration Range Selection TreeWalker MutationObserver " +
  "Headers FormData Storage HTMLSlotElement Crypto CharacterData StyleSheetList CSSStyleSheet CSSRuleList CSSRule CSSStyleRule CSSGroupingRule " +
  "TextEvent MediaList DOMRectList FileList DataTransfer DataTransferItemList HTMLOptionsCollection HTMLFormControlsCollection";

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
 * Remembers the built-ins of a window, before its page's scripts run. Those of the DOM are taken again by
 * another call, once the agent has wrapped some of them.
 */
export function $remember(win: Window & typeof globalThis): void {
  keepAll(win, lists.language);
  keepAll(win, lists.dom, true);
  keep(getPrototypeOf(win.Uint8Array.prototype) as object);
  if (apply(weakGet, kept, [win])) return;
  const table = { __proto__: null } as unknown as Record<string, Builtin>;
  for (let i = 0; i < lists.globals.length; i++) table[lists.globals[i]] = { f: (win as never)[lists.globals[i]] };
  apply(weakSet, kept, [win, table]);
}

function keepAll(win: Window, names: string[], again = false): void {
  for (let i = 0; i < names.length; i++) {
    const value = (win as never)[names[i]] as (object & { prototype?: object }) | undefined;
    if (!value) continue;
    keep(value, undefined, again);
    if (value.prototype) keep(value.prototype, undefined, again);
  }
}

function keep(o: object, need?: [names: RegExp, parts: Part[]], again = false): void {
  if (!again && apply(weakGet, kept, [o])) return;
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

// ------------------------------------------------ what the bundle calls

/** o.key(...args); with `chained`, o?.key(...args). */
export function $caller(key: string, chained?: boolean): (o: unknown, ...args: unknown[]) => unknown {
  const onArray = find([], key);
  const onString = find("", key);
  return (o, ...args) => {
    if (chained && (o === undefined || o === null)) return undefined;
    if (typeof o === "string") return invoke(o, key, args, onString);
    if (isArray(o) && getPrototypeOf(o) === arrayPrototype) return invoke(o, key, args, onArray);
    return invoke(o, key, args);
  };
}

/** o.key, for an accessor. */
export function $reader(key: string, chained?: boolean): (o: unknown) => unknown {
  return (o) => {
    if (chained && (o === undefined || o === null)) return undefined;
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

/** The constructor win.name. */
export function $global(win: object, name: string): unknown {
  return find(win, name)?.f ?? (win as Record<string, unknown>)[name];
}

/** Replaces the operand of await, and what an async function returns. */
export function $await(value: unknown): unknown {
  if (!(value instanceof NativePromise) || intact(promising)) return value;
  const then = (...args: unknown[]): unknown => invoke(value, "then", args);
  return { __proto__: null, then };
}

const lists = { language: LANGUAGE.split(" "), dom: DOM.split(" "), globals: [] as string[] };
NEEDS.forEach((need, o) => {
  keep(o, need);
});
for (const o of [[], new Map(), new Set(), ""]) keep(iteratorOf(o));
keep(getPrototypeOf(iteratorOf([])) as object);
keep(getPrototypeOf(getPrototypeOf((function* () {})()) as object) as object);
