// The channel to the Host: pairing by window.postMessage, then commands over
// the MessagePort that the welcome brings.

import type { Answer, Command, Json } from "../../wire/cdp";
import { PARENT_NOT_LISTED, PARENT_SILENT, say } from "../../wire/messages";
import {
  type Attached,
  type Downloaded,
  type FromAgent,
  type Hello,
  type Rebase,
  type SessionState,
  type ToAgent,
  VERSION,
  type Vouch,
  type Welcome,
} from "../../wire/frame";
import { emptyState } from "../../host/state";
import { renumberContexts } from "../runtime/contexts";
import { leaveKept } from "./kept";
import { storeDriven } from "../page/dialogs";
import { address, mainFrame } from "../page/frames";
import { noteInput } from "../page/beforeunload";
import { restWithoutClients } from "../page/framewatch";
import { flushAddress } from "../page/navigation";
import { endUpload, enterHub, hubOfProxy, proxyKey, setHub } from "./hub";
import { admitted, askAround, mayBe, vouched } from "./madeparent";
import { inNestedWorker, sessionChanged, share, tellSubtree, whenReported } from "./nested";
import { uplink } from "./uplink";
import { noteSimpleHost } from "../base/bundles";
import { channel, listenTo } from "../base/channels";
import { parentOf, base, docId, originals, rebase } from "../base/originals";
import { popupNews } from "../windows/popups";
import { inWorker, workerDetached } from "../workers/workers";
import { inOrder } from "../base/parts";
import { ProtocolError, errorOf, handlerOf, notFound } from "../base/registry";
import { forward } from "./route";
import { Session, addSession, allSessions, endSession, sendTogether, sessionOf } from "../base/session";
import { flushChanges } from "../dom/treewatch";
import { refusal } from "../base/unsupported";

const HELLO_MS = 300;
const HELLOS = 10;

let parents: string[] = [];
let key: string | undefined;
let port: MessagePort | undefined;
let hellos = 0;
let timer = 0;
let needed: (w: Welcome) => Promise<unknown> | undefined = () => undefined;
let adopted: (w: Welcome) => void = () => {};

/**
 * Starts pairing with a parent of one of these origins. When the welcome comes, `before` runs. When its promise has
 * resolved, `onWelcome` runs, before any command. `ownKey` identifies a document that the Host made.
 */
export function pair(
  allowedParents: string[],
  ownKey: string | undefined,
  before: typeof needed,
  onWelcome: typeof adopted,
): void {
  parents = allowedParents;
  key = ownKey;
  needed = before;
  adopted = onWelcome;
  listenForHost();
  greet();
}

/** Listens for the Host; again after document.open has removed the window's listeners. */
export function listenForHost(): void {
  window.addEventListener("message", receive, true);
}

/** Says hello until a Host answers. */
export function greet(): void {
  hellos = 0;
  originals.clearTimeout(timer);
  repeat();
}

function repeat(): void {
  if (port) return;
  if (hellos >= HELLOS) return unpaired(PARENT_SILENT);
  hellos++;
  hello();
  timer = originals.setTimeout(repeat, HELLO_MS);
}

let warned = false;

/** Says on the console, once, why this document is not paired. */
function unpaired(message: string, parent = ""): void {
  if (warned) return;
  warned = true;
  originals.warn(say(message, { parents: parents.join(" "), parent, origin: window.origin }));
}

function hello(): void {
  for (const origin of parents)
    if (mayBe(origin))
      originals.postToParent(greeting(), origin === "null" ? "*" : origin, window.origin === "null" ? [replies()] : []);
  askAround(parents);
}

function greeting(): Hello {
  return {
    icdp: "hello",
    v: VERSION,
    title: document.title,
    url: address(),
    docId,
    base,
    features: ["sessions", "state", ...(hubOfProxy() ? ["proxied"] : [])],
    ...(mainFrame().failure && { error: mainFrame().failure }),
    key,
    ...(hubOfProxy() && { proxyKey: proxyKey() }),
  };
}

/** A MessagePort for the welcome. A window message could arrive in a later document of the same frame. */
function replies(): MessagePort {
  return channel(welcomed).far;
}

