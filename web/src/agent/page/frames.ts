// The frames that this agent answers for: its own window and every child frame of the same origin below it. All
// domains use these functions.

import type { Protocol } from "../../cdp";
import type { Answer } from "../../wire/cdp";
import { CHILD_SILENT, say } from "../../wire/messages";
import { added } from "../base/added";
import { hexId } from "../base/originals";
import { parseUrl, splitFragment } from "../../host/addresses";
import { documentIn } from "../../realms";

export { splitFragment };

/** One frame of the Target. */
export interface Frame {
  /** The main frame's id is the targetId; a child keeps its id on its iframe element across navigations. */
  id: string;
  parent?: Frame;
  /** The id of the frame around a main frame whose Host is the agent of that frame. */
  parentId?: string;
  /** The iframe element in the parent, absent for the main frame. */
  owner?: Owner;
  /** The window; null if the document is of another origin. */
  readonly win: Win | null;
  /**
   * The frame's contentWindow, which script can see whatever its origin. If it changes, the element was removed and
   * inserted again.
   */
  proxy?: Window | null;
  /** Empty while a child has no document but the blank first one. */
  loaderId: string;
  /** The name or id that the element had when it was found. */
  name?: string;
  /** The requested URL of a document of another origin. */
  url?: string;
  /** The net error of that document. */
  failure?: string;
  /** The URL of a document that could not be loaded. */
  unreachable?: string;
  pending?: Pending;
  /** The agent that answers for a document of another origin. */
  agent?: Agent;
  /** The document of the agent has gone, and the next one has not come yet. */
  left?: boolean;
  /** A document of another origin has loaded, and its agent may say hello soon. */
  expected?: boolean;
  /** The document has no agent, and Clients have the event of that. */
  silent?: boolean;
}

/** An agent in a child frame. */
export interface Agent {
  /** Page.FrameTree of its frame. */
  tree: Protocol.Page.FrameTree;
  /**
   * How many load events the frame has fired. The first is that of the agent's document. The second is that of the
   * next document, which may come before the bye of this one.
   */
  loads: number;
  /** Sends a command. */
  call(method: string, params: object, sessionId: string): Promise<Answer>;
  /** Its document has gone: releases the agent. */
  gone(): void;
}

/** A navigation of a child frame that is under way. */
export interface Pending {
  loaderId: string;
  url: string;
  /** Answers the Client's Page.navigate. */
  done?(answer: Protocol.Page.NavigateResponse): void;
  /** The navigate event of this navigation is still to come, and must be ignored. */
  expected?: boolean;
}

export type Win = Window & typeof globalThis;
/** An element that holds a frame. */
export type Owner = HTMLIFrameElement | HTMLFrameElement;

const main: Frame = { id: hexId(32), win: window, loaderId: hexId(32) };
const frames = new Map<Element, Frame>(); // by owner, parents before children

/** The frame of the agent's own document. */
export function mainFrame(): Frame {
  return main;
}

/** The frame with this id, or undefined. */
export function frameOf(id: string): Frame | undefined {
  return allFrames().find((f) => f.id === id);
}

/** The frame a document belongs to, or undefined. */
export function frameOfDocument(doc: Document): Frame | undefined {
  if (doc === document) return main;
  const win = doc.defaultView;
  return win ? allFrames().find((f) => f.win === win) : undefined;
}

/** The frame whose owner is this iframe element, or undefined. */
export function frameOfOwner(owner: Element): Frame | undefined {
  return frames.get(owner);
}

/** Every frame, parents before children. */
export function allFrames(): Frame[] {
  return [main, ...frames.values()];
}

/** Adds the frame of an iframe element. */
export function addFrame(owner: Owner, parent: Frame): Frame {
  const frame: Frame = {
    id: hexId(32),
    parent,
    owner,
    proxy: owner.contentWindow,
    loaderId: "",
    // Read each time: the document may now be of another origin, whose window throws.
    get win() {
      return reach(owner);
    },
    name: owner.getAttribute("name") || owner.id,
  };
  frames.set(owner, frame);
  added.framesChanged?.();
  return frame;
}

/** Forgets a frame. */
export function removeFrame(frame: Frame): void {
  if (frame.owner) frames.delete(frame.owner);
  added.framesChanged?.();
}

declare module "../base/added" {
  interface Added {
    /** A frame or one of its contexts was added, removed or changed. */
    framesChanged(): void;
  }
}

/** The frames directly below this one. */
export function childrenOf(frame: Frame): Frame[] {
  return allFrames().filter((f) => f.parent === frame);
}

/** The window inside an iframe element, or null where its origin differs. */
export function reach(owner: Owner): Win | null {
  return documentIn(owner) ? (owner.contentWindow as Win) : null;
}

let knownAddress = "";

/** Sets the URL of this window's document for Clients, if its real URL is a data: URL with the agent. */
export function setAddress(url: string): void {
  [knownAddress] = splitFragment(url);
}

/** This window's address. */
export function address(): string {
  return knownAddress ? knownAddress + location.hash : location.href;
}

/** Whether Clients see another URL of this window's document than the browser has. */
export function isAddressSet(): boolean {
  return knownAddress !== "";
}

/** A frame's URL, as far as it is known, with its fragment. */
export function urlOf(frame: Frame): string {
  if (frame.unreachable) return "chrome-error://chromewebdata/";
  if (frame.win === window) return address();
  return frame.win ? frame.win.location.href : (frame.url ?? frame.owner?.src ?? "");
}

/** Why commands do not reach into a frame of another origin. */
export function unreachable(frame: Frame): string {
  return say(CHILD_SILENT, { url: urlOf(frame), origin: window.origin });
}

/** The origin as execution contexts name it: "://" for an opaque one. */
export function originOf(frame: Frame): string {
  const origin = frame.win ? (frame.win as Window).origin : (parseUrl(urlOf(frame))?.origin ?? "null");
  return origin === "null" ? "://" : origin;
}

/** Page.Frame. */
export function describeFrame(frame: Frame): Protocol.Page.Frame {
  const [url, fragment] = splitFragment(urlOf(frame));
  const secure = frame.win?.isSecureContext ?? false;
  const local = /^http:\/\/(localhost|127\.|\[::1\])/.test(url);
  const parentId = frame.parent?.id ?? frame.parentId;
  return {
    id: frame.id,
    ...(parentId && { parentId }),
    loaderId: frame.loaderId,
    ...(parentId && { name: frame.win?.name || frame.name || "" }),
    url,
    ...(frame.unreachable && { unreachableUrl: frame.unreachable }),
    ...(fragment && { urlFragment: fragment }),
    domainAndRegistry: "",
    securityOrigin: originOf(frame),
    mimeType: frame.win?.document.contentType ?? "text/html",
    adFrameStatus: { adFrameType: "none" },
    secureContextType: secure ? (local ? "SecureLocalhost" : "Secure") : "InsecureScheme",
    crossOriginIsolatedContextType: frame.win?.crossOriginIsolated ? "Isolated" : "NotIsolated",
    gatedAPIFeatures: [],
  };
}
