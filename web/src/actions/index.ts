// The page script of package actions: one object per document, which finds elements, tells where to click, and reads
// the page. Mouse and key input comes over the protocol.

import { stringify } from "../stringify";
import type { AboutArgs, AnyArgs, ElementArgs, Pair, PrivateVerbs, ReadingVerbs, Verb } from "../wire/verbs";
import { checkedOf, roleOf } from "./aria";
import { contentOf } from "./content";
import { choose, fill, focus, scroll, setFiles } from "./edit";
import { snapshotElements } from "./elements";
import { Failure } from "./failure";
import { checkLength } from "./limit";
import { findAll, show } from "./locate";
import { observe } from "./observed";
import { overlay } from "./overlay";
import { forget, type RedactedValue, type Redacted, word } from "./redact";
import { handles, usedNumbers, useNumbers } from "./refs";
import { secretElements, secrets, secretsFound, watchAll } from "./secrets";
import { stateOf } from "./state";
import { snapshotTagged, tag } from "./tagged";
import { frameAround } from "./tree";
import { boxOf, focusedIn } from "./view";
import { aimAt, checkState, need, present, ready, type StaticCheck, until } from "./wait";
import { snapshotYAML } from "./yaml";

/** Answers a verb, at once or within the time of args.wait. */
type Handler<V extends Verb<unknown, unknown>, Limit> = (args: V["args"]) => Given<V, Limit> | Promise<Given<V, Limit>>;
/** The result of a verb. run() sends undefined as null. */
type Given<V extends Verb<unknown, unknown>, Limit> =
  | (Limit & V["result"])
  | (null extends V["result"] ? undefined : never);

/** A handler that reads the page. A text that redact.ts has not checked does not compile. */
export type Reader<V extends Verb<unknown, unknown> = Verb<AnyArgs, unknown>> = Handler<V, RedactedValue>;

type Readers = { [V in keyof ReadingVerbs]: Reader<ReadingVerbs[V]> };
type Privates = { [V in keyof PrivateVerbs]: Handler<PrivateVerbs[V], unknown> };

/** Runs `act` when the locator's element has passed the checks. */
function onReady<T>(
  a: ElementArgs & { force?: boolean },
  checks: Parameters<typeof ready>[1],
  act: (el: Element) => T,
): Promise<T> {
  return until(a.wait, async () => act(await ready(a.locator, a.force ? [] : checks)));
}

const rootOf = (a: AboutArgs): Promise<Element | undefined> =>
  a.locator ? until(a.wait, () => present(a.locator!)) : Promise.resolve(undefined);

