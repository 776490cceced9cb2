// A Host page and its Frame Agents: window messages until the agent has a
// MessagePort, JSON text over that port afterwards. An agent is the Host of the
// agents in child frames of other origins, and speaks the same to them.
//
// Version 1 is what peers in the field speak. What a peer names in `features`
// is an extension, which the other side may leave out. Unknown fields and kinds
// are ignored.

import type { Protocol } from "../cdp";
import type { Json } from "./cdp";

/** The version that both ends of every channel speak. */
export const VERSION = 1;

/**
 * Whether a command has success even if the document goes before it answers: input may be what the document goes for.
 * As in Chromium (content/browser/devtools/protocol/input_handler.cc, InputInjector::Cleanup).
 */
export function succeedsUnanswered(method: string): boolean {
  return (
    method === "Input.dispatchKeyEvent" ||
    method === "Input.dispatchMouseEvent" ||
    method === "Input.dispatchTouchEvent"
  );
}

// ------------------------------------------- window.postMessage, frame <-> Host

/**
 * Frame Agent to its parent: at boot, every 300 ms (10 times at most) until
 * adopted, and in answer to a probe. From a document of an opaque origin it
 * brings a MessagePort, over which the welcome goes: a message to its window
 * would be for whatever document that has by then.
 */
export interface Hello {
  icdp: "hello";
  v: number;
  title: string;
  url: string;
  /** Unique per document; a repeated hello with a known docId is not a new document. Extended agents only. */
  docId?: string;
  /**
   * Extensions of version 1 that the agent knows: "sessions", "state"; "proxied" says that a proxy
   * serves its origin.
   */
  features?: string[];
  /** The net error, if the document is an error page of the proxy. */
  error?: string;
  /** The random base of the document's ids, below 10^6. */
  base?: number;
  /** The key that the Host has given to a document that it made itself. */
  key?: string;
  /** With "proxied": the key to the proxy's control connection, for documents that the Host makes. */
  proxyKey?: string;
}

/** Host to iframe while it has no channel to it. */
export interface Probe {
  icdp: "probe";
  v: number;
}

/** Host to iframe, with one MessagePort in the transfer list. The fields after v are for extended agents. */
export interface Welcome extends HubAccess {
  icdp: "welcome";
  v: number;
  /** The main frame's id, which is the targetId. */
  frameId?: string;
  /** The loader of this document. */
  loaderId?: string;
  /** False only for the first document of a Pairing. */
  navigated?: boolean;
  state?: TargetState;
  /** An event may name several sessions, as sessionIds. */
  sessionIds?: true;
  /** The Host takes Download and Downloaded, in place of events of the domain Browser. */
  downloads?: true;
  /** The Host page adds frames for windows that the page opens. */
  popups?: boolean;
  /** Script has opened this Target, and may close it. */
  opened?: boolean;
  /** The Target has a window.opener. */
  opener?: boolean;
  /**
   * The ids by which the Target and its opener know each other: the openId of its Open, and the targetId of its
   * opener.
   */
  openId?: string;
  openerId?: string;
  /**
   * To a document that the Host has made: the secret that it shows to agents of these origins in its child frames.
   */
  proof?: { key: string; origins: string[] };
  /** From an agent to one in a child frame: the id of the frame around it. */
  parentId?: string;
  /** From an agent to one in a child frame: the name or id of the element around it. */
  name?: string;
  /** From an agent to one in a child frame: bases in use, which its own descendants must not have. */
  bases?: number[];
}

/** What a frame needs for its own requests to the hub. */
export interface HubAccess {
  /** BASE of the hub's HTTP endpoints, for example "http://127.0.0.1:9223"; absent without a relay. */
  base?: string;
  /** BASE of the proxy in front of the Target's app, if there is one. */
  proxy?: string;
  /** The key to its control connection, which a document of an opaque origin needs. */
  proxyKey?: string;
  /** The Target's key for POST BASE/dialog; absent until the hub has sent one. */
  key?: string;
  /** From an agent to one in a child frame: the Target that both are part of. */
  targetId?: string;
}

/** An agent to the iframe whose hello had a base that is in use: take another, and say hello again. */
export interface Rebase {
  icdp: "rebase";
  v: number;
}

