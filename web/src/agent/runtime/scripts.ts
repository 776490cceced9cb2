// Page.addScriptToEvaluateOnNewDocument. The Host keeps the scripts, but the welcome comes after the page's first
// scripts. So each document leaves them to the next one of its origin (link/kept.ts), which runs them before the page's
// own. A copy in the frame's name does so for a document of another origin.

import type { Protocol } from "../../cdp";
import type { SessionState } from "../../wire/frame";
import { define } from "./bindings";
import { keepWorld } from "./contexts";
import { prepare, run } from "./evaluate";
import { carryLoad } from "../link/framename";
import { type Script, kept, leaving } from "../link/kept";
import { type Frame, allFrames } from "../page/frames";
import { mint } from "../base/originals";
import { ProtocolError } from "../base/registry";
import { type Session, onSessionEnd } from "../base/session";

let scripts: Script[] = [];
let bindings: string[] = [];
/** Scripts that have run in this document. */
const executed = new Set<string>();

leaving.push(() => ({ scripts, bindings }));

/**
 * Gives the scripts to the next document by the frame's name, if it is of another origin, as each one of an opaque
 * origin is. The Host has allowed that origin.
 */
export function carryScripts(url: string): void {
  const { origin } = new URL(url, location.href);
  if ((scripts.length || bindings.length) && (origin === "null" || origin !== location.origin)) {
    carryLoad(JSON.stringify({ scripts, bindings }));
  }
}

/** Runs, at boot, the scripts that the document before has left. */
export function runKept(): void {
  scripts = kept.scripts ?? [];
  bindings = kept.bindings ?? [];
  for (const name of bindings) define(window, name);
  runMissing();
}

function runMissing(): void {
  for (const s of scripts) {
    if (executed.has(s.identifier)) continue;
    executed.add(s.identifier);
    executeIn(allFrames(), s);
  }
}

/** Runs a script in the frames that have a document of this origin. */
function executeIn(frames: Frame[], script: Script): void {
  for (const f of frames) if (f.win && f.loaderId) execute(f.win, script);
}

function execute(win: Window & typeof globalThis, { source, worldName }: Script): void {
  if (!source) return;
  const isolated = Boolean(worldName);
  const attempt = (): void => {
    try {
      run(win, source, isolated);
    } catch (e) {
      reportError(e); // as an uncaught exception of the page, as Chromium does
    }
  };
  const ready = prepare(win, [source], [], isolated);
  if (ready) void ready.then(attempt);
  else attempt();
}

/** Takes the Host's list at the welcome, and runs the scripts that have not run. */
export function restoreScripts(states: SessionState[]): void {
  scripts = states.flatMap((s) => s.scripts.map((x) => ({ ...x, sessionId: s.sessionId })));
  bindings = [...new Set(states.flatMap((s) => s.bindings.filter((b) => !b.worldName).map((b) => b.name)))];
  for (const s of scripts) keepWorld(s.worldName ?? "");
  runMissing();
}

/** Runs every script in the new document of a child frame. */
export function runScriptsIn(win: Window & typeof globalThis): void {
  for (const s of scripts) execute(win, s);
}

/** The Host adds the identifier; a Host of version 1 does not. */
type NewScript = Protocol.Page.AddScriptToEvaluateOnNewDocumentRequest & { identifier?: string };

/** Page.addScriptToEvaluateOnNewDocument. */
export function addScript(p: NewScript, s: Session): Protocol.Page.AddScriptToEvaluateOnNewDocumentResponse {
  const identifier = p.identifier ?? mint();
  const script = { sessionId: s.id, identifier, source: String(p.source ?? ""), worldName: p.worldName || undefined };
  scripts = [...scripts.filter((x) => x.identifier !== identifier), script];
  executed.add(identifier);
  keepWorld(script.worldName ?? "");
  if (p.runImmediately) executeIn(allFrames(), script);
  return { identifier };
}

/** Page.removeScriptToEvaluateOnNewDocument. */
export function removeScript(p: Protocol.Page.RemoveScriptToEvaluateOnNewDocumentRequest, s: Session): void {
  const i = scripts.findIndex((x) => x.identifier === p.identifier && x.sessionId === s.id);
  if (i < 0) throw new ProtocolError("Script not found");
  scripts.splice(i, 1);
}

/** Remembers a name bound in the main world for the next document. */
export function storeBinding(name: string): void {
  if (!bindings.includes(name)) bindings.push(name);
}

onSessionEnd((s) => {
  scripts = scripts.filter((x) => x.sessionId !== s.id);
  if (!scripts.length) bindings = [];
});