const readers: Readers = {
  // The pointer's target.
  point: (a) =>
    until(a.wait, async (n) => {
      const { x, y } = await aimAt(a.locator, a, n);
      return { x, y };
    }),
  hit: (a) => {
    if (!findAll(a.locator).length)
      throw new Failure("ElementNotFound", `element not found: nothing is at ${show(a.locator)}`);
    return null;
  },
  box: (a) =>
    until(a.wait, async () => {
      const el = await ready(a.locator, ["visible"]);
      if (!a.reads) el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      return boxOf(el);
    }),
  boxes: (a) => a.locators.flatMap(findAll).map(boxOf),

  // Input other than by pointer and keys.
  focus: (a) => {
    const act = (el: Element): null => {
      if (a.clear) fill(el, "");
      focus(el, a.atEnd === true);
      return null;
    };
    const checks: StaticCheck[] = a.clear || a.editable ? ["enabled", "editable"] : ["enabled"];
    if (a.locator) return onReady(a as ElementArgs, ["visible", ...checks], act);
    const el = focusedIn(document);
    // The page script of a frame checks what has the focus there.
    if (el && !/^i?frame$/.test(el.localName)) need(el, a.editable ? checks : []);
    return el ? act(el) : null;
  },
  fill: (a) => onReady(a, ["visible", "enabled", "editable"], (el) => (fill(el, a.value), null)),
  checked: (a) =>
    onReady(a, ["visible", "enabled"], (el) => {
      const state = checkedOf(el, roleOf(el));
      if (state === undefined)
        throw new Failure(
          "InvalidArgument",
          `bad request: ${show(a.locator)} is neither a checkbox nor a radio button`,
        );
      return state === "mixed" ? word(state) : state;
    }),
  files: (a) => until(a.wait, () => (setFiles(present(a.locator), a.files), null)),
  scroll: (a) => until(a.wait, () => (scroll(a.locator && present(a.locator), a), null)),
  scrollIntoView: (a) =>
    until(
      a.wait,
      () => (present(a.locator).scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" }), null),
    ),
  dragStarts: () => dragStarts(),
  turn,

  // Reading.
  wait: (a) =>
    until(a.wait, async () => {
      const el = await checkState(a.locator, a.state);
      return el && { handle: handles.of(el), id: a.tag ? tag(el, a.reads) : word("") };
    }),
  yaml: async (a) => snapshotYAML(await rootOf(a), { ...a, above: a.above as Redacted }),
  elements: () => snapshotElements(),
  tagged: (a) => snapshotTagged(a),
  observe: (a) => observe(a),
  content: async (a) => contentOf(a.format, await rootOf(a)),
  state: (a) => {
    const [el, ...more] = findAll(a.locator);
    if (more.length && !a.locator.first)
      throw new Failure("AmbiguousLocator", `${more.length + 1} elements match ${show(a.locator)}`, more.length + 1);
    return el ? { found: true, ...stateOf(el, a.properties) } : { found: false };
  },
  depth: () => {
    let n = 0;
    for (let el = frameAround(document); el; el = frameAround(el.ownerDocument)) n++;
    return n;
  },
  metrics: () => ({ scale: devicePixelRatio, width: innerWidth, height: innerHeight }),
  overlay: (a) => (overlay(a.marks), null),
};

const privates: Privates = {
  secrets,
  choose: (a) => onReady(a, ["visible", "enabled"], (el) => choose(el, a.values)),
  storage: () => ({
    origin: location.origin,
    localStorage: pairs("localStorage"),
    sessionStorage: pairs("sessionStorage"),
  }),
  store: (a) => {
    for (const { name, value } of a.localStorage ?? []) localStorage.setItem(name, value);
    for (const { name, value } of a.sessionStorage ?? []) sessionStorage.setItem(name, value);
    return null;
  },
};

function pairs(kind: "localStorage" | "sessionStorage"): Pair[] {
  try {
    return Object.entries({ ...window[kind] }).map(([name, value]) => ({ name, value }));
  } catch {
    return []; // a sandboxed document has no storage
  }
}

/** The first call listens for dragstart. The next call returns whether a drag has begun, and stops listening. */
function dragStarts(): boolean {
  if (!drag) {
    const started = { yes: false, off: () => window.removeEventListener("dragstart", hear, false) };
    const hear = (e: Event): void => void (started.yes = !e.defaultPrevented);
    window.addEventListener("dragstart", hear, false);
    drag = started;
    return false;
  }
  const { yes, off } = drag;
  off();
  drag = undefined;
  return yes;
}

/**
 * Waits until the tasks that the page has queued are done: forms are submitted by such a task. A MessageChannel and
 * not a timer: timers are delayed in background tabs.
 */
async function turn(): Promise<null> {
  for (let n = 0; n < 2; n++) {
    await new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(0);
    });
  }
  return null;
}

let drag: { yes: boolean; off: () => void } | undefined;

/** The element itself, for scripts of the caller. */
async function element(a: AboutArgs): Promise<Element | Document> {
  forget();
  useNumbers(a);
  return a.locator ? until(a.wait, () => present(a.locator!)) : document;
}

/** Checks the length of an answer, except for storage, which is as long as the browser allows. */
function answered(verb: string, answer: string): string {
  if (verb !== "storage") checkLength(answer);
  return answer;
}

function verbOf(verb: string): (args: never) => unknown {
  return readers[verb as keyof Readers] ?? privates[verb as keyof Privates];
}

/** A call's answer as JSON: {"ok":…,"secrets":[…],"used":…} or {"error":{…}}. */
async function run(verb: string, args: AboutArgs): Promise<string> {
  const start = performance.now();
  forget();
  useNumbers(args);
  watchAll();
  try {
    const ok = (await verbOf(verb)(args as never)) ?? null;
    return answered(verb, stringify({ ok, secrets: secretsFound(), used: usedNumbers() }));
  } catch (e) {
    if (!(e instanceof Failure)) throw e;
    const { kind, message, count } = e;
    return stringify({
      error: { kind, message, count, locator: args.locator && show(args.locator), waited: performance.now() - start },
      used: usedNumbers(),
    });
  }
}

export function start(): object {
  return { run, element, secretElements };
}
