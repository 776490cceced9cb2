// Program texts as script elements, for documents whose Content Security
// Policy forbids eval: inline ones run at once; those with an address, later.

import { leaveScript } from "./hub";
import { cuts, mayBeExpression } from "../runtime/statements";

export type Win = Window & typeof globalThis;

/** A compiled text: a call gives its value or throws what it throws. */
export type Thunk = () => unknown;

/** A program that has been compiled or, unless it is lasting, has run already. */
export interface Program {
  run: Thunk;
  /** It runs whenever called, not only this once. */
  lasting: boolean;
}

/** A text around a program, which hands over to the slot of this name. */
type Form = (slot: string) => string;

/** What a script element leaves behind. */
interface Slot {
  /** The text is an expression, and not yet run. */
  thunk?: Thunk;
  /** It has begun to run, as statements. */
  begun?: true;
  value?: unknown;
  /** What it threw or, if it has not begun, why it does not compile. */
  error?: { thrown: unknown };
}

/** Runs one text as a script; undefined where the policy has blocked it. */
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

/** Slots of scripts that run: by their address, or "" for the inline one. */
const running = new Map<string, Slot>();

/** Script elements under way, and what ends the wait for one that is blocked. */
const own = new WeakMap<EventTarget, () => void>();

/** Whether an error event of a window tells of a client's script, which then has it; such an event is nobody else's. */
export function isOwnError(e: ErrorEvent): boolean {
  const blocked = e.target && own.get(e.target);
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

/** The scripts that a program may be, to be tried in this order: the first that compiles counts. */
function* forms(source: string): Generator<Form> {
  if (mayBeExpression(source)) yield (slot) => `${slot}.thunk=function(){return (${source.replace(/[\s;]+$/, "")}\n)}`;
  for (const [before, last] of cuts(source)) yield (slot) => `${slot}.begun=true;${before};${slot}.value=(${last}\n)`;
  yield (slot) => `${slot}.begun=true;${source}`;
}

/** The same for a text that eval may be called with: none of them runs by itself. */
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

/** What a slot says of its form; undefined if that does not compile. */
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
      place(win, script, () => {});
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

function place(win: Win, script: HTMLScriptElement, blocked: () => void): void {
  const { document } = win;
  own.set(script, blocked);
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
    const loaded = await element(win, url, slot, signer);
    URL.revokeObjectURL(url);
    close();
    return loaded ? slot : undefined;
  };
}

/** Scripts that the hub serves. */
export function hubLoader(win: Win, signer?: Signer): Load {
  return async (text) => {
    const { slot, name, close } = newSlot(win);
    const url = await leaveScript(text(name));
    const loaded = url !== undefined && (await element(win, url, slot, signer));
    close();
    return loaded ? slot : undefined;
  };
}

/** Addresses of scripts, until the browser has reported their loading. */
const addresses = new Set<string>();

/** Notes the address of a script that the page has not asked for. */
export function addOwnAddress(url: string): void {
  if (addresses.size >= 1000) addresses.clear(); // no session takes them out
  addresses.add(url);
}

/** Whether an address is that of such a script, which is no resource of the page; asked once for each. */
export function isOwnAddress(url: string): boolean {
  return addresses.delete(url);
}

/** Whether a script was let through. */
function element(win: Win, url: string, slot: Slot, signer?: Signer): Promise<boolean> {
  return new Promise((resolve) => {
    const script = win.document.createElement("script");
    const end = (loaded: boolean): void => {
      running.delete(url);
      script.remove();
      resolve(loaded);
    };
    script.onload = () => end(true);
    script.onerror = () => end(false);
    script.crossOrigin = "anonymous"; // else its errors have no text
    running.set(url, slot);
    addOwnAddress(url);
    try {
      script.src = signer ? signer.createScriptURL(url) : url;
      place(win, script, () => end(false));
    } catch {
      end(false);
    }
  });
}
