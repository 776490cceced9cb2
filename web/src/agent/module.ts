// The agent as an ES module, for applications that have it in their own bundle.
// A server that renders the application imports the module too. It has no
// document, so the agent's code is one function here, which runs only where
// there is a document. Even there, nothing of the page is touched before
// startFrameAgent is called: the agent does not see the page's earlier scripts,
// requests and messages.

/// <reference path="./agent-main.d.ts" />
import main from "agent-main";
import { needsDocument } from "../browseronly";
import type { Json } from "../wire/cdp";
import { ProtocolError as ServerSideError } from "./base/registry";
import type { AgentOptions } from "./start";

export type { AgentOptions } from "./start";

/** The session of the Client whose command a handler answers. */
export interface HandlerSession {
  /** Unique among the sessions of the document. */
  readonly id: string;
  /** Sends an event to this session alone. */
  emit(method: string, params: Json): void;
}

/** Answers one method. What it returns, or resolves to, is the result. What it throws is the error. */
export type Handler = (params: Json, session: HandlerSession) => Json | void | Promise<Json | void>;

const agent = typeof document === "undefined" ? undefined : main();

function inBrowser(name: string): NonNullable<typeof agent> {
  if (!agent) throw needsDocument("cdphub/agent", name);
  return agent;
}

/**
 * Starts the Frame Agent, by which Clients of a hub drive this document. Call it before anything else of
 * the application. It does nothing in a document that is not in a frame, in one that has an agent, and in
 * a frame that the agent of a parent reaches.
 */
export function startFrameAgent(options: AgentOptions): void {
  inBrowser("startFrameAgent").startFrameAgent(options);
}

/**
 * Adds methods to a domain of the protocol: register("Shop", { addToCart: (params) => ({ items: 1 }) }).
 * A method that is registered again is replaced.
 */
export function register(domain: string, methods: Record<string, Handler>): void {
  inBrowser("register").register(domain, methods);
}

/** What a handler throws to fail a command with this message and code, an integer; -32000 if left out. */
export const ProtocolError: typeof ServerSideError = agent?.ProtocolError ?? ServerSideError;
export type ProtocolError = ServerSideError;
