type Json = Record<string, unknown>;
interface TargetInfo {
	targetId: string;
	title: string;
	url: string;
	/** The Target whose page opened this one. */
	openerId?: string;
	/** With "browser": the type of the Target, such as "page", "iframe", "worker" or "service_worker". */
	type?: string;
}
/** State of the connection to a relay. */
export type RelayState = "off" | "connecting" | "connected" | "waiting" | "replaced";
type Moved = Record<string, string>;
/** A Target as the application sees it. */
export interface TargetState extends TargetInfo {
	/** Whether a Frame Agent answers for the current document. */
	connected: boolean;
	/** Why no agent answers, as far as that is known, in words. */
	reason: string;
	/** The origin to which the frame has left the app, if that is known: see Host. */
	left: string;
}
/** The error of a command, with the message and code of CDP. */
export declare class CommandError extends Error {
	readonly code: number;
	/** Advice; "" if there is none. */
	readonly data: string;
	constructor(code: number, message: string, 
	/** Advice; "" if there is none. */
	data?: string);
}
/** A session of the Host page itself on a Target, made by Host.attach. */
export declare class LocalSession {
	readonly sessionId: string;
	readonly targetId: string;
	private readonly core;
	private nextId;
	private readonly waiting;
	private readonly listeners;
	/** Sends a command, for example send("Runtime.evaluate", {expression: "1+1"}). Rejects with a CommandError. */
	send(method: string, params?: Json): Promise<Json>;
	/**
	 * Calls f for each event of this method, and with "detached" and {reason} at the end of the session. Returns a
	 * function that stops this.
	 */
	on(method: string, f: (params: Json) => void): () => void;
	/** Ends the session. What it has set in the Target is undone. */
	detach(): void;
	private fire;
}
/** What a Client asks for by Target.createTarget, or a frame by window.open. A Host page may ignore all but url. */
export interface CreateTargetParams {
	url: string;
	/** Position and size of the window, in CSS pixels. */
	left?: number;
	top?: number;
	width?: number;
	height?: number;
	newWindow?: boolean;
	background?: boolean;
}
/** The options of a Host. */
export interface HostOptions {
	/**
	 * Makes a Pairing for a Client's Target.createTarget or for a frame's
	 * window.open (then with openerId) and returns its targetId. Without this
	 * hook, Target.createTarget fails.
	 */
	createTarget?(params: CreateTargetParams, openerId?: string): string | Promise<string>;
	/** Removes a Pairing for a Client. The Host unpairs it afterwards if this has not. */
	closeTarget?(targetId: string): void | Promise<void>;
	/** Brings a frame to the front for a Client, before it is scrolled into view. */
	reveal?(targetId: string): void;
	/** Whether Clients may resize iframes. The default is true. */
	resizable?: boolean;
	/** Whether the sockets and ports are handled in a Worker. The default is true. */
	worker?: boolean;
	/**
	 * The URL of the agent's script for documents that the Host makes, such as blank ones. The default is the agent.js
	 * beside this script, if that is a classic script.
	 */
	agentUrl?: string;
}
export interface PairOptions {
	/**
	 * The id of the Target, which should stay the same over reloads and remounts. The default is random. Pairing an id
	 * again with another iframe is a remount.
	 */
	targetId?: string;
	/**
	 * The origins of documents that may be in the frame, and to which it may be navigated, such as
	 * "http://localhost:3000".
	 */
	origins: string[];
	/**
	 * Origins that are served at another origin, for example by a proxy: { "origin in the URLs of Clients": "origin
	 * where it is served" }.
	 */
	moved?: Moved;
	/** The title until the frame reports its own. */
	title?: string;
	/** The id of the Target whose window.open asked for this one. */
	openerId?: string;
}
/** The state of the hub connection. `reason` is for people. */
export interface HostState {
	relay: RelayState;
	reason: string;
}
export declare class Host {
	private readonly options;
	private readonly core;
	private readonly frames;
	private readonly sessions;
	private list;
	private state;
	private relayHost;
	private readonly targetListeners;
	private readonly stateListeners;
	/** The call of createTarget whose Target has not been paired yet. */
	private creating?;
	constructor(options?: HostOptions);
	/** Offers an iframe as a Target, and returns its targetId. */
	pair(iframe: HTMLIFrameElement, options: PairOptions): string;
	/** Removes the Target and ends its sessions. */
	unpair(targetId: string): void;
	targets(): TargetState[];
	/** Calls f with the Targets now and whenever they change. Returns a function that stops this. */
	onTargets(f: (targets: TargetState[]) => void): () => void;
	/**
	 * Calls f with the state of the hub connection now and whenever it changes. Returns a function that stops this.
	 */
	onState(f: (state: HostState) => void): () => void;
	/** Begins a session of the Host page itself on a Target. */
	attach(targetId: string): LocalSession;
	/**
	 * Offers the Targets through the hub at url, such as "ws://127.0.0.1:9223/icdp/host", and connects again when the
	 * connection is lost.
	 * This Host replaces the one that the hub has, unless `standby` is set. A Host that was replaced, or is on standby,
	 * has the state "replaced". It connects again by itself about 2 s after the other Host has left, or at once by
	 * takeOver.
	 * A hub with tokens needs the token of a Host. When the hub refuses it, the Host tries again with exponential
	 * backoff: browsers do not tell a page whether a WebSocket was refused or the hub is down.
	 */
	connectRelay(url: string, options?: {
		token?: string;
		standby?: boolean;
	}): void;
	/** Replaces the other Host, if the state is "replaced". The other Host can do the same. */
	takeOver(): void;
	/** Leads a frame that has left the app back to it. */
	back(targetId: string): void;
	disconnectRelay(): void;
	private heard;
	private loaded;
	/** Absolute, since a relative URL means nothing in a data: document. */
	private agentUrl;
	private agent;
	private receive;
	/** Says on the console why frames are not paired, once for each reason. */
	private warn;
	private asked;
	private carryOut;
	private create;
	private close;
}
/** The URL at the origin where its own origin is served. */
export declare function follow(url: URL, moved: Moved): URL;
/**
 * Removes the token from the page's URL and returns it; "" if there is none. The page's history entry keeps it for a
 * reload: only documents of the page's own origin can read that. Call it before there is any frame.
 */
export declare function takeToken(): string;

export {};
