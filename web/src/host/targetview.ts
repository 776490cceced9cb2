// What the parts of a Target (navigation, emulation, windows) need of it and of
// the Core, so that they need not import either.

import type { EventName, EventParams } from "../cdp";
import type { Json } from "../wire/cdp";
import type { PopupCall, SessionState, ToAgent, WindowMessage } from "../wire/frame";
import type { TargetInfo } from "../wire/bridge";
import type { Ask, Identity, Moved, Opened } from "../wire/core";
import type { Env, Port } from "./channel";
import type { Downloads } from "./downloads";
import type { Call, Session } from "./session";
import type { Carried } from "./text";

/** How long after the end of a document the next one is expected. */
export const SUCCESSOR_MS = 20_000;

/** What a Target needs of the Core. */
export interface Owner {
  readonly env: Env;
  readonly targets: ReadonlyMap<string, TargetView>;
  readonly identity: Identity;
  /** Origins that come through a proxy, as their documents report, with the proxy's key. */
  readonly proxied: Map<string, string>;
  /** BASE of the hub's HTTP endpoints, if there is a hub. */
  base(): string | undefined;
  /** Title, URL or connection changed. */
  changed(target: TargetView): void;
  /** Sends an event to every session of the Target, of any consumer. */
  publish(target: TargetView, method: string, params: Carried): void;
  /** The downloads of the frames; undefined while no hub takes them. */
  downloads(): Downloads | undefined;
  ask(ask: Ask): Promise<Json>;
  /** Lets the hub serve a script at BASE/eval/KEY.js. False if it does not. */
  putScript(key: string, source: string): Promise<boolean>;
}

/** The channel to the current document. */
export interface Link {
  port: Port;
  /** The document's origin, as the browser tells it. */
  origin: string;
  docId?: string;
  /** Whether the agent has the feature "sessions". Otherwise it is of version 1. */
  extended: boolean;
}

/** What the Popups of one Target need of those of another. */
export interface PopupsView {
  readonly opened?: Opened;
  reached(m: PopupCall, message: WindowMessage | undefined): void;
  mayHear(message: WindowMessage): boolean;
}

/** A Target as its parts see it. */
export interface TargetView {
  readonly id: string;
  readonly info: TargetInfo;
  readonly origins: string[];
  readonly moved: Moved;
  readonly link?: Link;
  readonly owner: Owner;
  readonly popups: PopupsView;
  readonly navigation: { mayEnter(url: string): boolean };
  control(message: ToAgent): void;
  emit<M extends EventName>(domain: string, method: M, params: EventParams<M>): void;
  /** One session of each alias: the others share what it gets. */
  first(): Session[];
  tell(list: Iterable<Session>, method: string, params: Carried): void;
  /** Where the app is, to which a frame without an agent is led back. */
  readonly back: string;
  expect(ms: number, errorText?: string): void;
  state(): SessionState[];
  submit(call: Call): void;
}
