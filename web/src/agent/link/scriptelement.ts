// Runs program texts as script elements, for documents whose Content Security Policy forbids eval. Inline scripts run
// at once; scripts with a URL run later.

import { uploadScript } from "./hub";
import { cuts, mayBeExpression } from "../runtime/statements";

export type Win = Window & typeof globalThis;

/** A compiled text: a call gives its value or throws what it throws. */
export type Thunk = () => unknown;

/** A program that has been compiled or, unless it is lasting, has run already. */
export interface Program {
  run: Thunk;
  /** `run` executes the program at each call. Otherwise the program has already run, and `run` gives its result. */
  lasting: boolean;
}

/** Wraps a program in a script text that stores its result in the slot of this name. */
type Form = (slot: string) => string;

/** What a script element stores for the agent, since a script returns no value. */
interface Slot {
  /** Evaluates the text, which is an expression and has not run yet. */
  thunk?: Thunk;
  /** The text compiled as statements and has begun to run. */
  begun?: true;
  value?: unknown;
  /** What it threw or, if it did not begin, the error of the compiler. */
  error?: { thrown: unknown };
}

/** Runs one text as a script; undefined if the policy has blocked it. */
export type Load = (text: Form) => Promise<Slot | undefined>;

/** Signs texts and addresses for Trusted Types. */
export interface Signer {
  createScript(text: string): string;
  createScriptURL(url: string): string;
}

// ---------------------------------------------------------------- slots

const SLOTS = Symbol.for("cdphub.slots");
let counter = 0;

function newSlot(win: Win): { slot: Slot; name: string; close(): void } {
  const slots = ((win as unknown as Record<symbol, Record<number, Slot>>)[SLOTS] ??= {});
  const n = ++counter;
  const slot: Slot = (slots[n] = {});
  return { slot, name: `window[Symbol.for("cdphub.slots")][${n}]`, close: () => void delete slots[n] };
}

/** Slots of running scripts, by URL; "" is the inline script. */
const running = new Map<string, Slot>();

/** Pending script elements, each with a callback for the case that the policy blocks it. */
const pending = new WeakMap<EventTarget, () => void>();

/**
 * Whether an error event belongs to a Client's script. If so, stores the error in the script's slot and hides the
 * event from the page.
 */
export function isOwnError(e: ErrorEvent): boolean {
  const blocked = e.target && pending.get(e.target);
  if (blocked) {
    e.stopImmediatePropagation();
    blocked();
    return true;
  }
  const slot = running.get(e.filename) ?? running.get("");
  if (!slot) return false;
  slot.error = { thrown: e.error ?? e.message };
  e.stopImmediatePropagation();
  e.preventDefault();
  return true;
}

// ----------------------------------------------------------- what to run

/** Candidate script texts for a program, in the order in which they are tried. The first that compiles is used. */
function* forms(source: string): Generator<Form> {
  if (mayBeExpression(source)) yield (slot) => `${slot}.thunk=function(){return (${source.replace(/[\s;]+$/, "")}\n)}`;
  for (const [before, last] of cuts(source)) yield (slot) => `${slot}.begun=true;${before};${slot}.value=(${last}\n)`;
  yield (slot) => `${slot}.begun=true;${source}`;
}

/**
 * Candidates for a string that is passed to eval. They only define a function, so that nothing runs before eval is
 * called.
 */
function* evalForms(source: string): Generator<Form> {
  const compiles =
    (body: string): Form =>
    (slot) =>
      `${slot}.thunk=function(){${body}\n}`;
  if (mayBeExpression(source)) yield compiles(`return (${source.replace(/[\s;]+$/, "")}\n)`);
  if (!/[;\n]/.test(source)) return;
  for (const [before, last] of cuts(source)) yield compiles(`${before};return (${last}\n)`);
  yield compiles(source);
}

/** The program in a slot; undefined if this candidate did not compile. */
function outcome(win: Win, slot: Slot): Program | undefined {
  const { thunk, begun, error } = slot;
  if (thunk) return { run: () => thunk.call(win), lasting: true };
  if (!begun) return undefined;
  const run = (): unknown => {
    if (error && !("value" in slot)) throw error.thrown;
    return slot.value;
  };
  return { run, lasting: false };
}

