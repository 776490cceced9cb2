// :hover in the selectors of page script, for a mouse that only its client
// knows of: menus and tooltips ask matches(":hover").

import { inSelectors, withMark, withoutMark } from "./hoverstyle";

/** Wraps what takes selectors in a window; one without :hover goes straight to the browser. */
export function installHover(win: Window & typeof globalThis): void {
  const { Element, Document, DocumentFragment, ShadowRoot } = win;
  for (const { prototype } of [Element, Document, DocumentFragment]) {
    for (const name of ["matches", "closest", "querySelector", "querySelectorAll"] as const)
      wrap(prototype as unknown as Methods, name);
  }
  for (const { prototype } of [Element, ShadowRoot])
    for (const name of ["innerHTML", "outerHTML"]) wrapMarkup(prototype, name);
}

/** Leaves the marks out of markup that page script reads. */
function wrapMarkup(prototype: object, name: string): void {
  const native = Object.getOwnPropertyDescriptor(prototype, name);
  const read = native?.get;
  if (!read) return;
  const { get } = Object.getOwnPropertyDescriptor(
    {
      get [name](): string {
        return withoutMark(read.call(this));
      },
    },
    name,
  ) as PropertyDescriptor;
  Object.defineProperty(prototype, name, { ...native, get });
}

type Methods = Record<string, ((this: unknown, ...args: unknown[]) => unknown) | undefined>;

function wrap(prototype: Methods, name: string): void {
  const native = prototype[name];
  if (!native || !Object.hasOwn(prototype, name)) return;
  prototype[name] = {
    [name](this: unknown, ...args: unknown[]) {
      const [selector] = args;
      if (typeof selector === "string" && selector.includes(":hover") && inSelectors()) args[0] = withMark(selector);
      return native.apply(this, args);
    },
  }[name];
}
