// The method table of the Frame Agent: one handler per CDP method.

import type { Domain, Method, Params, Result } from "../../cdp";
import type { CdpError, Json } from "../../wire/cdp";
import type { Session } from "./session";
import { methodsIn, rowOf } from "./table";

/** Answers one method. What it returns, or resolves to, is the result; what it throws is the error. */
export type Handler = (params: Json, session: Session) => Json | void | Promise<Json | void>;

/** An error whose message and code reach the Client unchanged. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    readonly code = -32000,
    /** What to do, which becomes the end of the message: Clients such as Playwright print nothing else. */
    advice = "",
  ) {
    super(advice ? `${message}. ${advice}` : message);
  }
}

/** The error that a command is answered with, for what its handler has thrown. */
export function errorOf(e: unknown): CdpError {
  if (e instanceof ProtocolError) return { code: e.code, message: e.message };
  return { code: -32000, message: `Internal error: ${e instanceof Error ? e.message : String(e)}` };
}

/** The error for a method that is not there. */
export function notFound(method: string, advice = ""): ProtocolError {
  return new ProtocolError(`Method not found: ${method} ('${method}' wasn't found)`, -32000, advice);
}

type Answer<R> = R extends void ? void | Record<string, never> : R;

/** Handlers for methods of a domain of the protocol, typed by their params and results. */
export type Handlers<D extends Domain> = {
  [M in Method as M extends `${D}.${infer Name}` ? Name : never]?: (
    params: Params<M>,
    session: Session,
  ) => Answer<Result<M>> | Promise<Answer<Result<M>>>;
};

const handlers = new Map<string, Handler>();

/**
 * Adds handlers for a domain: register("CSS", { enable: () => {} }). A method
 * registered again is replaced, so an application may plug in or override a
 * domain.
 */
export function register<D extends string>(
  domain: D,
  methods: D extends Domain ? Handlers<D> : Record<string, Handler>,
): void {
  for (const name of Object.keys(methods))
    handlers.set(`${domain}.${name}`, (methods as Record<string, Handler>)[name]);
}

/** Makes the handler of a method. */
type Maker = (method: string) => Handler;
const makers = new Map<string, Maker>();

/** Adds what makes the handlers of a list of methods, where none is registered. */
export function provide(list: string, make: Maker): void {
  for (const name of methodsIn(list)) makers.set(name, make);
}

/** The handler of a method such as "DOM.getDocument", if there is one. */
export function handlerOf(method: string): Handler | undefined {
  return handlers.get(method) ?? rowOf(makers, method)?.(method);
}
