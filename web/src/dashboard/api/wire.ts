// What the hub says below /ui/api, and what it is told. server/ui*.go is the other side; docs/dashboard.md describes it.

export interface State {
  version: string;
  /** The hub's clock, in ms since 1970. */
  now: number;
  you: You;
  hubs: Hub[];
  closes: Close[] | null;
  /** The nodes of the cluster. Absent: the hub is in none, or the token is for one hub. */
  nodes?: ClusterNode[];
  /** What is shown is a recording (cdphub replay): nothing is live in it. */
  replay?: { began: number; cut?: string };
}

export interface You {
  name: string;
  scope: string;
  /** May take a lease. */
  control: boolean;
  /** May open DevTools. Absent: the hub serves none to this token. */
  devtools?: boolean;
  /** May drain nodes of the cluster. */
  drain?: boolean;
}

export interface Hub {
  /** "" is the default hub. */
  hub: string;
  /** Before each of its paths: "" or "/hub/NAME". */
  path: string;
  hostConnected: boolean;
  hostHangs: boolean;
  /** It has a browser of its own, or gets one with its first Client. */
  browser: boolean;
  clients: number;
  sessions: number;
  counters: Counters;
  targets: Target[] | null;
  /** The targets that have ended last and have a timeline, the newest first. */
  closed?: Closed[];
  /** Absent in recordings. */
  named?: Named[];
  /** The clients with tabs of their own. Absent: there are none, or the token may not hand tabs over. */
  ownTabs?: TabClient[];
}

export interface ClusterNode {
  /** Of the process: after a restart it is another. */
  id: string;
  name: string;
  version: string;
  /** In ms since 1970. */
  since: number;
  /** That it owns. */
  hubs: number;
  /** It is about to end. */
  draining?: boolean;
  /** It serves the hub of this page. */
  answers?: boolean;
  /** That it has, of those that it may have. */
  browsers?: number;
  maxBrowsers?: number;
}

export interface Closed {
  targetId: string;
  title: string;
  url: string;
  client?: string;
  at: number;
}

export interface TabClient {
  client: string;
  /** The ids of its targets. */
  tabs: string[];
}

/** A named session of the token, see docs/sessions.md. */
export interface Named {
  name: string;
  client: string;
  /** In ms since 1970; absent while it has a connection. */
  awaySince?: number;
}

/** They grow for as long as the hub lives, except for pending. */
export interface Counters {
  received: number;
  answered: number;
  pending: number;
  events: number;
}

export interface Target {
  targetId: string;
  type: string;
  title: string;
  url: string;
  /** A frame: its pictures are drawn from its DOM. */
  drawn?: boolean;
  /** The client in whose own browser context it is. Absent: a target of all clients. */
  client?: string;
  drivers?: string[] | null;
  last?: { method: string; at: number };
  holder?: { name: string; until: number };
  handoff?: { instructions: string; until: number };
  unresponsive?: boolean;
}

export interface Close {
  time: string;
  side: string;
  hub: string;
  peer: string;
  code: number;
  reason: string;
}

export interface Entry {
  seq: number;
  at: number;
  kind: string;
  client?: string;
  method?: string;
  text?: string;
  ms?: number;
  error?: string;
  picture?: boolean;
}

/** The viewport in CSS px, in which all positions are. */
export interface Viewport {
  width: number;
  height: number;
}

export interface PictureMessage extends Viewport {
  kind: "picture";
  seq: number;
  format: string;
}

export interface HolderMessage {
  kind: "holder";
  /** "" is nobody. */
  name: string;
  mine: boolean;
  until: number;
}

/** A dialog of the page has opened; with type "" it has closed. Only the holder is told. */
export interface DialogMessage {
  kind: "dialog";
  type: string;
  message: string;
  default: string;
}

/** From the hub, on the view socket. The bytes of a picture follow its message. */
export type FromView =
  | { kind: "view"; targetId: string; title: string; url: string; drawn: boolean; control: boolean }
  | PictureMessage
  | HolderMessage
  | DialogMessage
  | { kind: "error"; message: string }
  | { kind: "gone"; message: string };

export interface MouseInput {
  kind: "mouse";
  type: "mouseMoved" | "mousePressed" | "mouseReleased" | "mouseWheel";
  x: number;
  y: number;
  button: string;
  buttons: number;
  clickCount: number;
  deltaX: number;
  deltaY: number;
  modifiers: number;
}

export interface KeyInput {
  kind: "key";
  type: "keyDown" | "keyUp";
  key: string;
  code: string;
  text?: string;
  unmodifiedText?: string;
  windowsVirtualKeyCode: number;
  nativeVirtualKeyCode: number;
  modifiers: number;
  autoRepeat: boolean;
  isKeypad: boolean;
  location: number;
}

/** To the hub. */
export type ToView =
  | { kind: "ack"; seq: number }
  | { kind: "size"; width: number; height: number; fps: number }
  | { kind: "take" | "release" | "done" | "cancel" }
  | { kind: "paste"; text: string }
  | { kind: "dialog"; accept: boolean; text?: string }
  | MouseInput
  | KeyInput;
