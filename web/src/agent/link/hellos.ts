// The greetings of agents in child frames of other origins, which this agent adopts.

import { type Admit, type Hello, type Knock, type Rebase, VERSION, type Welcome } from "../../wire/frame";
import { isOf } from "../../host/addresses";
import { beginNavigation } from "../page/childnavigation";
import { destroyContexts } from "../runtime/contexts";
import { type Frame, allFrames, childrenOf, reach, splitFragment } from "../page/frames";
import { detach } from "../page/framewatch";
import { forgetMarks } from "../page/lifecycle";
import { channel } from "../base/channels";
import { slotOf } from "../base/originals";
import { flushChanges } from "../dom/treewatch";
import { Nested, focusTaken, mayNest, takenBases } from "./nested";

/** Hellos that came before the welcome. At most MAX_WAITING are kept. */
const earlyHellos: MessageEvent[] = [];
const MAX_WAITING = 100;

/** What this document shows to agents below it, if the Host has made it. */
let proof: Welcome["proof"];

/** Takes the greetings of a window's children. */
export function listenForAgents(win: Window): void {
  win.addEventListener("message", receive, true);
  win.addEventListener("focusin", focusTaken, true);
}

/** This agent has a Host, and can be one. */
export function takeHellos(w: Welcome): void {
  proof = w.proof;
  for (const e of earlyHellos.splice(0)) receive(e);
}

function receive(e: MessageEvent): void {
  const m = e.data as Hello | Knock | null;
  if (m?.icdp === "knock") return admit(e);
  if (!isHello(m)) return;
  const frame = frameOfSource(e.source);
  if (!frame) return;
  e.stopImmediatePropagation();
  if (!mayNest()) return void (earlyHellos.length < MAX_WAITING && earlyHellos.push(e));
  if (e.origin === "null" && !e.ports[0]) return; // see Hello
  greeted(frame, m, e.origin, e.ports[0]);
}

function isHello(m: Partial<Hello> | Knock | null): m is Hello & { base: number } {
  return (
    m?.icdp === "hello" && m.v === VERSION && "base" in m && typeof m.base === "number" && typeof m.url === "string"
  );
}

/** The frame out of reach whose window has sent something. */
function frameOfSource(source: MessageEventSource | null): Frame | undefined {
  flushChanges();
  return allFrames().find((f) => f.owner && f.proxy === source && !reach(f.owner));
}

/**
 * An agent below cannot know a document of an opaque origin. It gets the proof, and says hello over the
 * port beside it. The proof goes to origins of the Target alone: whoever has it can drive their documents.
 */
function admit(e: MessageEvent): void {
  const frame = frameOfSource(e.source);
  if (!frame || !proof?.origins.includes(e.origin)) return;
  e.stopImmediatePropagation();
  const { origin } = e;
  const { near, far } = channel((said) => {
    const m = said.data as Hello | null;
    if (isHello(m) && frameOfSource(frame.proxy ?? null) === frame) greeted(frame, m, origin, near);
  });
  frame.proxy?.postMessage({ icdp: "admit", v: VERSION, key: proof.key } satisfies Admit, origin, [far]);
}

/** Adopts a document, which has its answers over the port or, without one, at its window. */
function greeted(frame: Frame, hello: Hello & { base: number }, origin: string, port?: MessagePort): void {
  const known = frame.agent as Nested | undefined;
  if (known?.docId === hello.docId) return;
  const target = origin === "null" ? "*" : origin;
  // Two documents with ids in one range could not be told apart by their ids.
  if (takenBases().some((b) => slotOf(b) === slotOf(hello.base))) {
    const rebase: Rebase = { icdp: "rebase", v: VERSION };
    if (port && origin !== "null") port.postMessage(rebase);
    else frame.proxy?.postMessage(rebase, target);
    return;
  }
  if (!isOf(hello.url, origin, ["null"])) return;
  known?.gone();
  const nested = new Nested(frame, hello, target, port);
  if (frame.expected) nested.loads++; // its load event has come before
  nested.welcome(prepareForDocument(frame, hello.url));
}

/** Prepares a frame for a new document. Returns false when clients already know it as a document without an agent. */
function prepareForDocument(frame: Frame, url: string): boolean {
  frame.expected = false;
  const fresh =
    frame.pending !== undefined || frame.left === true || splitFragment(frame.url ?? "")[0] !== splitFragment(url)[0];
  if (fresh) {
    const p = frame.pending ?? beginNavigation(frame, url, { reason: "scriptInitiated" });
    frame.pending = undefined;
    frame.loaderId = p.loaderId;
    p.done?.({ frameId: frame.id, loaderId: p.loaderId, isDownload: false });
  }
  frame.url = url;
  frame.left = frame.unreachable = undefined;
  for (const child of childrenOf(frame)) detach(child);
  destroyContexts(frame);
  forgetMarks(frame);
  return fresh;
}