// ------------------------------------------- frames in a document of the Host's
//
// A document that the Host has made has an opaque origin. An agent in a child frame cannot list it as an allowed
// parent. So the agent asks the Host page (Ask), which has given the document a secret, and gives it to the agent,
// too (Vouch). The agent also knocks at its parent (Knock), which shows the secret (Admit), but only to documents of
// the Target's origins. With it comes a MessagePort for the hello, the welcome and Rebase.

/** Agent to a page around its parent, of a listed origin. */
export interface Ask {
  icdp: "ask";
  v: number;
}

/** Host page to agent: the document that shows this key is the Host's. */
export interface Vouch {
  icdp: "vouch";
  v: number;
  key: string;
}

/** Agent to its parent, of whatever origin. It has no secrets. */
export interface Knock {
  icdp: "knock";
  v: number;
}

/** A document of the Host's to the agent that has knocked, with one MessagePort in the transfer list. */
export interface Admit {
  icdp: "admit";
  v: number;
  key: string;
}

// --------------------------------------------- state that outlives a document

/**
 * What a Target's sessions have set, kept by the Host and given to each new
 * document before its first command. Page.addScriptToEvaluateOnNewDocument,
 * Runtime.addBinding and the like are recorded by the Host as the commands
 * pass through it, and forwarded as well.
 */
export interface TargetState {
  sessions: SessionState[];
}

export interface SessionState {
  sessionId: string;
  /** Domains enabled by `X.enable`, in order. */
  domains: string[];
  /** Page.setLifecycleEventsEnabled. */
  lifecycle: boolean;
  scripts: InitScript[];
  bindings: Binding[];
  /** Page.setInterceptFileChooserDialog. */
  fileChooser: boolean;
  /** The param cancel: the input gets its cancel event. */
  fileChooserCancels?: boolean;
  /** Page.enable with enableFileChooserOpenedEvent. */
  fileChooserEvents?: boolean;
  /** Emulation.setFocusEmulationEnabled. */
  focus?: boolean;
  /** Params of Target.setAutoAttach, or absent when it is off: the session gets sessions with the workers. */
  autoAttach?: Protocol.Target.SetAutoAttachRequest;
  /** The params of Page.startScreencast while it runs. */
  screencast?: Protocol.Page.StartScreencastRequest;
  /** Params of Fetch.enable, or absent when interception is off. */
  fetch?: Protocol.Fetch.EnableRequest;
  /** Params of the last command of each name that sets what a proxy does for all requests. */
  network?: Record<string, Json>;
}

/** One Page.addScriptToEvaluateOnNewDocument. The Host mints `identifier` and adds it to the forwarded params. */
export interface InitScript {
  identifier: string;
  source: string;
  worldName?: string;
}

/** One Runtime.addBinding. */
export interface Binding {
  name: string;
  /** The world it is limited to, by executionContextName; absent: the main world. */
  worldName?: string;
}

// ------------------------------------------------------- over the MessagePort
//
// Two commands for the main frame carry a param that Clients do not send:
//
//   Page.navigate {url, loaderId}: assign location.href and answer {} at once.
//     No nav need follow; one with this url or loaderId is understood as the
//     same. Without loaderId only the fragment changes. With led: true the
//     Host goes there itself once it has the answer.
//   Page.addScriptToEvaluateOnNewDocument {identifier}: answer with it.
//
// One side reports the start of a document's request:
// Page.frameStartedNavigating, Page.frameStartedLoading and
// Network.requestWillBeSent come from the Host for Page.navigate and for a
// document that no side has announced, and from the agent that sends nav
// otherwise. Whenever Welcome.navigated is true, the new document's agent reports
// its end: Network.responseReceived and Network.loadingFinished, requestId being
// the loaderId. Where no document comes the Host sends Network.loadingFailed.
// Their timestamps are seconds since 1970.
//
// CDP messages travel as JSON strings (Command from the Host; Response and
// CdpEvent from the agent). An agent that writes the session before params,
// result or error writes these last: the Host then passes them on unread. The control messages below travel as JSON strings
// too, are distinguished by `icdp`, and pass only between extended peers.

/** Agent to Host: window.open or a link to a new window wants a Target. The fields after url are for extended Hosts. */
export interface Open {
  icdp: "open";
  /** Empty for a blank window. */
  url: string;
  /** The id of the window, for both sides. */
  openId?: string;
  /** Its name; empty without one. */
  name?: string;
  noopener?: boolean;
}

