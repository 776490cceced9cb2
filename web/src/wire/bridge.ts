// The bridge: a Host and its hub, JSON text frames over the WebSocket
// /icdp/host. docs/bridge.md explains it. Its tables of fields are made of this
// file, and internal/wiretest compares it with package bridge.
//
// One interface is one message. Its comment, the comments of its fields, and
// their types as they are written here are what the tables say.

import type { CdpError, Json } from "./cdp";

/** A Target as its Host describes it. */
export interface TargetInfo {
  targetId: string;
  title: string;
  url: string;
  /** The Target whose page opened this one. */
  openerId?: string;
  /** With "browser": the type of the Target, such as "page", "iframe", "worker" or "service_worker". */
  type?: string;
}

/** The browser that a Host runs in, as Browser.getVersion names it. */
export interface BrowserInfo {
  product: string;
  userAgent: string;
  /** Revision of its source, such as "@a21ce95c24ce". chromedriver needs it. */
  revision?: string;
  /** Version of its JavaScript engine, such as "15.6.75.27". */
  jsVersion?: string;
  /** Version of CDP, such as "1.3". */
  protocolVersion?: string;
}

/** With "nested": a session that a browser has begun inside another. */
export interface NestedSession {
  /** The browser's own id of the session. */
  sessionId: string;
  targetId: string;
  /** The kind of target: "page", "iframe", "worker" … */
  type: string;
}

/** The first message, due within 10 s. A second one replaces everything that the Host has announced. */
export interface Ready {
  kind: "ready";
  /** 1. */
  v: number;
  targets: TargetInfo[];
  /** Browser-level methods that the Host answers; with "handles+" also domains, such as "Storage.*". */
  handles?: string[];
  /** The extensions that the Host knows. */
  features?: string[];
  /** With "resume": the id with which the Host reconnects. It must be impossible to guess. */
  hostId?: string;
  browser?: BrowserInfo;
}

/** A new Target exists. */
export interface TargetCreated {
  kind: "targetCreated";
  target: TargetInfo;
}

/** A Target no longer exists. */
export interface TargetDestroyed {
  kind: "targetDestroyed";
  targetId: string;
}

/** A Target has another title or address. */
export interface TargetInfoChanged {
  kind: "targetInfoChanged";
  target: TargetInfo;
}

/** The answer to a command: with either result or error. */
export interface CommandResponse {
  kind: "response";
  sessionId: string;
  /** The id of the command. */
  id: number;
  result?: Json;
  error?: CdpError;
  /** With "nested": the command has begun this session. */
  opens?: NestedSession;
  /** With "nested": the command has ended the session with this id. */
  closes?: string;
}

/** An event of a Target or of a session. */
export interface TargetEvent {
  kind: "event";
  /** The Target. With "browser" it can be absent, because the session implies it. */
  targetId?: string;
  method: string;
  params: Json;
  /** With "sessions": the one session it is for. Without it, every session of the Target gets the event. */
  sessionId?: string;
  /** With "sessionIds", and without sessionId: the sessions it is for. */
  sessionIds?: string[];
  /** With "nested": the event announces this new session. */
  opens?: NestedSession;
  /** With "nested": the event announces the end of the session with this id. */
  closes?: string;
}

/** With "eval": stores a script at the hub, which serves it once at /eval/KEY.js. */
export interface ScriptPut {
  kind: "evalput";
  /** 32 hexadecimal digits. */
  key: string;
  source: string;
}

/** With "alive": the answer of the page's script to alive of the hub, with the same n. */
export interface AliveReply {
  kind: "alive";
  n: number;
}

/**
 * With "chunks": a piece of another message. A line break and the piece follow this object in the same frame. The
 * chunks of one message come in order, none of another message comes between them, and other messages may. kind is
 * the first member.
 */
export interface Chunk {
  kind: "chunk";
  /** The message is complete with this piece. */
  last: boolean;
}

/** With "downloads": a frame has its browser save a file. The hub answers with downloadTaken. */
export interface DownloadBegins {
  kind: "downloadBegins";
  targetId: string;
  /** The frame, of that Target. */
  frameId: string;
  /** Names the download. It must be a file name, and no other download that is under way may have it. */
  guid: string;
  url: string;
  suggestedFilename: string;
}