function welcomed(e: MessageEvent): void {
  const m = e.data as Welcome | null;
  if (m?.icdp === "welcome" && e.ports[0]) adopt(m, e.ports[0]);
}

/** Says hello over the port to a parent that the Host made, if there is one. */
function helloOver(p?: MessagePort): void {
  if (!p || port) return;
  listenTo(p, (e) => {
    if ((e.data as Partial<Rebase> | null)?.icdp !== "rebase") return welcomed(e);
    takeAnotherBase();
    p.postMessage(greeting());
  });
  p.postMessage(greeting());
}

function takeAnotherBase(): void {
  rebase();
  renumberContexts();
}

/**
 * Whether a window is an ancestor. The parent agent need not be in window.parent: an agent also answers for child
 * frames of its own origin.
 */
function isAbove(source: MessageEventSource | null): boolean {
  for (let win: Window = window; win !== parentOf(win); win = parentOf(win)) if (source === parentOf(win)) return true;
  return false;
}

function receive(e: MessageEvent): void {
  const m = e.data as { icdp?: unknown } | null;
  if (typeof m !== "object" || m === null || !isAbove(e.source)) return;
  if (!parents.includes(e.origin)) return unlisted(e, m.icdp);
  if (m.icdp === "probe") {
    e.stopImmediatePropagation();
    if (!port) hello();
  } else if (m.icdp === "vouch") {
    e.stopImmediatePropagation();
    helloOver(vouched(m as Vouch));
  } else if (m.icdp === "rebase" && !port) {
    takeAnotherBase();
    hello();
  } else if (m.icdp === "welcome" && e.ports[0]) {
    e.stopImmediatePropagation();
    welcomed(e);
  }
}

/** Handles a message of an ancestor whose origin is not in the list of allowed parents. */
function unlisted(e: MessageEvent, kind: unknown): void {
  if (kind === "admit") {
    e.stopImmediatePropagation();
    helloOver(admitted(e));
  } else if (kind === "probe" && !port) {
    if (e.origin === "null") askAround(parents);
    else unpaired(PARENT_NOT_LISTED, e.origin);
  }
}

/** The port of the newest welcome. Another welcome may come while parts load. */
let coming: MessagePort | undefined;

function adopt(welcome: Welcome, p: MessagePort): void {
  originals.clearTimeout(timer);
  coming = p;
  const parts = needed(welcome);
  if (!parts) return take(welcome, p);
  void parts.then(() => {
    if (coming === p) take(welcome, p);
  });
}

function take(welcome: Welcome, p: MessagePort): void {
  if (port) port.close();
  port = p;
  enterHub(welcome);
  noteSimpleHost(welcome.frameId === undefined);
  sendTogether(welcome.sessionIds === true);
  const states = welcome.frameId === undefined ? [anonymous] : (welcome.state?.sessions ?? []);
  for (const s of [...allSessions()]) if (!states.some((x) => x.sessionId === s.id)) endSession(s.id);
  for (const s of states) restore(s);
  adopted(welcome);
  storeDriven();
  listenTo(p, (e) => fromHost(e.data));
}

/** The one session of a version 1 Host, which names none. */
const anonymous = emptyState("");

function restore(state: SessionState): void {
  const s = sessionOf(state.sessionId) ?? begin(state.sessionId);
  for (const d of state.domains) s.enabled.add(d);
  s.lifecycle = state.lifecycle;
}

function begin(id: string): Session {
  const s = new Session(id, send);
  addSession(s);
  restWithoutClients();
  return s;
}

/**
 * Sends pending reports before a message. An error in them must not stop the message: a page can break what they use,
 * such as Element.shadowRoot.
 */
function tellFirst(tell: () => void): void {
  try {
    tell();
  } catch {
    // the next message tries again
  }
}

/**
 * UTF-16 code units of the longest answer. The Host refuses a longer one as well, but all frames would wait while it
 * reads that.
 */
const LONGEST = 160 << 20;

/** Sends a message to the Host. The content of a file goes along. */
function send(message: string | Downloaded): void {
  tellFirst(tellSubtree);
  if (typeof message === "string") port?.postMessage(message);
  else port?.postMessage(message, message.content ? [message.content] : []);
}