/** A message that one window posts to another. `origin` is the sender's, which the Host fills in. */
export interface WindowMessage {
  /** The data, as far as JSON can carry it. */
  data?: unknown;
  /** "*" or the origin that the receiver must be of. */
  targetOrigin: string;
  /** An agent may only say "null", for a frame of another origin in its document. The Host sets any other. */
  origin?: string;
}

/** Agent to Host: the page does something with a window that it has opened. */
export interface PopupCall {
  icdp: "popup";
  openId: string;
  url?: string;
  close?: true;
  focus?: true;
  message?: WindowMessage;
}

/** Agent to Host: the page does something with the window that has opened it. */
export interface OpenerCall {
  icdp: "opener";
  focus?: true;
  message?: WindowMessage;
}

/** Host to agent: a change of a window that the page has opened or, without openId, of its opener. */
export interface PopupNews {
  icdp: "popup";
  openId?: string;
  url?: string;
  closed?: true;
  /** Why the window could not be opened. */
  error?: string;
  message?: WindowMessage;
}

/**
 * What the name of an iframe begins with that a window.open has asked for,
 * unless it is to have no opener: its page must know before the welcome. The
 * window's own name follows.
 */
export const POPUP_NAME = "cdphub:o::";

/** Agent to Host: a session with a worker has begun, inside one of the page. */
export interface WorkerAttached {
  icdp: "workerattached";
  /** The session of the page. */
  parent: string;
  /** 32 random hexadecimal digits each. */
  sessionId: string;
  targetId: string;
  url: string;
  /** The frame whose document has started it. */
  frameId?: string;
}

/** Agent to the agent around it: the frames and contexts of its document and below. */
export interface Subtree {
  icdp: "subtree";
  /** Page.FrameTree. */
  tree: Protocol.Page.FrameTree;
  /** Its own base and those of the agents below it. */
  bases: number[];
  /** {executionContextId, executionContextUniqueId} of each context. */
  contexts: Protocol.Runtime.ExecutionContextDestroyedEvent[];
  /** Its load event has been reported. */
  loaded: boolean;
}

/** Agent to Host: the page has the browser save a file. */
export interface Download {
  icdp: "download";
  /** 32 random hexadecimal digits. */
  guid: string;
  frameId: string;
  url: string;
  suggestedFilename: string;
}

/**
 * Agent to Host: the content of the file, which is transferred. Without it the file could not be read. This message
 * alone is no JSON string.
 */
export interface Downloaded {
  icdp: "downloaded";
  guid: string;
  content?: ArrayBuffer;
}

/** Host to agent: a session has begun; no command of it precedes this. */
export interface Attached extends HubAccess {
  icdp: "attached";
  sessionId: string;
}

/** Host to agent: a session has ended; release its objects, scripts, bindings and paused requests. */
export interface Detached {
  icdp: "detached";
  sessionId: string;
}

/** Agent to Host, and agent to the agent around it. */
export type FromAgent =
  /** This document is going away (pagehide). */
  | { icdp: "bye" }
  /** The page itself has started a navigation; the next hello takes this loaderId. */
  | { icdp: "nav"; loaderId: string; url: string }
  /**
   * The navigation with this loader, or without one the pending navigation, does not happen (a download, a 204,
   * cancelled). `errorText` is the reason, if it is not net::ERR_ABORTED.
   */
  | { icdp: "navabort"; loaderId?: string; errorText?: string }
  /** Title or URL of the same document changed. */
  | { icdp: "info"; title: string; url: string }
  | Open
  | Subtree
  /** To the agent around it: something in its document, or below, has taken the focus. */
  | { icdp: "focus" }
  /** The hub is to serve a script, once, at BASE/eval/KEY.js. `key` is 32 hexadecimal digits. */
  | { icdp: "evalput"; key: string; source: string }
  | Download
  | PopupCall
  | OpenerCall
  /** To the agent around it: it shows a dialog, and is blocked until its next message. */
  | { icdp: "asks" }
  /** The page, which script has opened, closes itself. */
  | { icdp: "close" }
  | WorkerAttached
  /** A session with a worker has ended. The Host ends one by Detached. */
  | { icdp: "workerdetached"; sessionId: string };

/** Host to agent. */
export type ToAgent =
  | Attached
  | Detached
  /** The hub has accepted the script with this key, or refused it. */
  | { icdp: "evalok"; key: string; refused?: true }
  | PopupNews;
