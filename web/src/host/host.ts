// The Host of a page. It pairs iframes, and connects their Frame Agents with Clients that come over the hub or from
// the page itself.

import { needsDocument } from "../browseronly";
import type { Protocol } from "../cdp";
import type { Answer, Json } from "../wire/cdp";
import { POPUP_NAME } from "../wire/frame";
import type { Ask, FromCore, Moved, RelayState, TargetState } from "../wire/core";
import { hexId, serverError } from "./channel";
import { isBlank, parseUrl } from "./addresses";
import type { AgentScript } from "./data";
import { Frame, darkens, laidOut } from "./frame";
import { type Send, startCore } from "./link";
import { LocalSession } from "./local";

/** What a Client asks for by Target.createTarget, or a frame by window.open. A Host page may ignore all but url. */
export interface CreateTargetParams {
  url: string;
  /** Position and size of the window, in CSS pixels. */
  left?: number;
  top?: number;
  width?: number;
  height?: number;
  newWindow?: boolean;
  background?: boolean;
}

/** The options of a Host. */
export interface HostOptions {
  /**
   * Makes a Pairing for a Client's Target.createTarget or for a frame's
   * window.open (then with openerId) and returns its targetId. Without this
   * hook, Target.createTarget fails.
   */
  createTarget?(params: CreateTargetParams, openerId?: string): string | Promise<string>;
  /** Removes a Pairing for a Client. The Host unpairs it afterwards if this has not. */
  closeTarget?(targetId: string): void | Promise<void>;
  /** Brings a frame to the front for a Client, before it is scrolled into view. */
  reveal?(targetId: string): void;
  /** Whether Clients may resize iframes. The default is true. */
  resizable?: boolean;
  /** Whether the sockets and ports are handled in a Worker. The default is true. */
  worker?: boolean;
  /**
   * The URL of the agent's script for documents that the Host makes, such as blank ones. The default is the agent.js
   * beside this script, if that is a classic script.
   */
  agentUrl?: string;
}

export interface PairOptions {
  /**
   * The id of the Target, which should stay the same over reloads and remounts. The default is random. Pairing an id
   * again with another iframe is a remount.
   */
  targetId?: string;
  /**
   * The origins of documents that may be in the frame, and to which it may be navigated, such as
   * "http://localhost:3000".
   */
  origins: string[];
  /**
   * Origins that are served at another origin, for example by a proxy: { "origin in the URLs of Clients": "origin
   * where it is served" }.
   */
  moved?: Moved;
  /** The title until the frame reports its own. */
  title?: string;
  /** The id of the Target whose window.open asked for this one. */
  openerId?: string;
}

/** The state of the hub connection. `reason` is for people. */
export interface HostState {
  relay: RelayState;
  reason: string;
}

// A server that renders the page imports this module, too. It has no document, and cannot make a Host.
const inBrowser = typeof document !== "undefined";
const besideScript = inBrowser ? agentBeside(document.currentScript) : "";

function agentBeside(script: HTMLOrSVGScriptElement | null): string {
  return script instanceof HTMLScriptElement && script.src ? new URL("agent.js", script.src).href : "";
}

export class Host {
  private readonly core: Send;
  private readonly frames = new Map<string, Frame>();
  private readonly sessions = new Map<string, LocalSession>();
  private list: TargetState[] = [];
  private state: HostState = { relay: "off", reason: "" };
  private relayHost = "";
  private readonly targetListeners = new Set<(targets: TargetState[]) => void>();
  private readonly stateListeners = new Set<(state: HostState) => void>();

  /** The call of createTarget whose Target has not been paired yet. */
  private creating?: Extract<Ask, { what: "create" }>;

