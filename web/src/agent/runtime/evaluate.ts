// Running a client's program text in a frame's window, by whatever way the
// page's Content Security Policy leaves open: eval, eval with Trusted Types,
// an inline script, a script with a blob address, a script from the hub. The
// last two come too late for a synchronous answer, so that texts are compiled
// beforehand by prepare.

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
import { declares } from "./statements";
import { shielded } from "./isolatedglobals";

/** Compiles and runs a program text in a window's global scope and returns its completion value. */
type Way = (source: string) => unknown;

interface TrustedTypes {
  createPolicy(name: string, rules: Signer): Signer;
}

/** What is known of a document's policy. */
interface Ways {
  /** How a text runs at once, if it can. */
  now?: Way;
  /** That is by eval. */
  evaluates?: boolean;
  /** How one runs later; resolves to undefined if it cannot either. */
  later?: Promise<Load | undefined>;
  /** With which hub that was tried. */
  hub?: string;
  signer?: Signer;
  /** Whether inline scripts run, once that has been tried. */
  inline?: boolean;
  /** Programs compiled beforehand, and those that have run and wait to be asked for their value. */
  compiled: Map<string, Thunk>;
  ran: Map<string, Thunk[]>;
  /** What eval may be called with. */
  evals: Map<string, Thunk>;
  /** The policy, once it has blocked something. */
  policy: string;
}

const known = new WeakMap<Document, Ways>();
// biome-ignore lint/security/noGlobalEval: Runtime.evaluate runs what clients say
const nativeEval = window.eval;
/** So many compiled texts are kept for a document. */
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
 * Makes sure that `run` can take these programs, and eval these strings;
 * undefined if it can already. Where only scripts with an address run, a
 * program that is no expression runs here.
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
    isolated ? programs.map((p) => shielded(win, p, false)) : programs,
    strings.flatMap(codeIn),
  );
}

/**
 * Runs a program text, once, and returns its completion value; throws what it
 * throws. What it declares by let, const or class stays for later programs
 * only where inline scripts may run: eval keeps such to itself. `isolated`
 * programs go by the globals that the window had at first, unless they declare such.
 */
export function run(win: Win, program: string, isolated = false): unknown {
  const ways = waysOf(win);
  const { now } = ways;
  if (now && declares(program)) return declare(win, ways, now, program);
  const source = isolated ? shielded(win, program, ways.evaluates === true) : program;
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

/** Runs a program text, once, by the way that declares nothing for later programs. */
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
    return ways; // a policy in a meta element may come later
  }
  ways.now = choose(win, ways);
  return ways;
}

/** Learns the policy's text from what it blocks, for the error that names it. */
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

/** What eval was expected to be called with; injected code may have put it in brackets. */
function compiledFor(ways: Ways, text: string): Thunk | undefined {
  const inner = /^\(([\s\S]*)\)$/.exec(text)?.[1] ?? "";
  return ways.evals.get(text) ?? ways.compiled.get(text) ?? ways.evals.get(inner);
}

/** What clients inject calls eval itself; the page's own calls of it would have failed. */
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
    return undefined; // the policy has a list of its own, or the name is taken
  }
}

// ------------------------------------------------------ compiling beforehand

async function compile(win: Win, ways: Ways, programs: string[], strings: string[]): Promise<void> {
  if (!ways.later || ((await ways.later) === undefined && ways.hub !== hubBase())) ways.later = chooseLater(win, ways);
  const load = await ways.later;
  if (!load) return; // run says so
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
 * The texts in an argument of a call, given by value, that eval may be called with: functions, and
 * what is named an expression.
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
