// Page.navigate, and which loader the next document belongs to.
//
// The sessions are told the whole story of each request for a document or
// none of it: whoever starts it sends Network.requestWillBeSent, and either
// the agent of the new document finishes it or `fail` does.

import type { Protocol } from "../cdp";
import type { SessionState } from "../wire/frame";
import type { Moved } from "../wire/core";
import { hexId, serverError } from "./channel";
import { isBlank, mayShow } from "./addresses";
import { isDataDocument, isMade } from "./data";
import type { Reply, Session } from "./session";
import type { TargetView } from "./targetview";

/** How long a Page.navigate waits for the new document. */
export const NAVIGATE_MS = 20_000;

interface Pending {
  loaderId: string;
  url: string;
  timer: ReturnType<typeof setTimeout>;
  reply(reply: Reply): void;
}

export class Navigation {
  /** The Page.navigate under way. */
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
    this.pending = { loaderId, url: url.href, timer, reply };
    this.begun(loaderId, url.href);
    this.go(session, { ...params, url: url.href, loaderId });
  }

  /**
   * Lets the agent assign location.href, which keeps the referrer the page's
   * own; where there is none, or it refuses, the iframe's src is set. Either
   * adds an entry to the history that all frames of the Host page share. A
   * document of an opaque origin is led by the Host page, once its agent is
   * ready: browsers withhold SameSite cookies from what it asks for itself.
   */
  private go(session: Session, params: Protocol.Page.NavigateRequest & { loaderId: string }): void {
    const t = this.target;
    const { link } = t;
    const { url } = params;
    const lead = (state?: SessionState[]): void =>
      t.owner.env.post({ do: "navigate", targetId: t.id, url, ...(state && { state }) });
    if (!link) t.expect(NAVIGATE_MS);
    if (isMade(url)) return lead(isDataDocument(url) ? t.state() : undefined);
    if (!link) return lead();
    const led = link.origin === "null";
    t.submit({
      session,
      method: "Page.navigate",
      params: { ...params, ...(led && { led }) },
      reply: (r) => {
        if ((r.error || led) && t.link === link && this.pending?.loaderId === params.loaderId) lead();
      },
    });
  }

  /** The events of a navigation's start, as Chromium 156 sends them. */
  private begun(loaderId: string, url: string): void {
    const t = this.target;
    const frameId = t.id;
    t.emit("Page", "Page.frameStartedNavigating", { frameId, url, loaderId, navigationType: "differentDocument" });
    t.emit("Page", "Page.frameStartedLoading", { frameId });
    if (isBlank(url)) return; // nothing is asked for
    const [plain, fragment] = split(url);
    const now = Date.now() / 1000;
    t.emit("Network", "Network.requestWillBeSent", {
      requestId: loaderId,
      loaderId,
      documentURL: plain,
      request: {
        url: plain,
        ...(fragment && { urlFragment: fragment }),
        method: "GET",
        headers: { "Upgrade-Insecure-Requests": "1", "User-Agent": t.owner.identity.browser.userAgent },
        mixedContentType: "none",
        initialPriority: "VeryHigh",
        referrerPolicy: "strict-origin-when-cross-origin",
        isSameSite: true,
      },
      timestamp: now,
      wallTime: now,
      initiator: { type: "other" },
      redirectHasExtraInfo: false,
      type: "Document",
      frameId,
      hasUserGesture: false,
    });
  }

  /**
   * The loader of the document that has just said hello. One that nobody
   * announced gets its first events here, before those of its agent.
   */
  arrived(url: string, tell: boolean): string {
    const loaderId = this.pending?.loaderId ?? this.announced?.loaderId;
    this.announced = undefined;
    if (loaderId) return loaderId;
    const minted = hexId(32);
    if (tell) this.begun(minted, url);
    return minted;
  }

  /** Whether the page may be led to this address by another. */
  mayEnter(url: string): boolean {
    return isBlank(url) ? this.target.owner.identity.agent : mayShow(url, this.target.origins);
  }

  /** The new document is there: answers Page.navigate. */
  succeed(): void {
    const p = this.take();
    p?.reply({ result: { frameId: this.target.id, loaderId: p.loaderId } });
  }

  /** There is a page about why what was asked for has not come, which tells the rest. */
  refuse(errorText: string): void {
    const p = this.take();
    p?.reply({ result: { frameId: this.target.id, loaderId: p.loaderId, errorText } });
  }

  /** No new document came: answers Page.navigate with the net error. */
  fail(errorText: string): void {
    const p = this.take();
    if (!p) return;
    const t = this.target;
    if (!isBlank(p.url)) {
      t.emit("Network", "Network.loadingFailed", {
        requestId: p.loaderId,
        timestamp: Date.now() / 1000,
        type: "Document",
        errorText,
        canceled: errorText === "net::ERR_ABORTED",
      });
    }
    t.emit("Page", "Page.frameStoppedLoading", { frameId: t.id });
    p.reply({ result: { frameId: t.id, loaderId: p.loaderId, errorText } });
  }

  private take(): Pending | undefined {
    const p = this.pending;
    this.pending = undefined;
    clearTimeout(p?.timer);
    return p;
  }

  /** The page has started a navigation. Its agent may thus report ours, too. */
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

  /** The navigation under way brings no document: a download, a 204, cancelled. */
  retract(errorText = "net::ERR_ABORTED"): void {
    this.announced = undefined;
    this.fail(errorText);
  }
}

function resolve(url: unknown, base: string, moved: Moved): URL | undefined {
  if (typeof url !== "string") return undefined;
  for (const against of [base, undefined]) {
    try {
      return follow(new URL(url, against), moved);
    } catch {
      // A blank document is no base.
    }
  }
  return undefined;
}

/** Where an address is found now. */
export function follow(url: URL, moved: Moved): URL {
  const origin = moved[url.origin];
  return origin ? new URL(url.href.slice(url.href.indexOf(url.host) + url.host.length), origin) : url;
}

/**
 * Why a client may not go there: the Pairing's origins may be entered, and no other, and documents
 * that the Host makes.
 */
function refusal(url: URL, t: TargetView): string | undefined {
  if (isMade(url.href)) {
    if (t.owner.identity.agent) return undefined;
    return `Navigation to ${url.protocol === "data:" ? "data: URLs" : "about:blank"} is not possible: this Host page names no agentUrl for a document of its making`;
  }
  const origin = url.origin === "null" ? url.href : url.origin;
  return mayShow(url.href, t.origins) ? undefined : `Navigation to ${origin} is not allowed for this Target`;
}

/** A URL that differs in nothing but the fragment it has keeps the document. */
function sameDocument(url: string, current: string): boolean {
  return url.includes("#") && split(url)[0] === split(current)[0];
}

function split(url: string): [plain: string, fragment: string] {
  const i = url.indexOf("#");
  return i < 0 ? [url, ""] : [url.slice(0, i), url.slice(i)];
}
