// The state of a hub at /ui/api/state. internal/uiwire is the other side, and a test (internal/wiretest) compares
// both; docs/dashboard.md describes it.

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
  replay?: Replay;
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
  /** The Clients with tabs of their own. Absent: there are none, or the token may not hand tabs over. */
  ownTabs?: TabClient[];
}

export interface ClusterNode {
  /** The id of the process. It changes with a restart. */
  id: string;
  name: string;
  version: string;
  /** In ms since 1970. */
  since: number;
  /** Number of hubs that the node owns. */
  hubs: number;
  /** Whether the node is draining, and will end. */
  draining?: boolean;
  /** Whether the node serves the hub of this page. */
  answers?: boolean;
  /** Number of its browsers, and their maximum. */
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
  graceMs: number;
  /** Bytes of messages for its Client. */
  kept: number;
}

/** Counters since the hub was created. All but pending only grow. */
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
  /** Whether it is a frame, whose pictures are drawn from its DOM. */
  drawn?: boolean;
  /** The Client in whose own browser context it is. Absent: a target of all Clients. */
  client?: string;
  drivers?: string[] | null;
  last?: Last;
  holder?: Holder;
  handoff?: Handoff;
  unresponsive?: boolean;
}

/** The newest command that acted on a target. */
export interface Last {
  method: string;
  at: number;
}

/** The holder of the lease of a target. */
export interface Holder {
  name: string;
  until: number;
  /** It is the asker, maybe in another window. */
  you?: boolean;
}

/** What a person is asked to do in a target. */
export interface Handoff {
  instructions: string;
  until: number;
}

/** What a recording says of itself. */
export interface Replay {
  began: number;
  /** What it lacks. */
  cut?: string;
}

export interface Close {
  time: string;
  side: string;
  hub: string;
  peer: string;
  code: number;
  reason: string;
}
