type Json = Record<string, unknown>;
declare class ProtocolError extends Error {
	readonly code: number;
	constructor(message: string, code?: number, 
	/** What to do, which becomes the end of the message: Clients such as Playwright print nothing else. */
	advice?: string);
}
/** How an application starts the agent from its own bundle. */
export interface AgentOptions {
	/** Origins of the pages that may drive this document, such as "http://localhost:8080". */
	allowedParents: string[];
}
/** The session of the Client whose command a handler answers. */
export interface HandlerSession {
	/** Unique among the sessions of the document. */
	readonly id: string;
	/** Sends an event to this session alone. */
	emit(method: string, params: Json): void;
}
/** Answers one method. What it returns, or resolves to, is the result. What it throws is the error. */
export type Handler = (params: Json, session: HandlerSession) => Json | void | Promise<Json | void>;
/**
 * Starts the Frame Agent, by which Clients of a hub drive this document. Call it before anything else of
 * the application. It does nothing in a document that is not in a frame, in one that has an agent, and in
 * a frame that the agent of a parent reaches.
 */
export declare function startFrameAgent(options: AgentOptions): void;
/**
 * Adds methods to a domain of the protocol: register("Shop", { addToCart: (params) => ({ items: 1 }) }).
 * A method that is registered again is replaced.
 */
export declare function register(domain: string, methods: Record<string, Handler>): void;
/** What a handler throws to fail a command with this message and code, an integer; -32000 if left out. */
declare const ProtocolError$1: typeof ProtocolError;
type ProtocolError$1 = ProtocolError;

export {
	ProtocolError$1 as ProtocolError,
};

export {};