  constructor(private readonly options: HostOptions = {}) {
    if (!inBrowser) throw needsDocument("cdphub/host", "new Host()");
    this.core = startCore((m) => this.receive(m), options.worker ?? true);
    const hooks: string[] = [];
    if (options.createTarget) hooks.push("Target.createTarget");
    if (options.closeTarget) hooks.push("Target.closeTarget");
    this.core({
      do: "start",
      identity: {
        hostId: hexId(32),
        browser: browser(navigator.userAgent),
        hooks,
        origin: location.origin,
        agent: this.agentUrl() !== "",
      },
    });
    addEventListener("message", (event) => this.heard(event));
    // A policy of the page that only reports, as the shell has one, says where frames go that leave the app.
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      const origin = effectiveDirective === "frame-src" && parseUrl(blockedURI)?.origin;
      if (origin && origin !== "null") this.core({ do: "left", origin });
    });
  }

  /** Offers an iframe as a Target, and returns its targetId. */
  pair(iframe: HTMLIFrameElement, options: PairOptions): string {
    const targetId = options.targetId ?? hexId(32);
    const { origins, moved } = options;
    this.frames.get(targetId)?.release();
    this.frames.set(targetId, new Frame(targetId, iframe, origins, (f) => this.loaded(f)));
    const asked = this.creating;
    this.creating = undefined;
    const openerId = options.openerId ?? asked?.openerId;
    const popup = asked?.openerId === openerId ? asked?.popup : undefined;
    if (popup && !popup.noopener) iframe.name = POPUP_NAME + popup.name;
    const target = {
      targetId,
      title: options.title ?? "",
      url: iframe.src || "about:blank",
      ...(openerId && { openerId }),
    };
    this.core({
      do: "pair",
      target,
      origins,
      ...(moved && { moved }),
      ...(popup && { opened: { openId: popup.openId, noopener: popup.noopener === true } }),
    });
    if (target.url === "about:blank" && !iframe.hasAttribute("srcdoc") && this.agentUrl())
      this.frames.get(targetId)?.navigate(target.url, this.agent(), true);
    return targetId;
  }

  /** Removes the Target and ends its sessions. */
  unpair(targetId: string): void {
    this.frames.get(targetId)?.release();
    if (this.frames.delete(targetId)) this.core({ do: "unpair", targetId });
  }

  targets(): TargetState[] {
    return this.list;
  }

  /** Calls f with the Targets now and whenever they change. Returns a function that stops this. */
  onTargets(f: (targets: TargetState[]) => void): () => void {
    this.targetListeners.add(f);
    f(this.list);
    return () => this.targetListeners.delete(f);
  }

  /**
   * Calls f with the state of the hub connection now and whenever it changes. Returns a function that stops this.
   */
  onState(f: (state: HostState) => void): () => void {
    this.stateListeners.add(f);
    f(this.state);
    return () => this.stateListeners.delete(f);
  }

  /** Begins a session of the Host page itself on a Target. */
  attach(targetId: string): LocalSession {
    const sessionId = `local-${hexId(32)}`;
    const session = new LocalSession(sessionId, targetId, this.core);
    this.sessions.set(sessionId, session);
    return session;
  }

  /**
   * Offers the Targets through the hub at url, such as "ws://127.0.0.1:9223/icdp/host", and connects again when the
   * connection is lost.
   * This Host replaces the one that the hub has, unless `standby` is set. A Host that was replaced, or is on standby,
   * has the state "replaced". It connects again by itself about 2 s after the other Host has left, or at once by
   * takeOver.
   * A hub with tokens needs the token of a Host. When the hub refuses it, the Host tries again with exponential
   * backoff: browsers do not tell a page whether a WebSocket was refused or the hub is down.
   */
  connectRelay(url: string, options: { token?: string; standby?: boolean } = {}): void {
    const { token, standby } = options;
    if (token && !/^[\w.~!#$%&'*+^`|-]+$/.test(token))
      throw new Error("A page can send no token with other characters than A-Z a-z 0-9 - _ . ~");
    const relay = new URL(url, location.href);
    this.relayHost = relay.host;
    this.core({
      do: "connect",
      url: relay.href,
      ...(token && { token }),
      ...(standby && { standby }),
    });
  }

  /** Replaces the other Host, if the state is "replaced". The other Host can do the same. */
  takeOver(): void {
    this.core({ do: "takeOver" });
  }

  /** Leads a frame that has left the app back to it. */
  back(targetId: string): void {
    this.core({ do: "back", targetId });
  }

  disconnectRelay(): void {
    this.core({ do: "disconnect" });
  }

  // ---------------------------------------------------------- the frames

  private heard(event: MessageEvent): void {
    if (!event.source) return;
    for (const frame of this.frames.values()) {
      if (frame.iframe.contentWindow !== event.source) continue;
      const hello = frame.hello(event);
      if (!hello && frame.stranger) this.core({ do: "stranger", targetId: frame.targetId, origin: frame.stranger });
      if (hello) this.core({ do: "hello", targetId: frame.targetId, hello, origin: event.origin });
      return;
    }
    for (const frame of this.frames.values()) if (frame.vouch(event)) return;
  }

  private loaded(frame: Frame): void {
    if (frame.disown(this.agent())) return;
    this.core({ do: "load", targetId: frame.targetId, ...(frame.awaited && { made: true }) });
  }

  /** Absolute, since a relative URL means nothing in a data: document. */
  private agentUrl(): string {
    return this.options.agentUrl ? new URL(this.options.agentUrl, location.href).href : besideScript;
  }

  private agent(): AgentScript {
    const agentUrl = this.agentUrl();
    return { agentUrl, ofHub: agentUrl !== "" && new URL(agentUrl).host === this.relayHost };
  }

  // ------------------------------------------------------------ the Core

  private receive(m: FromCore): void {
    switch (m.do) {
      case "probe":
        return this.frames.get(m.targetId)?.probe();
      case "welcome":
        return this.frames.get(m.targetId)?.welcome(m);
      case "navigate":
        return this.frames.get(m.targetId)?.navigate(m.url, this.agent());
      case "ask":
        return this.asked(m.call, m.ask);
      case "targets":
        this.warn(m.targets);
        this.list = m.targets;
        for (const f of [...this.targetListeners]) f(m.targets);
        return;
      case "relay":
        this.state = { relay: m.state, reason: m.reason };
        for (const f of [...this.stateListeners]) f(this.state);
        return;
      case "message":
        return this.sessions.get(m.sessionId)?.receive(m.message);
      case "ended":
        this.sessions.get(m.sessionId)?.end(m.reason);
        this.sessions.delete(m.sessionId);
    }
  }

  /** Says on the console why frames are not paired, once for each reason. */
  private warn(targets: TargetState[]): void {
    for (const { targetId, reason } of targets)
      if (reason && this.list.find((t) => t.targetId === targetId)?.reason !== reason)
        console.warn(`cdphub: a frame is not paired. ${reason}`);
  }

  private asked(call: number, ask: Ask): void {
    const answer = (r: Answer): void => this.core({ do: "answer", call, ...r });
    this.carryOut(ask).then(
      (result) => answer({ result }),
      (e: unknown) => answer({ error: serverError(e instanceof Error ? e.message : String(e)) }),
    );
  }

  private async carryOut(ask: Ask): Promise<Json> {
    if (ask.what === "create") return this.create(ask);
    if (ask.what === "close") return this.close(ask.targetId);
    if (ask.what === "window") return windowBounds() as Json;
    if (ask.what === "alive") return {};
    const frame = this.frames.get(ask.targetId);
    if (!frame) return {}; // it was unpaired meanwhile
    switch (ask.what) {
      case "resize":
        if (this.options.resizable === false) throw new Error("This Host page does not let its frames be resized");
        frame.resize(ask.width, ask.height);
        break;
      case "unsize":
        frame.unsize();
        break;
      case "scheme":
        frame.scheme(ask.scheme);
        if (ask.scheme !== "dark" || (await darkens())) break;
        frame.scheme("");
        throw new Error(
          "Emulation.setEmulatedMedia is not possible in an embedded frame: this browser gives no page a say in the colour scheme of its frames",
        );
      case "reveal":
        this.options.reveal?.(ask.targetId);
        frame.reveal();
        return {};
    }
    await laidOut();
    return {};
  }

  private async create(ask: Extract<Ask, { what: "create" }>): Promise<Json> {
    if (!this.options.createTarget) throw new Error("This Host page creates no Targets");
    const url = String(ask.params.url || "about:blank");
    if (!opens(url))
      throw new Error(`This Host page opens no frame for ${url}: it opens http and https addresses and about:blank`);
    this.creating = ask;
    try {
      return { targetId: await this.options.createTarget(ask.params, ask.openerId) };
    } finally {
      if (this.creating === ask) this.creating = undefined;
    }
  }

  private async close(targetId: string): Promise<Json> {
    if (!this.options.closeTarget) throw new Error("This Host page closes no Targets");
    if (!this.frames.has(targetId)) throw new Error("No target with given id found");
    await this.options.closeTarget(targetId);
    this.unpair(targetId);
    return {};
  }
}

/**
 * Whether createTarget gets a URL. The hook gives it to an iframe, where javascript: would run in this page's origin.
 */
function opens(url: string): boolean {
  return isBlank(url) || /^https?:$/.test(parseUrl(url)?.protocol ?? "");
}

/** Browser.Bounds of this window. */
function windowBounds(): Protocol.Browser.Bounds {
  const { screenX: left, screenY: top, outerWidth: width, outerHeight: height } = window;
  const windowState = document.fullscreenElement ? "fullscreen" : "normal";
  return { left, top, width, height, windowState };
}

/**
 * Product and user agent for Browser.getVersion. Clients derive the keyboard from the platform in the user agent.
 * They treat a headless browser differently, and a frame in a user's tab is not headless.
 */
export function browser(userAgent: string): { product: string; userAgent: string } {
  const plain = userAgent.replace("HeadlessChrome/", "Chrome/");
  const [, name, version] = /(Chrome|Firefox|Version)\/([\d.]+)/.exec(plain) ?? [];
  const product = name ? `${name === "Version" ? "Safari" : name}/${version}` : "cdphub/1.0";
  return { product, userAgent: plain };
}
