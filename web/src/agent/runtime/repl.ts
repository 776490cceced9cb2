// Programs as a console runs them.

import type { Win } from "../page/frames";
import { withHelpers } from "./commandline";
import { prepare, run, runAlone } from "./evaluate";
import { setConsoleWays } from "./runtime";
import { cuts } from "./statements";

/**
 * The texts to try for a program that may have await outside of a function:
 * the first says whether it needs it, the others are async functions of it.
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

/** prepare, for runRepl. */
function prepareRepl(win: Win, source: string): Promise<void> | undefined {
  const forms = replForms(source);
  if (!forms.length) return prepare(win, [source]);
  const ready = prepare(win, forms);
  // Tried last: a text that is no expression runs as soon as it compiles.
  return ready?.then(() => {
    const [plain, ...asynchronous] = forms.map((f) => compiles(win, f) !== undefined);
    return plain || !asynchronous.includes(true) ? prepare(win, [source]) : undefined;
  });
}

/**
 * Runs a text as a console does: with top-level await, and declaring again
 * what has been declared; unlike there, let, const and class are of this text
 * alone.
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

/** The function that a text is, or undefined if it does not compile. */
function compiles(win: Win, form: string): (() => unknown) | undefined {
  try {
    return run(win, form) as () => unknown;
  } catch {
    return undefined;
  }
}

setConsoleWays({ withHelpers, prepareRepl, runRepl });
