// What the parts of a Target (navigation, emulation, windows) need of it and of
// the Core, so that they need not import either.

import type { EventName, EventParams } from "../cdp";
import type { Json } from "../wire/cdp";
import type { PopupCall, SessionState, ToAgent, WindowMessage } from "../wire/frame";
import type { TargetInfo } from "../wire/bridge";
import type { Ask, Identity, Moved, Opened } from "../wire/core";
import type { Env, Port } from "./channel";
import type { Call } from "./session";
import type { Carried } from "./text";

/** How long a document that has gone is expected to have a successor. */
export const SUCCESSOR_MS = 20_000;

/** What a Target needs of the Core. */
export interface Owner {
  readonly env: Env;
  readonly targets: ReadonlyMap<string, TargetView>;
  readonly identity: Identity;
  /** Origins that come through a proxy, as their documents say. */
  readonly proxied: Map<string, string>;
  /** BASE of the hub's HTTP endpoints, when there is a relay. */
  base(): string | undefined;
  /** Title, URL or connection changed. */
  changed(target: TargetView): void;
  /** An event for every session of the Target, of whatever consumer. */
  publish(target: TargetView, method: string, params: Carried): void;
  ask(ask: Ask): Promise<Json>;
  /** Has the relay serve a script at BASE/eval/KEY.js; false where it does not. */
  putScript(key: string, source: string): Promise<boolean>;
}

/** The channel to the current document. */
export interface Link {
  port: Port;
  /** The document's origin, as the browser tells it. */
  origin: string;
  docId?: string;
  /** Knows sessions; else version 1. */
  extended: boolean;
}

/** What a Target's windows need of those of another. */
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
  expect(ms: number, errorText?: string): void;
  state(): SessionState[];
  submit(call: Call): void;
}
