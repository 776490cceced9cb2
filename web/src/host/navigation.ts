// Page.navigate, and the loader of the next document.
//
// A session gets all events of a document's request or none. The side that starts the navigation (the Host or the
// agent) sends Network.requestWillBeSent. The agent of the new document sends the rest, or `failed` does if there is
// no such document.

import type { Protocol } from "../cdp";
import type { Moved } from "../wire/core";
import { hexId, serverError } from "./channel";
import { documentFailed, documentRequest } from "../documentevents";
import { isBlank, mayShow, parseUrl, servedAt, splitFragment } from "./addresses";
import { isMade } from "./data";
import { isDataDocument } from "./datadocument";
import type { Session } from "./session";
import { SUCCESSOR_MS, type TargetView } from "./targetview";
import type { Reply } from "./text";
import { CREDENTIALS_IN_URL, NOT_ALLOWED, say } from "../wire/messages";

/**
 * How long a document may take to answer that it will navigate. A stuck document never answers; then the Host page
 * navigates the frame.
 */
export const STUCK_MS = 2_000;
/**
 * How long a Page.navigate waits for the new document. It is longer than the time-outs of Clients, so a Client gives
 * up first.
 */
const NAVIGATE_MS = 300_000;

interface Pending {
  loaderId: string;
  url: string;
  /** The docId of the document before the navigation. */
  from?: string;
  /** The frame has been navigated a second time: see overtakes. */
  again?: true;
  timer: ReturnType<typeof setTimeout>;
  reply(reply: Reply): void;
}

export class Navigation {
  /** The Page.navigate that has not been answered. */
  pending?: Pending;
  /** The navigation that the page itself has started. */
  private announced?: { loaderId: string; url: string };

  constructor(private readonly target: TargetView) {}

  /** Carries out Page.navigate for the main frame. */
  start(session: Session, params: Protocol.Page.NavigateRequest, reply: (r: Reply) => void): void {
    const t = this.target;
    const url = resolve(params.url, t.info.url, t.moved);
    if (!url) return reply({ error: serverError("Cannot navigate to invalid URL") });
    const refused = refusal(url, t);
    if (refused) return reply({ error: serverError(refused) });
    const credentials = takeCredentials(url);
    if (credentials && (!t.link || t.link.origin === "null" || Object.keys(t.moved).length === 0))
      return reply({ error: serverError(say(CREDENTIALS_IN_URL)) });
    if (t.link && sameDocument(url.href, t.info.url)) {
      return t.submit({
        session,
        method: "Page.navigate",
        params: { ...params, url: url.href },
        reply: (r) => {
          reply(r.error ? r : { result: { frameId: t.id } });
        },
      });
    }
    this.fail("net::ERR_ABORTED");
    this.announced = undefined;
    const loaderId = hexId(32);
    const timer = setTimeout(() => this.fail("net::ERR_TIMED_OUT"), NAVIGATE_MS);
    this.pending = { loaderId, url: url.href, timer, reply, from: t.link?.docId };
    this.begun(loaderId, url.href);
    this.go(session, { ...params, url: url.href, loaderId, ...(credentials && { credentials }) });
  }

  /**
   * Lets the agent assign location.href, so that the Referer is the page's own. Without an agent, or if it refuses,
   * the Host page sets the iframe's src. Both add an entry to the history that all frames of the Host page share.
   * A document of an opaque origin is navigated by the Host page, after its agent has answered: browsers send no
   * SameSite cookies with navigations that such a document starts itself.
   */
  private go(
    session: Session,
    params: Protocol.Page.NavigateRequest & { loaderId: string; credentials?: string },
  ): void {
    const t = this.target;
    const { link } = t;
    const { url } = params;
    const lead = (): void => t.owner.env.post({ do: "navigate", targetId: t.id, url });
    if (!link) t.expect(NAVIGATE_MS);
    if (!link || isBlank(url)) return lead();
    const led = isMade(url) || link.origin === "null";
    const wanted = (): boolean => this.pending?.loaderId === params.loaderId;
    const here = (): boolean => t.link === link && wanted();
    const stuck = setTimeout(() => here() && lead(), STUCK_MS);
    t.submit({
      session,
      method: "Page.navigate",
      params: { ...params, ...(led && { led }) },
      reply: (r) => {
        clearTimeout(stuck);
        // With `led` another document may be there after a reload, and the frame must be navigated all the same.
        if (led ? wanted() : r.error && here()) lead();
      },
    });
  }

  /** Leads a frame without an agent back to the app, for the Host page. */
  back(): void {
    const t = this.target;
    if (t.link) return;
    t.expect(SUCCESSOR_MS);
    t.owner.env.post({ do: "navigate", targetId: t.id, url: t.back });
  }

  /** The events of a navigation's start, as Chromium 156 sends them. */
  private begun(loaderId: string, url: string): void {
    const t = this.target;
    const frameId = t.id;
    t.emit("Page", "Page.frameStartedNavigating", { frameId, url, loaderId, navigationType: "differentDocument" });
    t.emit("Page", "Page.frameStartedLoading", { frameId });
    if (isBlank(url)) return; // no request is made
    const now = Date.now() / 1000;
    const at = { timestamp: now, wallTime: now };
    const { userAgent } = t.owner.identity.browser;
    t.emit("Network", "Network.requestWillBeSent", { ...documentRequest(frameId, loaderId, url, userAgent), ...at });
  }

