// The helpers of a console, such as $0. They are globals while a text runs, unless the page has a global of the same
// name.

import { nodeOfId } from "../dom/nodes";
import type { Win } from "../page/frames";
import { register } from "../base/registry";

/** The nodes that a Client has selected, the last one first. */
let selected: Node[] = [];

register("DOM", {
  setInspectedNode: (p) => {
    selected = [nodeOfId(p.nodeId), ...selected].slice(0, 5);
  },
});

function helpers({ document }: Win): Record<string, unknown> {
  return {
    $: (s: string, within: ParentNode = document) => within.querySelector(s),
    $$: (s: string, within: ParentNode = document) => [...within.querySelectorAll(s)],
    $x: (path: string, within: Node = document) => {
      const found = document.evaluate(path, within, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
      return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i));
    },
    keys: Object.keys,
    values: Object.values,
    ...Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`$${n}`, selected[n]])),
  };
}

/** Runs f while a window has the helpers. */
export function withHelpers<T>(win: Win, f: () => T): T {
  const added = Object.entries(helpers(win)).filter(([name]) => !(name in win));
  for (const [name, value] of added) Object.defineProperty(win, name, { configurable: true, writable: true, value });
  try {
    return f();
  } finally {
    for (const [name] of added) Reflect.deleteProperty(win, name);
  }
}