/**
 * With "downloads": the next bytes of a file, at most 1 MiB. The Host sends them only after a downloadTaken with
 * more, which answers this message too. Other messages may come between the parts of a file.
 */
export interface DownloadPart {
  kind: "downloadPart";
  guid: string;
  /** In base64. */
  data: string;
}

/** With "downloads": the file is complete, or is canceled. The hub itself cancels those of a Target or a Host that ends. */
export interface DownloadEnds {
  kind: "downloadEnds";
  guid: string;
  /** How many bytes the file has. Absent: it is canceled. */
  totalBytes?: number;
}

/** The answer to a browserRequest: with either result or error. */
export interface BrowserResult {
  kind: "browserResult";
  id: number;
  result?: Json;
  error?: CdpError;
}

/** What a Host sends. */
export type HostMessage =
  | Ready
  | TargetCreated
  | TargetDestroyed
  | TargetInfoChanged
  | CommandResponse
  | TargetEvent
  | ScriptPut
  | AliveReply
  | Chunk
  | DownloadBegins
  | DownloadPart
  | DownloadEnds
  | BrowserResult;

/** The extensions that are used from now on: those of the ready message that the hub knows. */
export interface Accepted {
  kind: "accepted";
  features: string[];
}

/**
 * To a Host that has connected with ?standby in its URL, before its ready: whether no other Host has the hub. If it
 * is free, the Host must send ready within 10 s.
 */
export interface Standby {
  kind: "standby";
  free: boolean;
}

/** With "sessions": a session begins. It precedes the session's first command. */
export interface SessionAttached {
  kind: "attached";
  sessionId: string;
  /** With "browser" it is absent for a Client's session of the browser itself. */
  targetId?: string;
  /** With "dialog": the key of the Target for POST /dialog, the same for all its sessions. */
  dialogKey?: string;
}

/** A command to carry out. */
export interface HostCommand {
  kind: "command";
  sessionId: string;
  /** With "browser" it is absent for a Client's session of the browser itself. */
  targetId?: string;
  /** The hub's number, never used twice. */
  id: number;
  method: string;
  params?: Json;
}

/** A session has ended. The Host must release what belongs to it. */
export interface SessionDetached {
  kind: "detached";
  sessionId: string;
  /** With "browser" it is absent for a Client's session of the browser itself. */
  targetId?: string;
}

/** With "eval": the script with this key can be fetched. A script that the hub refuses gets no answer. */
export interface ScriptAccepted {
  kind: "evalok";
  key: string;
}

/**
 * With "chunks": the hub has taken one chunk. A Host limits the chunks that the hub has not taken yet, so that other
 * messages do not wait long.
 */
export interface ChunkTaken {
  kind: "chunkTaken";
}

/** With "downloads": the hub has taken a downloadBegins or a downloadPart. */
export interface DownloadTaken {
  kind: "downloadTaken";
  guid: string;
  /** Whether to send the next part. Otherwise no Client wants the file, or it is too long: only downloadEnds follows. */
  more: boolean;
}

/** With "resume": the hub has sent attached for every session that continues. */
export interface Resumed {
  kind: "resumed";
}

/** With "alive": checks whether the script of the page still runs. */
export interface AliveRequest {
  kind: "alive";
  n: number;
}

/** A browser-level command. The hub sends only methods that are listed in handles of ready. */
export interface BrowserRequest {
  kind: "browserRequest";
  id: number;
  method: string;
  params?: Json;
}

/** What a hub sends. */
export type HubMessage =
  | Accepted
  | Standby
  | SessionAttached
  | HostCommand
  | SessionDetached
  | ScriptAccepted
  | ChunkTaken
  | DownloadTaken
  | Resumed
  | AliveRequest
  | BrowserRequest;

/** The close code that tells a Host to stay away, or on standby: a newer one has taken its place (docs/bridge.md). */
export const CLOSE_REPLACED = 4500;

/**
 * The code that hubs without the feature "codes" use instead. They use it for
 * other reasons too; the texts of those do not say "replaced".
 */
export const CLOSE_POLICY = 1008;

/** The close code by which a Host says that it will not come back. */
export const CLOSE_NORMAL = 1000;
