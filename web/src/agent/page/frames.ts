// The frames this agent answers for: its own window and every same-origin
// child below it. Signatures shared by the domains.

import type { Protocol } from "../../cdp";
import { CHILD_SILENT, say } from "../../wire/messages";
import { hexId } from "../base/originals";
import { documentIn } from "../../realms";

/** One frame of the Target. */
export interface Frame {
  /** The main frame's id is the targetId; a child keeps its id on its iframe element across navigations. */
  id: string;
  parent?: Frame;
  /** The id of the frame around a main frame whose Host is the agent of that frame. */
  parentId?: string;
  /** The iframe element in the parent, absent for the main frame. */
  owner?: Owner;
  /** The window, or null where the frame is cross-origin and so out of reach. */
  readonly win: Win | null;
  /**
   * What script may see of the window whatever its origin: another one means that the element was
   * taken out and put back.
   */
  proxy?: Window | null;
  /** Empty while a child has no document but the blank first one. */
  loaderId: string;
  /** The name or id that the element had when it was found. */
  name?: string;
  /** Where a document out of reach was asked from. */
  url?: string;
  /** The net error of that one. */
  failure?: string;
  /** The address of a document that did not come. */
  unreachable?: string;
  pending?: Pending;
  /** The agent that answers for a document of another origin. */
  agent?: Agent;
  /** The document of such an agent has gone, and another has yet to come. */
  left?: boolean;
  /** A document out of reach has loaded, and may have an agent that is about to say so. */
  expected?: boolean;
  /** It has none: clients have been told that they cannot see into the frame. */
  silent?: boolean;
}

/** An agent in a child frame. */
export interface Agent {
  /** Page.FrameTree of its frame. */
  tree: Protocol.Page.FrameTree;
  /**
   * The frame has loaded: first its document, then the one after it, whose load may come before the
   * bye of this one.
   */
  loads: number;
  /** Lets go of it, since its document is gone. */
  gone(): void;
}

/** A navigation of a child frame that is under way. */
export interface Pending {
  loaderId: string;
  url: string;
  /** The client that asked for it hears how it ended. */
  done?(answer: Protocol.Page.NavigateResponse): void;
  /** Its navigate event is yet to come and tells nothing new. */
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
    // Read anew each time: another origin may have come since, and a window out of reach throws.
    get win() {
      return reach(owner);
    },
    name: owner.getAttribute("name") || owner.id,
  };
  frames.set(owner, frame);
  onTouch();
  return frame;
}

/** Forgets a frame. */
export function removeFrame(frame: Frame): void {
  if (frame.owner) frames.delete(frame.owner);
  onTouch();
}

let listener: () => void = () => {};

/** Notes that a frame or a context has come, gone or changed; with f, calls f whenever that happens. */
export function onTouch(f?: () => void): void {
  if (f) listener = f;
  else listener();
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

/** The address of this window's document as clients know it, where its own has the agent in it. */
export function setAddress(url: string): void {
  [knownAddress] = splitFragment(url);
}

/** This window's address. */
export function address(): string {
  return knownAddress ? knownAddress + location.hash : location.href;
}

/** Whether clients know this window's document by another address than the browser. */
export function isAddressSet(): boolean {
  return knownAddress !== "";
}

/** A frame's address as far as it is known, with its fragment. */
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
  const origin = frame.win ? (frame.win as Window).origin : safeOrigin(urlOf(frame));
  return origin === "null" ? "://" : origin;
}

function safeOrigin(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "null";
  }
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

/** A URL and its fragment, which begins with "#" or is empty. */
export function splitFragment(url: string): [plain: string, fragment: string] {
  const i = url.indexOf("#");
  return i < 0 ? [url, ""] : [url.slice(0, i), url.slice(i)];
}
