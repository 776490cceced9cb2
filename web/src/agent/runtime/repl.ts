// Programs as a console runs them.

import type { Win } from "../page/frames";
import { withHelpers } from "./commandline";
import { prepare, run, runAlone } from "./evaluate";
import { type Added, added } from "../base/added";
import { cuts } from "./statements";

/**
 * Candidate texts for a program with top-level await. If the first compiles, the program needs no async function. The
 * others are async functions with the program.
 */
function replForms(source: string): string[] {
  if (!/\bawait\b/.test(source)) return [];
  const bodies = [
    `return (${source.replace(/[\s;]+$/, "")}\n)`,
    ...cuts(source).map(([b, l]) => `${b};return (${l}\n)`),
    source,
  ];
  return [`(function(){${source}\n})`, ...bodies.map((b) => `(async () => {${b}\n})`)];
}

/** Does for runRepl what prepare does for run. */
function prepareRepl(win: Win, source: string): Promise<void> | undefined {
  const forms = replForms(source);
  if (!forms.length) return prepare(win, [source]);
  const ready = prepare(win, forms);
  // The text itself is compiled last: a program that is no expression runs as soon as it compiles.
  return ready?.then(() => {
    const [plain, ...asynchronous] = forms.map((f) => compiles(win, f) !== undefined);
    return plain || !asynchronous.includes(true) ? prepare(win, [source]) : undefined;
  });
}

/**
 * Runs a text as a console does: with top-level await, and declarations may be repeated. Unlike in a console, later
 * texts do not see let, const and class declarations.
 */
function runRepl(win: Win, source: string): unknown {
  const [plain, ...asynchronous] = replForms(source);
  if (plain === undefined || compiles(win, plain)) return runAlone(win, source);
  for (const form of asynchronous) {
    const f = compiles(win, form);
    if (f) return f();
  }
  return run(win, source);
}

/** The function in a text, or undefined if the text does not compile. */
function compiles(win: Win, form: string): (() => unknown) | undefined {
  try {
    return run(win, form) as () => unknown;
  } catch {
    return undefined;
  }
}

Object.assign(added, { withHelpers, prepareRepl, runRepl } satisfies Partial<Added>);
