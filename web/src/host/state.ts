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
 * Records what a command sets. Returns the command's result for the case that the
 * document is unloaded before it answers: the next document starts with this
 * state, so the command has succeeded. Undefined: nothing is recorded.
 */
export function record(s: SessionState, method: string, params: object): Json | undefined {
  const special = recorders.get(method);
  if (special) return special(s, params as never);
  const [domain, verb] = method.split(".");
  if (verb === "enable") {
    if (!s.domains.includes(domain)) s.domains.push(domain);
    return {};
  }
  if (verb === "disable") {
    s.domains = s.domains.filter((d) => d !== domain);
    return {};
  }
  return undefined;
}

type Recorder<P> = (s: SessionState, p: P) => Json | undefined;

/** Recorders typed by the params of their methods. */
type Recorders = { [M in Method]?: Recorder<Params<M> & { identifier?: string }> };

const recorders = new Map(
  Object.entries<Recorder<never>>({
    "Page.setLifecycleEventsEnabled": (s, p) => {
      s.lifecycle = p.enabled === true;
      return {};
    },
    "Page.enable": (s, p) => {
      if (!s.domains.includes("Page")) s.domains.push("Page");
      if (p.enableFileChooserOpenedEvent === true) s.fileChooserEvents = true;
      return {};
    },
    "Page.disable": (s) => {
      s.domains = s.domains.filter((d) => d !== "Page");
      s.fileChooser = false;
      s.fileChooserCancels = s.fileChooserEvents = undefined;
      return {};
    },
    "Page.setInterceptFileChooserDialog": (s, p) => {
      s.fileChooser = p.enabled === true;
      s.fileChooserCancels = (s.fileChooser && p.cancel === true) || undefined;
      return {};
    },
    "Emulation.setFocusEmulationEnabled": (s, p) => {
      s.focus = p.enabled === true;
      return {};
    },
    "Page.addScriptToEvaluateOnNewDocument": (s, p) => {
      if (p.identifier === undefined) return undefined; // a version 1 agent makes and keeps its own identifiers
      const script = { identifier: p.identifier, source: p.source, worldName: p.worldName || undefined };
      s.scripts.push(script);
      return { identifier: p.identifier };
    },
    "Page.removeScriptToEvaluateOnNewDocument": (s, p) => {
      s.scripts = s.scripts.filter((x) => x.identifier !== p.identifier);
      return {};
    },
    "Runtime.addBinding": (s, p) => {
      // Limited to one context, a binding ends with that context.
      if (p.executionContextId !== undefined || typeof p.name !== "string") return undefined;
      const binding = { name: p.name, worldName: p.executionContextName || undefined };
      if (!s.bindings.some((b) => b.name === binding.name && b.worldName === binding.worldName))
        s.bindings.push(binding);
      return {};
    },
    "Runtime.removeBinding": (s, p) => {
      s.bindings = s.bindings.filter((b) => b.name !== p.name);
      return {};
    },
    "Page.startScreencast": (s, p) => {
      s.screencast = p;
      return {};
    },
    "Page.stopScreencast": (s) => {
      s.screencast = undefined;
      return {};
    },
    "Target.setAutoAttach": (s, p) => {
      s.autoAttach = p.autoAttach === true ? p : undefined;
      return {};
    },
    "Fetch.enable": (s, p) => {
      s.fetch = p;
      return {};
    },
    "Fetch.disable": (s) => {
      s.fetch = undefined;
      return {};
    },
  } satisfies Recorders),
);

// Settings that a proxy applies to all requests of the Target.
for (const method of ["Network.setExtraHTTPHeaders", "Network.setCacheDisabled", "Network.emulateNetworkConditions"]) {
  recorders.set(method, (s, p: Json) => {
    s.network = { ...s.network, [method]: p };
    return undefined;
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
    return {};
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
