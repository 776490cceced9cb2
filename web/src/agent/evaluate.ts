// Running a client's program text in a frame's window, by whatever way the
// page's Content Security Policy leaves open.

type Win = Window & typeof globalThis;

/** Compiles and runs a program text in a window's global scope and returns its completion value. */
type Way = (source: string) => unknown;

interface TrustedTypes {
  createPolicy(name: string, rules: { createScript(s: string): string }): { createScript(s: string): string };
}

const ways = new WeakMap<Document, Way>();
const nativeEval = window.eval;
let nonce = "";

/** Remembers the nonce of the agent's own script element. */
export function setNonce(value: string): void {
  nonce = value;
}

/** Runs a program text, once, and returns its completion value; throws what it throws. */
export function run(win: Win, source: string): unknown {
  let way = ways.get(win.document);
  if (!way) ways.set(win.document, (way = choose(win)));
  return way(source);
}

function choose(win: Win): Way {
  const evaluator = win === window ? nativeEval : win.eval;
  const works = (way: Way): boolean => {
    try {
      return way("1") === 1;
    } catch {
      return false;
    }
  };
  const plain: Way = (s) => evaluator(s);
  if (works(plain)) return plain;
  const trusted = trustedWay(win, evaluator);
  if (trusted && works(trusted)) return trusted;
  const inline: Way = (s) => runInline(win, s);
  if (works(inline)) {
    win.eval = (s: unknown) => (typeof s === "string" ? runInline(win, s) : s);
    return inline;
  }
  return () => {
    throw new win.EvalError(
      "The page's Content Security Policy allows no evaluation: allow 'unsafe-eval' in script-src, " +
        "give the agent's script element a nonce, or allow the Trusted Types policy hub-agent",
    );
  };
}

function trustedWay(win: Win, evaluator: typeof eval): Way | undefined {
  const factory = (win as unknown as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!factory) return undefined;
  try {
    const policy = factory.createPolicy("hub-agent", { createScript: (s) => s });
    return (s) => evaluator(policy.createScript(s));
  } catch {
    return undefined;
  }
}

// -------------------------------------------------------- inline scripts

const SLOT = "__hubAgentSlot";

/**
 * Runs a text as an inline script element. A script has no completion value,
 * so the text is first taken for an expression, then for statements, of which
 * the last gives the value if it is an expression.
 */
function runInline(win: Win, source: string): unknown {
  const body = source.replace(/[\s;]+$/, "");
  let problem: unknown;
  for (const candidate of [`return (${body}\n)`, ...lastStatement(body), source]) {
    const compiled = compileInline(win, candidate);
    if (typeof compiled.run === "function") return compiled.run.call(win);
    problem ??= compiled.error;
  }
  throw problem ?? new win.EvalError("The page's Content Security Policy blocks inline scripts");
}

/** The statements with a return put before the last one, cut at its last line or semicolon. */
function lastStatement(body: string): string[] {
  const cuts = [body.lastIndexOf("\n"), body.lastIndexOf(";")].filter((i) => i > 0);
  return cuts.map((i) => `${body.slice(0, i + 1)}return (${body.slice(i + 1)}\n)`);
}

function compileInline(win: Win, body: string): { run?: () => unknown; error?: unknown } {
  const slot: { run?: () => unknown; error?: unknown } = {};
  const onError = (e: ErrorEvent): void => {
    slot.error = e.error;
    e.stopImmediatePropagation();
    e.preventDefault();
  };
  const script = win.document.createElement("script");
  script.nonce = nonce;
  script.textContent = `window.${SLOT}.run=function(){${body}\n}`;
  Object.defineProperty(win, SLOT, { value: slot, configurable: true });
  win.addEventListener("error", onError, true);
  try {
    (win.document.head ?? win.document.documentElement).appendChild(script);
    script.remove();
  } finally {
    win.removeEventListener("error", onError, true);
    delete (win as unknown as Record<string, unknown>)[SLOT];
  }
  return slot;
}

// ----------------------------------------------------------------- REPL

/**
 * Runs a text as a console does: with top-level await. A text that does not
 * need it runs as any other.
 */
export function runRepl(win: Win, source: string): unknown {
  if (!/\bawait\b/.test(source) || parses(win, source, false)) return run(win, source);
  const body = source.replace(/[\s;]+$/, "");
  for (const candidate of [`return (${body}\n)`, ...lastStatement(body), source]) {
    if (parses(win, candidate, true)) return run(win, `(async () => {${candidate}\n})()`);
  }
  return run(win, source);
}

function parses(win: Win, body: string, asynchronous: boolean): boolean {
  try {
    run(win, `(${asynchronous ? "async " : ""}function(){${body}\n})`);
    return true;
  } catch {
    return false;
  }
}
