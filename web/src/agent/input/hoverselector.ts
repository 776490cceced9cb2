// :hover in selectors of page script, for a mouse that only a Client moves: menus and tooltips call
// matches(":hover").

import { HOVERED, inSelectors, isHovering, isMarked, withMark, withoutMark } from "./hoverstyle";

const { apply } = Reflect;

/** Wraps the functions of a window that take selectors. A selector without :hover goes straight to the browser. */
export function installHover(win: Window & typeof globalThis): void {
  const { Element, Document, DocumentFragment, ShadowRoot } = win;
  for (const { prototype } of [Element, Document, DocumentFragment]) {
    for (const name of ["matches", "closest", "querySelector", "querySelectorAll"] as const)
      wrap(prototype as unknown as Methods, name);
  }
  for (const { prototype } of [Element, ShadowRoot])
    for (const name of ["innerHTML", "outerHTML"]) wrapGetter(prototype, name, withoutMark);
  wrapGetter(Element.prototype, "attributes", unmarked);
}

/** Wraps a getter so that page script does not see the marks. */
function wrapGetter<T>(prototype: object, name: string, clean: (value: T, of: Element) => T): void {
  const native = Object.getOwnPropertyDescriptor(prototype, name);
  const read = native?.get;
  if (!read) return;
  const { get } = Object.getOwnPropertyDescriptor(
    {
      get [name](): T {
        return clean(read.call(this), this as unknown as Element);
      },
    },
    name,
  ) as PropertyDescriptor;
  Object.defineProperty(prototype, name, { ...native, get });
}

/** The attributes of an element as they are without the mark. */
function unmarked(all: NamedNodeMap, of: Element): NamedNodeMap {
  if (!isMarked() || !of.hasAttribute(HOVERED)) return all;
  const shown = [...all].filter((a) => a.name !== HOVERED);
  const seen: NamedNodeMap = Object.create(all, {
    length: { value: shown.length },
    item: { value: (i: number) => shown[i] ?? null },
    [Symbol.iterator]: { value: () => shown.values() },
  });
  for (const [i, value] of shown.entries()) Object.defineProperty(seen, i, { value, enumerable: true });
  Object.defineProperty(seen, shown.length, { value: undefined });
  for (const name of [
    "getNamedItem",
    "getNamedItemNS",
    "setNamedItem",
    "setNamedItemNS",
    "removeNamedItem",
    "removeNamedItemNS",
  ] as const)
    Object.defineProperty(seen, name, {
      value: (...args: [never, never]) => (all as Pick<NamedNodeMap, typeof name>)[name](...args),
    });
  return seen;
}

type Methods = Record<string, ((this: unknown, ...args: unknown[]) => unknown) | undefined>;

function wrap(prototype: Methods, name: string): void {
  const native = prototype[name];
  if (!native || !Object.hasOwn(prototype, name)) return;
  prototype[name] = {
    // Pages call these functions often. While nothing hovers, they cost no more than one call.
    [name](this: unknown, ...args: unknown[]) {
      if (isHovering()) {
        const [selector] = args;
        if (typeof selector === "string" && selector.includes(":hover") && inSelectors()) args[0] = withMark(selector);
      }
      return apply(native, this, args);
    },
  }[name];
}
