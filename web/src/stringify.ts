// JSON of values in a page whose libraries may have given everything a toJSON.

const { stringify: write } = JSON;
const prototypes = [Array.prototype, Object.prototype, String.prototype, Number.prototype, Boolean.prototype] as {
  toJSON?: unknown;
}[];

/** JSON.stringify, even where the page has given everything a toJSON of its own, as older libraries do. */
export function stringify(value: unknown): string {
  for (let i = 0; i < prototypes.length; i++) if ("toJSON" in prototypes[i]) return withoutToJSON(value);
  return write(value);
}

function withoutToJSON(value: unknown): string {
  const given = prototypes.filter((p) => Object.hasOwn(p, "toJSON"));
  const kept = given.map((p) => Object.getOwnPropertyDescriptor(p, "toJSON") as PropertyDescriptor);
  try {
    for (const p of given) delete p.toJSON;
    return write(value);
  } finally {
    given.forEach((p, i) => {
      Object.defineProperty(p, "toJSON", kept[i]);
    });
  }
}
