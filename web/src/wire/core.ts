// A Host page and its Core. The Core runs in a Worker where there is one, so
// these messages cross a thread by structured clone; where there is none they
// are plain calls.

import type { Protocol } from "../cdp";
import type { CdpError, CdpEvent, Json, Response } from "./cdp";
import type { Hello, Welcome } from "./frame";
import type { TargetInfo } from "./bridge";

/** The facts about the page that the Core gets first, and once. */
export interface Identity {
  /** Random per load of the Host page. */
  hostId: string;
  /** As Browser.getVersion answers them. */
  browser: { product: string; userAgent: string };
  /** Browser-level methods that the application has a hook for. */
  hooks: string[];
  /** Of the page. */
  origin: string;
  /** Whether the page knows where an agent is, for documents it makes itself. */
  agent: boolean;
}

/** State of the connection to a relay. */
export type RelayState =
  | "off" // none was asked for, or disconnectRelay was called
  | "connecting"
  | "connected"
  | "waiting" // lost; the next attempt is coming
  | "replaced"; // another Host has the hub: this one waits until that leaves, or for takeOver

/** Which window.open a Target comes from. */
export interface Opened {
  openId: string;
  /** Whether neither window may reach the other. */
  noopener?: boolean;
}

/** Origins that are served at another origin: from the one in the URLs of Clients to the one where it is served. */
export type Moved = Record<string, string>;

/** Page to Core. */
export type ToCore =
  | { do: "start"; identity: Identity }
  | { do: "pair"; target: TargetInfo; origins: string[]; opened?: Opened; moved?: Moved }
  | { do: "unpair"; targetId: string }
  /** A hello came from the frame, and its origin is allowed. */
  | { do: "hello"; targetId: string; hello: Hello; origin: string }
  /** A hello came whose origin is not allowed. */
  | { do: "stranger"; targetId: string; origin: string }
  /** The browser navigates a frame of the page to an origin that is not allowed. It does not say which frame. */
  | { do: "left"; origin: string }
  /** Leads the frame back to the app. */
  | { do: "back"; targetId: string }
  /** The iframe element fired load. made: for a document that the Host makes, whose agent has not answered. */
  | { do: "load"; targetId: string; made?: true }
  | { do: "connect"; url: string; token?: string; standby?: boolean }
  | { do: "takeOver" }
  | { do: "disconnect" }
  | { do: "attach"; sessionId: string; targetId: string }
  | { do: "detach"; sessionId: string }
  | { do: "command"; sessionId: string; id: number; method: string; params?: Json }
  /** The answer to an ask. */
  | { do: "answer"; call: number; result?: Json; error?: CdpError };

/** What the Core asks of the page. Each gets one `answer`. */
export type Ask =
  | { what: "resize"; targetId: string; width: number; height: number }
  | { what: "unsize"; targetId: string }
  /** "" puts back what the iframe had. */
  | { what: "scheme"; targetId: string; scheme: string }
  | { what: "reveal"; targetId: string }
  /** Answered by the page's script: shows that it is not stuck. */
  | { what: "alive" }
  /** Result: the window of the Host page, as Browser.Bounds. */
  | { what: "window" }
  /** Result {targetId}. */
  | {
      what: "create";
      params: Protocol.Target.CreateTargetRequest;
      openerId?: string;
      popup?: Opened & { name: string };
    }
  | { what: "close"; targetId: string };

/** Core to page. */
export type FromCore =
  /** First of all, by a Core in a Worker: it runs. */
  | { do: "up" }
  | { do: "probe"; targetId: string }
  /** To be posted to the frame, with the port, if it still has this origin. */
  | { do: "welcome"; targetId: string; origin: string; welcome: Welcome; port: MessagePort }
  | { do: "navigate"; targetId: string; url: string }
  | { do: "ask"; call: number; ask: Ask }
  | { do: "targets"; targets: TargetState[] }
  | { do: "relay"; state: RelayState; reason: string }
  | { do: "message"; sessionId: string; message: Response | CdpEvent }
  | { do: "ended"; sessionId: string; reason: string };

/** A Target as the application sees it. */
export interface TargetState extends TargetInfo {
  /** Whether a Frame Agent answers for the current document. */
  connected: boolean;
  /** Why no agent answers, as far as that is known, in words. */
  reason: string;
  /** The origin to which the frame has left the app, if that is known: see Host. */
  left: string;
}
