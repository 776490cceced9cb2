// Records what the commands of a session set, and what the next document must have too.

import type { Method, Params } from "../cdp";
import type { Json } from "../wire/cdp";
import type { SessionState } from "../wire/frame";
import { clearing, overrideId, overrides, overrideScript } from "../overrides";

/** A session's state as it begins. */
export function emptyState(sessionId: string): SessionState {
  return { sessionId, domains: [], lifecycle: false, scripts: [], bindings: [], fileChooser: false };
}

/** Whether `record` reads the params of a method. */
export function isRecorded(method: string): boolean {
  return recorders.has(method);
}

/**
 * Records what a command sets. Returns the command's result for the case that the document is unloaded before it
 * answers: the next document starts with this state, so the command has succeeded. Undefined: it may not have.
 */
export function record(s: SessionState, method: string, params: object): Json | undefined {
  const recorder = recorders.get(method);
  const [domain, verb] = method.split(".");
  if (!recorder && verb !== "enable" && verb !== "disable") return undefined;
  const result = recorder ? recorder(s, params as never) : setEnabled(s, domain, verb === "enable");
  return result === false ? undefined : (result ?? {});
}

function setEnabled(s: SessionState, domain: string, on: boolean): void {
  if (!on) s.domains = s.domains.filter((d) => d !== domain);
  else if (!s.domains.includes(domain)) s.domains.push(domain);
}

/** Records a command. Returns its result if that is not {}; false if only the document can answer. */
type Recorder<P> = (s: SessionState, p: P) => Json | false | void;

/** Recorders typed by the params of their methods. */
type Recorders = { [M in Method]?: Recorder<Params<M> & { identifier?: string }> };

const recorders = new Map(
  Object.entries<Recorder<never>>({
    "Page.setLifecycleEventsEnabled": (s, p) => void (s.lifecycle = p.enabled === true),
    "Page.enable": (s, p) => {
      setEnabled(s, "Page", true);
      if (p.enableFileChooserOpenedEvent === true) s.fileChooserEvents = true;
    },
    "Page.disable": (s) => {
      setEnabled(s, "Page", false);
      s.fileChooser = false;
      s.fileChooserCancels = s.fileChooserEvents = undefined;
    },
    "Page.setInterceptFileChooserDialog": (s, p) => {
      s.fileChooser = p.enabled === true;
      s.fileChooserCancels = (s.fileChooser && p.cancel === true) || undefined;
    },
    "Emulation.setFocusEmulationEnabled": (s, p) => void (s.focus = p.enabled === true),
    "Page.addScriptToEvaluateOnNewDocument": (s, { identifier, source, worldName }) => {
      if (identifier === undefined) return false; // a version 1 agent makes and keeps its own identifiers
      s.scripts.push({ identifier, source, worldName: worldName || undefined });
      return { identifier };
    },
    "Page.removeScriptToEvaluateOnNewDocument": (s, p) =>
      void (s.scripts = s.scripts.filter((x) => x.identifier !== p.identifier)),
    "Runtime.addBinding": (s, p) => {
      // Limited to one context, a binding ends with that context.
      if (p.executionContextId !== undefined || typeof p.name !== "string") return false;
      const binding = { name: p.name, worldName: p.executionContextName || undefined };
      if (!s.bindings.some((b) => b.name === binding.name && b.worldName === binding.worldName))
        s.bindings.push(binding);
    },
    "Runtime.removeBinding": (s, p) => void (s.bindings = s.bindings.filter((b) => b.name !== p.name)),
    "Page.startScreencast": (s, p) => void (s.screencast = p),
    "Page.stopScreencast": (s) => void (s.screencast = undefined),
    "Target.setAutoAttach": (s, p) => void (s.autoAttach = p.autoAttach === true ? p : undefined),
    "Fetch.enable": (s, p) => void (s.fetch = p),
    "Fetch.disable": (s) => void (s.fetch = undefined),
  } satisfies Recorders),
);

// Settings that a proxy applies to all requests of the Target.
for (const method of ["Network.setExtraHTTPHeaders", "Network.setCacheDisabled", "Network.emulateNetworkConditions"]) {
  recorders.set(method, (s, p: Json) => {
    s.network = { ...s.network, [method]: p };
    return false;
  });
}

for (const command of [...Object.keys(overrides), ...Object.keys(clearing)]) {
  recorders.set(command, (s, p: Json) => {
    const method = clearing[command] ?? command;
    const identifier = overrideId(method, s.sessionId);
    s.scripts = s.scripts.filter((x) => x.identifier !== identifier);
    if (method === command) s.scripts.push({ identifier, source: overrideScript(method, p) });
    // The proxy sets the request header.
    if (method === "Network.setUserAgentOverride") s.network = { ...s.network, [method]: p };
  });
}

/** Merges the states of sessions that are one session for the agent. */
export function merge(sessionId: string, list: SessionState[]): SessionState {
  const all = emptyState(sessionId);
  for (const s of list) {
    for (const d of s.domains) if (!all.domains.includes(d)) all.domains.push(d);
    all.lifecycle ||= s.lifecycle;
    all.fileChooser ||= s.fileChooser;
    all.fileChooserCancels ||= s.fileChooserCancels;
    all.fileChooserEvents ||= s.fileChooserEvents;
    all.focus ||= s.focus;
    all.scripts.push(...s.scripts);
    all.bindings.push(...s.bindings);
    all.fetch = s.fetch ?? all.fetch;
    all.autoAttach = s.autoAttach ?? all.autoAttach;
    all.screencast = s.screencast ?? all.screencast;
    if (s.network) all.network = { ...all.network, ...s.network };
  }
  return all;
}
