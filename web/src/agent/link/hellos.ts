// Receives the hello messages of agents in child frames of other origins, and adopts their documents.

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

/** The secret by which agents in child frames recognise this document, if the Host made it. See wire/frame.ts. */
let proof: Welcome["proof"];

/** Listens for the messages of agents in the child frames of a window. */
export function listenForAgents(win: Window): void {
  win.addEventListener("message", receive, true);
  win.addEventListener("focusin", focusTaken, true);
}

/**
 * Called at the welcome: from now on this agent can be the Host of child frames. Handles the hellos that were kept.
 */
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
  // Without a port there is no safe way to answer an opaque origin: see Hello in wire/frame.ts.
  if (e.origin === "null" && !e.ports[0]) return;
  adopt(frame, m, e.origin, e.ports[0]);
}

function isHello(m: Partial<Hello> | Knock | null): m is Hello & { base: number } {
  return (
    m?.icdp === "hello" && m.v === VERSION && "base" in m && typeof m.base === "number" && typeof m.url === "string"
  );
}

/** The frame of another origin whose window sent a message. */
function frameOfSource(source: MessageEventSource | null): Frame | undefined {
  flushChanges();
  return allFrames().find((f) => f.owner && f.proxy === source && !reach(f.owner));
}

/**
 * Answers a knock. The agent in a child frame cannot have this document's opaque origin in its list of allowed
 * parents. It gets the proof and a port, and says hello over the port. Only origins of the Target get the proof: a
 * page that has it can drive their documents.
 */
function admit(e: MessageEvent): void {
  const frame = frameOfSource(e.source);
  if (!frame || !proof?.origins.includes(e.origin)) return;
  e.stopImmediatePropagation();
  const { origin } = e;
  const { near, far } = channel((said) => {
    const m = said.data as Hello | null;
    if (isHello(m) && frameOfSource(frame.proxy ?? null) === frame) adopt(frame, m, origin, near);
  });
  frame.proxy?.postMessage({ icdp: "admit", v: VERSION, key: proof.key } satisfies Admit, origin, [far]);
}

/** Adopts a document. The welcome goes over `port`, or to the frame's window if there is none. */
function adopt(frame: Frame, hello: Hello & { base: number }, origin: string, port?: MessagePort): void {
  const known = frame.agent as Nested | undefined;
  if (known?.docId === hello.docId) return;
  const target = origin === "null" ? "*" : origin;
  // Commands are routed by the ids in their params. Ids begin with the base, so each document needs a range of its
  // own.
  if (takenBases().some((b) => slotOf(b) === slotOf(hello.base))) {
    const rebase: Rebase = { icdp: "rebase", v: VERSION };
    if (port && origin !== "null") port.postMessage(rebase);
    else frame.proxy?.postMessage(rebase, target);
    return;
  }
  if (!isOf(hello.url, origin, ["null"])) return;
  known?.gone();
  const nested = new Nested(frame, hello, target, port);
  if (frame.expected) nested.loads++; // the frame's load event came before this hello
  nested.welcome(prepareForDocument(frame, hello.url));
}

/** Prepares a frame for a new document. Returns false when Clients already know it as a document without an agent. */
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
