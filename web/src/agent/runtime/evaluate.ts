// Runs a Client's program text in a frame's window, by the first way that the page's Content Security Policy allows:
// eval, eval with Trusted Types, an inline script, a script with a blob: URL, a script from the hub. The last two are
// asynchronous, too late for functions that must return a value at once, so `prepare` compiles the texts beforehand.

import { hubBase, hubKnown } from "../link/hub";
import {
  type Load,
  type Program,
  type Signer,
  type Thunk,
  type Win,
  blobLoader,
  hubLoader,
  loadProgram,
  runInline,
} from "../link/scriptelement";
import { replaceTop } from "../windows/topwindow";
import { declares } from "./statements";
import { shielded } from "./isolatedglobals";

/** Compiles and runs a program text in a window's global scope and returns its completion value. */
type Way = (source: string) => unknown;

interface TrustedTypes {
  createPolicy(name: string, rules: Signer): Signer;
}

/** What is known about a document's policy. */
interface Ways {
  /** Runs a text at once, if the policy allows that. */
  now?: Way;
  /** Whether `now` is eval, and not an inline script. */
  evaluates?: boolean;
  /** Loads a text as a script with a URL. Resolves to undefined if the policy forbids that, too. */
  later?: Promise<Load | undefined>;
  /** The hub with which `later` was tried. */
  hub?: string;
  signer?: Signer;
  /** Whether inline scripts run, once that has been tried. */
  inline?: boolean;
  /**
   * Programs that were compiled beforehand. Programs that are no expressions have run already, and their results are
   * in `ran`.
   */
  compiled: Map<string, Thunk>;
  ran: Map<string, Thunk[]>;
  /** Texts that eval may be called with. */
  evals: Map<string, Thunk>;
  /** The policy, once it has blocked something. */
  policy: string;
}

const known = new WeakMap<Document, Ways>();
// biome-ignore lint/security/noGlobalEval: Runtime.evaluate runs what clients say
const nativeEval = window.eval;
/** Maximum number of compiled texts of a document. */
const MOST = 200;
let nonce = "";

/** Remembers the nonce of the agent's own script element. */
export function setNonce(value: string): void {
  nonce = value;
}

/** The nonce of the agent's own script element, or "". */
export function nonceOf(): string {
  return nonce;
}

/**
 * Compiles these programs for `run`, and these strings for eval. Undefined if that is not necessary. If only scripts
 * with a URL are allowed, a program that is no expression runs already here.
 */
export function prepare(
  win: Win,
  programs: string[],
  strings: unknown[] = [],
  isolated = false,
): Promise<void> | undefined {
  const ways = waysOf(win);
  if (ways.now) return undefined;
  return compile(
    win,
    ways,
    programs.map((p) => (isolated ? shielded(win, p, false) : replaceTop(p))),
    strings.flatMap(codeIn),
  );
}

/**
 * Runs a program text once, and returns its completion value or throws what it throws. Later programs see its let,
 * const and class declarations only if inline scripts are allowed: eval keeps them to itself. `isolated` programs use
 * the globals that the window had at first (see isolatedglobals.ts).
 */
export function run(win: Win, program: string, isolated = false): unknown {
  const ways = waysOf(win);
  const { now } = ways;
  const source = isolated ? shielded(win, program, ways.evaluates === true) : replaceTop(program);
  if (now && declares(program)) return declare(win, ways, now, isolated ? program : source);
  if (now) return now(source);
  return (ways.ran.get(source)?.shift() ?? ways.compiled.get(source) ?? blocked(win, ways.policy))();
}

function declare(win: Win, ways: Ways, now: Way, source: string): unknown {
  const program = ways.inline === false ? undefined : runInline(win, source, nonce, ways.signer);
  ways.inline = program !== undefined;
  return program ? program.run() : now(source);
}

function blocked(win: Win, policy: string): never {
  throw new win.EvalError(
    `The page's Content Security Policy ${policy && `"${policy}" `}allows no evaluation: allow 'unsafe-eval' or ` +
      `${hubBase() ?? "blob:"} in its script-src, give the agent's script element a nonce, or, where it has ` +
      "require-trusted-types-for, allow the Trusted Types policy hub-agent",
  );
}

/** Runs a program text once, without declaring anything for later programs. */
export function runAlone(win: Win, program: string): unknown {
  return (waysOf(win).now ?? ((s) => run(win, s)))(program);
}

// --------------------------------------------------------- finding a way

function waysOf(win: Win): Ways {
  const { document } = win;
  let ways = known.get(document);
  if (!ways) {
    known.set(document, (ways = { compiled: new Map(), ran: new Map(), evals: new Map(), policy: "" }));
    notePolicy(document, ways);
  } else if (!ways.now || works(ways.now)) {
    return ways; // `now` is tested each time: a meta element may add a policy later
  }
  ways.now = choose(win, ways);
  return ways;
}