function control(message: FromAgent): boolean {
  if (port) send(originals.stringify(message));
  return port !== undefined;
}

Object.assign(uplink, { send, control });

/** The document is being unloaded: announces it and closes the channel. */
export function leave(): void {
  leaveKept();
  control({ icdp: "bye" });
  port?.close();
  port = undefined;
}

// --------------------------------------------------------------- commands

function fromHost(data: unknown): void {
  if (typeof data !== "string") return;
  let m: (ToAgent | { icdp?: undefined }) & Command; // a control message or a command
  try {
    m = originals.parse(data);
  } catch {
    return;
  }
  if (m.icdp) sessionChanged(m as Attached);
  if (m.icdp === "attached") {
    const { sessionId } = m;
    setHub(m);
    if (!sessionOf(sessionId)) begin(sessionId);
    storeDriven();
  } else if (m.icdp === "detached") {
    endSession(m.sessionId);
    workerDetached(m.sessionId);
    storeDriven();
  } else if (m.icdp === "popup") popupNews(m);
  else if (m.icdp === "evalok") endUpload(m.key, m.refused === true);
  else if (typeof m.id === "number" && typeof m.method === "string")
    dispatch(m.id, m.method, m.params ?? {}, m.sessionId);
}

/** The last Input command of each session. Input commands run one after another, as in Chromium. */
const inputs = new WeakMap<Session, Promise<unknown>>();

const TOO_LONG: Answer = { error: { code: -32000, message: "The answer is too long: ask for a part of it" } };
const NO_SESSION: Answer = { error: { code: -32001, message: "Session with given id not found." } };

function dispatch(id: number, method: string, params: Json, sessionId: string | undefined): void {
  const s = sessionOf(sessionId ?? "") ?? sessionOf("");
  const reply = (answer: Answer): void => {
    tellFirst(flushChanges);
    tellFirst(flushAddress);
    const text = (a: Answer): string => originals.stringify({ id, ...(sessionId && { sessionId }), ...a });
    whenReported(() => {
      const whole = text(answer);
      send(whole.length > LONGEST ? text(TOO_LONG) : whole);
    });
  };
  const there = sessionId && (inWorker(sessionId, method, params) ?? inNestedWorker(sessionId, method, params));
  if (there) return void there.then(reply);
  if (!s) return reply(NO_SESSION);
  const execute = (): void | Promise<void> => {
    const forwarded = forward(method, params, s.id);
    if (forwarded) return forwarded.then(reply);
    try {
      const result = call(method, params, s);
      if (!(result instanceof Promise)) return reply({ result: result ?? {} });
      return result.then(
        (r) => reply({ result: r ?? {} }),
        (e) => reply({ error: errorOf(e) }),
      );
    } catch (e) {
      return reply({ error: errorOf(e) });
    }
  };
  inOrder(
    s,
    method,
    params,
    () => {
      if (sessionOf(s.id) !== s)
        reply(NO_SESSION); // the session ended while the command waited for its part
      else if (method.startsWith("Input.")) {
        noteInput(method, params.type);
        inTurn(s, execute);
      } else void execute();
    },
    (e) => reply({ error: errorOf(e) }),
  );
}

function inTurn(s: Session, execute: () => void | Promise<void>): void {
  const before = inputs.get(s);
  const running = before ? before.then(execute) : execute();
  if (running) {
    const settled = running.then(() => {
      if (inputs.get(s) === settled) inputs.delete(s);
    });
    inputs.set(s, settled);
  }
}

function call(method: string, params: Json, s: Session): Json | void | Promise<Json | void> {
  const refused = refusal(method, params);
  if (refused) throw new ProtocolError(refused);
  const handler = handlerOf(method);
  if (!handler) throw notFound(method);
  const result = handler(params, s);
  const [domain, verb] = method.split(".");
  if (verb === "enable") s.enabled.add(domain);
  else if (verb === "disable") s.enabled.delete(domain);
  if (domain === "Page") storeDriven();
  share(method, params, s.id);
  return result;
}
