// Look-ups in the lists of ../../methods.ts. "Tracing.*" stands for the methods of a domain that have no row.

/** The methods of a list such as "DOM.undo,redo Tracing.*". */
export function methodsIn(list: string): string[] {
  return list.split(" ").flatMap((group) => {
    const [domain, verbs] = group.split(".");
    return verbs.split(",").map((verb) => `${domain}.${verb}`);
  });
}

/** Turns lists of methods by their keys into rows of keys by their methods. Of two lists, the later one has precedence. */
export function byMethod(lists: Record<string, string>): Map<string, string> {
  return new Map(Object.keys(lists).flatMap((key) => methodsIn(lists[key]).map((name) => [name, key] as const)));
}

/** The row of a method. */
export function rowOf<T>(rows: Map<string, T>, method: string): T | undefined {
  return rows.get(method) ?? rows.get(`${method.split(".")[0]}.*`);
}