/** Takes the policy's text from the first violation, for the error that quotes it. */
function notePolicy(document: Document, ways: Ways): void {
  document.addEventListener("securitypolicyviolation", (e) => {
    if (/script|trusted/.test(e.effectiveDirective)) ways.policy ||= e.originalPolicy.slice(0, 500);
  });
}

const works = (way: Way): boolean => {
  try {
    return way("1") === 1;
  } catch {
    return false;
  }
};

function choose(win: Win, ways: Ways): Way | undefined {
  const evaluator = win === window ? nativeEval : win.eval;
  const plain: Way = (s) => evaluator(s);
  ways.evaluates = true;
  if (works(plain)) return plain;
  const signer = (ways.signer ??= newSigner(win));
  const signed: Way = (s) => evaluator(signer ? signer.createScript(s) : s);
  if (signer && works(signed)) return replaceEval(win, evaluator, signed);
  ways.evaluates = false;
  const inline: Way = (s) => {
    const program = runInline(win, s, nonce, signer) ?? blocked(win, ways.policy);
    return program.run();
  };
  if (works(inline)) return replaceEval(win, evaluator, inline);
  replaceEval(win, evaluator, (s) => (compiledFor(ways, s) ?? blocked(win, ways.policy))());
  return undefined;
}

/** The compiled text for an argument of eval. Injected code may have put the text in brackets. */
function compiledFor(ways: Ways, text: string): Thunk | undefined {
  const inner = /^\(([\s\S]*)\)$/.exec(text)?.[1] ?? "";
  return ways.evals.get(text) ?? ways.compiled.get(text) ?? ways.evals.get(inner);
}

/**
 * Replaces eval, since code that Clients inject calls it. For the page nothing is lost: its own calls of eval would
 * have failed.
 */
function replaceEval(win: Win, native: typeof eval, way: Way): Way {
  win.eval = (s: unknown) => (typeof s === "string" ? way(s) : native(s as string));
  return way;
}

function newSigner(win: Win): Signer | undefined {
  const factory = (win as unknown as { trustedTypes?: TrustedTypes }).trustedTypes;
  const same = (s: string): string => s;
  try {
    return factory?.createPolicy("hub-agent", { createScript: same, createScriptURL: same });
  } catch {
    return undefined; // the policy lists other names, or the name is taken
  }
}

// ------------------------------------------------------ compiling beforehand

async function compile(win: Win, ways: Ways, programs: string[], strings: string[]): Promise<void> {
  if (!ways.later || ((await ways.later) === undefined && ways.hub !== hubBase())) ways.later = chooseLater(win, ways);
  const load = await ways.later;
  if (!load) return; // run() throws the error
  for (const text of strings) {
    if (!ways.evals.has(text)) keep(ways.evals, text, await loadProgram(win, text, load, true));
  }
  for (const text of programs) {
    if (ways.compiled.has(text)) continue;
    const program = await loadProgram(win, text, load);
    if (program?.lasting) keep(ways.compiled, text, program);
    else if (program) ways.ran.set(text, [...(ways.ran.get(text) ?? []), program.run]);
  }
}

function keep(table: Map<string, Thunk>, text: string, program: Program | undefined): void {
  if (program) table.set(text, program.run);
  if (table.size > MOST) table.delete([...table.keys()][0]);
}

async function chooseLater(win: Win, ways: Ways): Promise<Load | undefined> {
  const loads = (load: Load): Promise<boolean> => loadProgram(win, "1", load).then((program) => program?.run() === 1);
  const blob = blobLoader(win, ways.signer);
  if (await loads(blob)) return blob;
  await hubKnown;
  ways.hub = hubBase();
  const hub = hubLoader(win, ways.signer);
  return ways.hub && (await loads(hub)) ? hub : undefined;
}

/**
 * The texts in an argument of a call that the function may pass to eval: functions, and values named "expression".
 */
function codeIn(argument: unknown): string[] {
  if (typeof argument === "string") return /^[#.<]|^\s*$/.test(argument) ? [] : [argument];
  const found: string[] = [];
  const walk = (v: unknown, name: string, depth: number): void => {
    if (typeof v === "string") {
      if (name === "expression" || /=>|\bfunction\b/.test(v)) found.push(v);
    } else if (v && typeof v === "object" && depth < 8) {
      // Playwright writes an object as a list of {k: name, v: value}.
      for (const [k, x] of Object.entries(v)) walk(x, k === "v" ? String((v as { k?: unknown }).k) : k, depth + 1);
    }
  };
  walk(argument, "", 0);
  return found;
}