  /**
   * The loader of the document that has just said hello. If neither the Host nor the old document has announced the
   * navigation, its first events are sent here, before those of the agent.
   */
  arrived(url: string, tell: boolean): string {
    const loaderId = this.pending?.loaderId ?? this.announced?.loaderId;
    this.announced = undefined;
    if (loaderId) return loaderId;
    const minted = hexId(32);
    if (tell) this.begun(minted, url);
    return minted;
  }

  /** Whether another page may navigate this Target to an address. */
  mayEnter(url: string): boolean {
    return isBlank(url) ? this.target.owner.identity.agent : mayShow(url, this.target.origins);
  }

  /**
   * Whether a hello is from a blank document of an earlier command, while Page.navigate leads to the app. Such a
   * document is not adopted, and the frame is navigated a second time: the document cancels a navigation when it
   * calls open() on itself (HTML, "document open steps").
   */
  overtakes(origin: string, docId?: string): boolean {
    const p = this.pending;
    if (!p || origin !== "null" || isMade(p.url)) return false;
    if (p.again || docId === p.from) return true; // the document before may say hello again
    p.again = true;
    this.target.owner.env.post({ do: "navigate", targetId: this.target.id, url: p.url });
    return true;
  }

  /** The new document is there: answers Page.navigate. */
  succeed(): void {
    const p = this.take();
    p?.reply({ result: { frameId: this.target.id, loaderId: p.loaderId } });
  }

  /** The new document is an error page. Its agent reports the rest. */
  refuse(errorText: string): void {
    const p = this.take();
    p?.reply({ result: { frameId: this.target.id, loaderId: p.loaderId, errorText } });
  }

  /** No new document came: answers Page.navigate with the net error. */
  fail(errorText: string): void {
    const p = this.take();
    if (!p) return;
    this.failed(p, errorText);
    p.reply({ result: { frameId: this.target.id, loaderId: p.loaderId, errorText } });
  }

  /**
   * No document with an agent has loaded after a navigation of the Host or of the page. A link may lead to a page
   * that cannot load in a frame.
   */
  lost(errorText: string): void {
    if (this.announced && !this.pending) this.failed(this.announced, errorText);
    this.announced = undefined;
    this.fail(errorText);
  }

  private failed({ loaderId, url }: { loaderId: string; url: string }, errorText: string): void {
    const t = this.target;
    if (!isBlank(url))
      t.emit("Network", "Network.loadingFailed", documentFailed(loaderId, Date.now() / 1000, errorText));
    t.emit("Page", "Page.frameStoppedLoading", { frameId: t.id });
  }

  private take(): Pending | undefined {
    const p = this.pending;
    this.pending = undefined;
    clearTimeout(p?.timer);
    return p;
  }

  /** The page has started a navigation. Its agent may also report the Host's own navigation. */
  announce(loaderId: string, url: string): void {
    const asked = this.pending;
    if (
      asked &&
      (asked.loaderId === loaderId || asked.url === url || (isDataDocument(asked.url) && isDataDocument(url)))
    )
      return;
    this.fail("net::ERR_ABORTED");
    this.announced = { loaderId, url };
  }

  /**
   * A navigation brings no document: a download, a 204, cancelled. Ignored if another navigation has replaced it.
   */
  retract(errorText = "net::ERR_ABORTED", loaderId?: string): void {
    const now = this.pending?.loaderId ?? this.announced?.loaderId;
    if (loaderId !== undefined && loaderId !== now) return;
    this.announced = undefined;
    this.fail(errorText);
  }
}

function resolve(url: unknown, base: string, moved: Moved): URL | undefined {
  if (typeof url !== "string") return undefined;
  const found = parseUrl(url, base) ?? parseUrl(url); // about:blank cannot be a base URL
  return found && follow(found, moved);
}

/**
 * Takes name and password out of an address: browsers block an address with them in a frame. Returns "name:password" in
 * base64, or "".
 */
function takeCredentials(url: URL): string {
  if (!url.username && !url.password) return "";
  const bytes = new TextEncoder().encode(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`);
  url.username = url.password = "";
  return btoa(String.fromCharCode(...bytes));
}

/** The URL at the origin where its own origin is served. */
export function follow(url: URL, moved: Moved): URL {
  const origin = servedAt(url.origin, moved);
  return origin ? new URL(url.href.slice(url.href.indexOf(url.host) + url.host.length), origin) : url;
}

/**
 * Why a Client may not navigate there; undefined if it may. Allowed are the Pairing's origins and documents that the
 * Host makes.
 */
function refusal(url: URL, t: TargetView): string | undefined {
  if (isMade(url.href)) {
    if (t.owner.identity.agent) return undefined;
    return `Navigation to ${url.protocol === "data:" ? "data: URLs" : "about:blank"} is not possible: this Host page names no agentUrl for a document of its making`;
  }
  return mayShow(url.href, t.origins) ? undefined : notAllowed(url.href, t.origins);
}

/** Says that a Target may not show an address, and what to do. */
export function notAllowed(address: string, origins: string[]): string {
  const origin = parseUrl(address)?.origin ?? "null";
  return say(NOT_ALLOWED, { origin: origin === "null" ? address : origin, origins: origins.join(", ") });
}

/** Whether a navigation keeps the document: the URLs differ in the fragment only (HTML, "navigate to a fragment"). */
function sameDocument(url: string, current: string): boolean {
  return url.includes("#") && splitFragment(url)[0] === splitFragment(current)[0];
}