function failed(error: Slot["error"]): Program {
  const run = (): never => {
    throw error?.thrown ?? new SyntaxError("Invalid or unexpected token");
  };
  return { run, lasting: false };
}

// ------------------------------------------------------------ inline ones

/** Runs a program as an inline script; undefined where the policy has blocked it. */
export function runInline(win: Win, source: string, nonce: string, signer?: Signer): Program | undefined {
  let error: Slot["error"];
  for (const form of forms(source)) {
    const { slot, name, close } = newSlot(win);
    const script = win.document.createElement("script");
    script.nonce = nonce;
    const outer = running.get("");
    running.set("", slot);
    try {
      script.textContent = signer ? signer.createScript(form(name)) : form(name);
      insert(win, script, () => {});
    } finally {
      script.remove();
      close();
      if (outer) running.set("", outer);
      else running.delete("");
    }
    const program = outcome(win, slot);
    if (program) return program;
    if (!slot.error) return undefined;
    error ??= slot.error;
  }
  return failed(error);
}

function insert(win: Win, script: HTMLScriptElement, blocked: () => void): void {
  const { document } = win;
  pending.set(script, blocked);
  (document.head ?? document.documentElement ?? document).appendChild(script);
}

// ----------------------------------------------------- those with address

/** Runs or, if it is an expression or `forEval`, compiles a program; undefined where the policy has blocked it. */
export async function loadProgram(win: Win, source: string, load: Load, forEval = false): Promise<Program | undefined> {
  let error: Slot["error"];
  for (const form of (forEval ? evalForms : forms)(source)) {
    const slot = await load(form);
    if (!slot) return undefined;
    const program = outcome(win, slot);
    if (program) return program;
    error ??= slot.error;
  }
  return failed(error);
}

/** Scripts with a blob address, which 'strict-dynamic' and blob: in script-src allow. */
export function blobLoader(win: Win, signer?: Signer): Load {
  return async (text) => {
    const { slot, name, close } = newSlot(win);
    const url = URL.createObjectURL(new Blob([text(name)], { type: "text/javascript" }));
    const loaded = await loadElement(win, url, slot, signer);
    URL.revokeObjectURL(url);
    close();
    return loaded ? slot : undefined;
  };
}

/** Scripts that the hub serves. */
export function hubLoader(win: Win, signer?: Signer): Load {
  return async (text) => {
    const { slot, name, close } = newSlot(win);
    const url = await uploadScript(text(name));
    const loaded = url !== undefined && (await loadElement(win, url, slot, signer));
    close();
    return loaded ? slot : undefined;
  };
}

/** URLs of the agent's own scripts, until Resource Timing has reported them. */
const addresses = new Set<string>();

/** Notes the address of a script that the page has not asked for. */
export function addOwnAddress(url: string): void {
  // takeOwnAddress removes them, but in the main frame nothing calls it before the welcome.
  if (addresses.size >= 1000) addresses.clear();
  addresses.add(url);
}

/** Removes the URL of such a script, as each load has one timing entry. Returns false for any other URL. */
export function takeOwnAddress(url: string): boolean {
  return addresses.delete(url);
}

/** Loads a script element. Resolves to false if it could not be loaded, for example because of the policy. */
function loadElement(win: Win, url: string, slot: Slot, signer?: Signer): Promise<boolean> {
  return new Promise((resolve) => {
    const script = win.document.createElement("script");
    const end = (loaded: boolean): void => {
      running.delete(url);
      script.remove();
      resolve(loaded);
    };
    script.onload = () => end(true);
    script.onerror = () => end(false);
    script.crossOrigin = "anonymous"; // otherwise errors are muted: "Script error." (HTML, "muted errors")
    running.set(url, slot);
    addOwnAddress(url);
    try {
      script.src = signer ? signer.createScriptURL(url) : url;
      insert(win, script, () => end(false));
    } catch {
      end(false);
    }
  });
}
