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
	/** Why none does, as far as that is known; for people. */
	reason: string;
}
/** The error of a command: message as CDP has it, and its code. */
export declare class CommandError extends Error {
	readonly code: number;
	/** What to do about it; "" where nobody says. */
	readonly data: string;
	constructor(code: number, message: string, 
	/** What to do about it; "" where nobody says. */
	data?: string);
}
/** A session of the Host page's own on a Target, from Host.attach. */
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
	 * Calls f for each such event, and for the end of the session as "detached" with {reason}; returns
	 * how to stop that.
	 */
	on(method: string, f: (params: Json) => void): () => void;
	/** Ends the session; what it had set in the Target is undone. */
	detach(): void;
	private fire;
}
/** What a client asks for by Target.createTarget, or a frame by window.open. A Host page may ignore all but url. */
export interface CreateTargetParams {
	url: string;
	/** Of the window, in CSS pixels. */
	left?: number;
	top?: number;
	width?: number;
	height?: number;
	newWindow?: boolean;
	background?: boolean;
}
/** What an application gives to its Host. */
export interface HostOptions {
	/**
	 * Makes a Pairing for a client's Target.createTarget or for a frame's
	 * window.open (then with openerId) and returns its targetId. Without this
	 * hook, Target.createTarget fails.
	 */
	createTarget?(params: CreateTargetParams, openerId?: string): string | Promise<string>;
	/** Removes a Pairing for a client. The Host unpairs it afterwards if this has not. */
	closeTarget?(targetId: string): void | Promise<void>;
	/** Brings a frame to the front for a client, before it is scrolled into view. */
	reveal?(targetId: string): void;
	/** Whether clients may resize iframes; true. */
	resizable?: boolean;
	/** Whether the sockets and ports go to a Worker; true. */
	worker?: boolean;
	/**
	 * The agent for blank documents, which the Host makes; the agent.js beside this script, where it is
	 * a classic one.
	 */
	agentUrl?: string;
}
export interface PairOptions {
	/** Kept over reloads and remounts; random when left out. Pairing it again with another iframe is a remount. */
	targetId?: string;
	/** The origins that the frame may be of, and may be navigated to, such as "http://localhost:3000". */
	origins: string[];
	/**
	 * Origins whose addresses clients may name and which are served at another, as by a proxy: from the
	 * one to the other.
	 */
	moved?: Moved;
	/** The title until the frame reports its own. */
	title?: string;
	/** The Target whose window.open asked for this one. */
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
	/** What createTarget has been called for and not yet paired. */
	private creating?;
	constructor(options?: HostOptions);
	/** Offers an iframe as a Target and returns its targetId. */
	pair(iframe: HTMLIFrameElement, options: PairOptions): string;
	/** Takes the Target away, and with it all its sessions. */
	unpair(targetId: string): void;
	targets(): TargetState[];
	/** Calls f with the Targets now and whenever they change; returns how to stop that. */
	onTargets(f: (targets: TargetState[]) => void): () => void;
	/** Calls f with the state of the relay connection now and whenever it changes; returns how to stop that. */
	onState(f: (state: HostState) => void): () => void;
	/** Begins a session of the page's own on a Target. */
	attach(targetId: string): LocalSession;
	/**
	 * Offers the Targets through the relay at url, such as
	 * "ws://127.0.0.1:9223/icdp/host", and reconnects when the connection is
	 * lost. It replaces the Host that the hub has, unless `standby` is set. A
	 * Host that was replaced, or is on standby, has the state "replaced". It
	 * connects again about 2 s after the other Host has left, or at once with
	 * takeOver. A hub with tokens needs a token of role host. If the hub refuses
	 * the token, the Host retries with exponential backoff, because browsers do
	 * not distinguish a refusal from a hub that is down.
	 */
	connectRelay(url: string, options?: {
		token?: string;
		standby?: boolean;
	}): void;
	/** Replaces the other Host, when the state is "replaced". The other Host can take over again in the same way. */
	takeOver(): void;
	disconnectRelay(): void;
	private heard;
	private loaded;
	/** Absolute, since a document that the Host makes has no base. */
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
/** Where an address is found now: at the origin that its own has moved to. */
export declare function follow(url: URL, moved: Moved): URL;
/**
 * Takes the token out of the page's address and returns it; "" where there is
 * none. The page's entry in the history keeps it, for a reload: no document
 * but one of the page's own origin can read that. To be called before there
 * is any frame.
 */
export declare function takeToken(): string;

export {};
