// One paired iframe, as the main thread handles it.

import { isBlank, isOf, mayShow } from "./addresses";
import { hexId } from "./channel";
import { type Ask, type Hello, type Probe, VERSION, type Vouch } from "../wire/frame";
import type { FromCore } from "../wire/core";
import { type AgentScript, isMade, madeDocument } from "./data";
import { Launch } from "./launch";

/** The styles that a viewport override replaces. */
const SIZES = ["box-sizing", "flex", "width", "height", "min-width", "min-height", "max-width", "max-height"];

/** The documents that the Host has made in an iframe, by key. History may lead back to any of them. */
const keys = new WeakMap<HTMLIFrameElement, Map<string, Made>>();

interface Made {
  /** The docId of the first hello with this key. */
  docId?: string;
  /** The secret by which agents in child frames recognise this document: they cannot do so by its origin. */
  proof: string;
}

/** The Launch behind the src of an iframe, for when the iframe is loaded again. */
const launches = new WeakMap<HTMLIFrameElement, Launch>();

export class Frame {
  /** What the iframe's style had before an override, by property. */
  private readonly kept = new Map<string, [value: string, priority: string]>();
  private readonly loaded: () => void;
  /** The Launch of the last document that the Host made. */
  private launch?: Launch;
  /**
   * The port to the document of an opaque origin that has said hello last. A message to its window could arrive in a
   * later document.
   */
  private reply?: MessagePort;
  /**
   * Whether a document that the Host is making has yet to say hello. Its hello has its key, or none from a simpler
   * agent.
   */
  awaited = false;
  /** Whether the Host made the document that said hello last. */
  private made = false;
  /** The proof of that document; "" if another document may have used its key. */
  private proof = "";
  /** Whether the frame has shown a document that is not of the Host page's origin. */
  private entered = false;
  /** The origin of the last hello, if that origin is not allowed; otherwise "". */
  stranger = "";

  constructor(
    readonly targetId: string,
    readonly iframe: HTMLIFrameElement,
    readonly origins: string[],
    onload: (frame: Frame) => void,
  ) {
    this.launch = launches.get(iframe);
    this.loaded = () => {
      if (!this.launch?.loaded()) onload(this);
    };
    iframe.addEventListener("load", this.loaded);
    queueMicrotask(layOut); // when the application has put the iframe into its document
  }

  /** Releases the element, and restores its size and colour scheme. */
  release(): void {
    this.iframe.removeEventListener("load", this.loaded);
    this.launch?.end();
    for (const name of [...this.kept.keys()]) this.restore(name);
  }

  /** The hello in a window message of this frame, if its origin is allowed. */
  hello(event: MessageEvent): Hello | undefined {
    const data = event.data;
    if (this.launch?.heard(event)) return undefined;
    if (data?.icdp !== "hello" || data.v !== VERSION) return undefined;
    if (typeof data.title !== "string" || typeof data.url !== "string") return undefined;
    if (data.features !== undefined && !Array.isArray(data.features)) return undefined;
    const own =
      event.origin === "null" &&
      (data.key === undefined ? this.awaited : keys.get(this.iframe)?.has(String(data.key)) === true);
    this.stranger = own || this.origins.includes(event.origin) ? "" : event.origin;
    if (own ? !isMade(data.url) : this.stranger || !isOf(data.url, event.origin, this.origins)) return undefined;
    this.reply = event.ports[0];
    this.awaited = false;
    this.made = own;
    this.proof = own ? this.proofFor(data) : "";
    this.entered = true;
    return data;
  }

  /**
   * The proof for the agent in a document that the Host has made. A script of the page may find the key in its URL,
   * but gets no proof: the agent is the first that uses the key.
   */
  private proofFor({ key = "", docId }: Hello): string {
    const made = keys.get(this.iframe)?.get(key);
    if (!made || docId === undefined) return "";
    made.docId ??= docId;
    return made.docId === docId ? made.proof : "";
  }

  /** Asks the document for its hello. The message has no secrets, so any origin may get it. */
  probe(): void {
    const probe: Probe = { icdp: "probe", v: VERSION };
    this.iframe.contentWindow?.postMessage(probe, "*");
  }

  /** Adopts the document, if it is still the one that said hello. */
  welcome(m: Extract<FromCore, { do: "welcome" }>): void {
    const proof = this.proof && { key: this.proof, origins: this.origins.filter((o) => o !== "null") };
    if (m.origin === "null" && this.reply) this.reply.postMessage({ ...m.welcome, ...(proof && { proof }) }, [m.port]);
    else this.iframe.contentWindow?.postMessage(m.welcome, m.origin === "null" ? "*" : m.origin, [m.port]);
  }

  /**
   * Answers the ask of an agent below the document that the Host has made: sends the proof that this document can
   * show. Returns whether the message was for this frame.
   */
  vouch({ data, origin, source }: MessageEvent): boolean {
    const { contentWindow } = this.iframe;
    if ((data as Partial<Ask> | null)?.icdp !== "ask" || !contentWindow || !isInside(source as Window, contentWindow))
      return false;
    const vouch: Vouch = { icdp: "vouch", v: VERSION, key: this.proof };
    if (this.proof && origin !== "null" && this.origins.includes(origin)) (source as Window).postMessage(vouch, origin);
    return true;
  }

  /**
   * Navigates the frame. Every navigation by the Host page goes through here, and none leads to a document of the
   * page's own origin.
   */
  navigate(url: string, agent: AgentScript, first = false): void {
    this.launch?.end();
    if (isMade(url) && agent.agentUrl) {
      this.launch = new Launch(this.iframe, this.make(url, agent), first);
      launches.set(this.iframe, this.launch);
    } else if (mayShow(url, this.origins)) {
      this.launch = undefined; // otherwise a late message of the Launch would navigate the frame away from here
      launches.delete(this.iframe);
      this.leave(url);
    } else throw new Error(`A frame of ${this.origins.join(", ")} is not led to ${url}`);
  }

  /** Leaves for a URL of the app. From a document that the Host has made no Referer is sent, as from a blank tab. */
  private leave(url: string): void {
    this.awaited = false;
    const { referrerPolicy } = this.iframe;
    if (this.made) this.iframe.referrerPolicy = "no-referrer";
    this.iframe.src = url;
    this.iframe.referrerPolicy = referrerPolicy;
  }

  private make(url: string, agent: AgentScript): string {
    const key = hexId(32);
    const known = keys.get(this.iframe) ?? new Map<string, Made>();
    keys.set(this.iframe, known.set(key, { proof: hexId(32) }));
    this.awaited = true;
    return madeDocument(url, agent, key);
  }

  /**
   * Called after a load. Firefox comes back to a blank document of the Host page's own origin by reload and history.
   * Such a document is replaced by one with an opaque origin. The first blank document of an iframe is left alone:
   * the page that the iframe was sent to replaces it.
   */
  disown(agent: AgentScript): boolean {
    const doc = this.iframe.contentDocument; // null if it is of another origin
    this.entered ||= doc === null;
    if (!doc || !this.entered || !agent.agentUrl || !isBlank(doc.URL)) return false;
    this.iframe.contentWindow?.location.replace(this.make("about:blank", agent));
    return true;
  }

  resize(width: number, height: number): void {
    const px: Record<string, string> = {
      "box-sizing": "content-box",
      flex: "none",
      width: `${width}px`,
      height: `${height}px`,
    };
    for (const name of SIZES) this.override(name, px[name] ?? (name.startsWith("min") ? "0" : "none"));
  }

  unsize(): void {
    for (const name of SIZES) this.restore(name);
  }

  /** In Chromium an iframe's own color-scheme decides prefers-color-scheme inside it. */
  scheme(scheme: string): void {
    if (scheme) this.override("color-scheme", scheme);
    else this.restore("color-scheme");
  }

  reveal(): void {
    this.iframe.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private override(name: string, value: string): void {
    const { style } = this.iframe;
    if (!this.kept.has(name)) {
      this.kept.set(name, [style.getPropertyValue(name), style.getPropertyPriority(name)]);
    }
    style.setProperty(name, value, "important");
  }

  private restore(name: string): void {
    const kept = this.kept.get(name);
    if (!kept) return;
    this.kept.delete(name);
    this.iframe.style.setProperty(name, ...kept);
  }
}

/** Whether a window is in a frame of another, at any depth. */
function isInside(win: Window, outer: Window): boolean {
  for (let w = win; w !== w.parent; w = w.parent) if (w.parent === outer) return true;
  return false;
}

/**
 * Whether color-scheme on an iframe makes its document dark. In WebKit it does not. Light is never tested:
 * Playwright sets it on each page first, and could not connect if that failed.
 */
export async function darkens(): Promise<boolean> {
  const probe = document.createElement("iframe");
  probe.style.cssText = "position:fixed;visibility:hidden;color-scheme:dark";
  document.documentElement.append(probe);
  await laidOut();
  const { matches } = probe.contentWindow!.matchMedia("(prefers-color-scheme: dark)");
  probe.remove();
  return matches;
}

/** Gives the frames their sizes. Nothing else does so in a hidden tab, where a new frame would be 0 × 0. */
function layOut(): void {
  document.documentElement.getBoundingClientRect();
}

/** Resolves when the frames have been laid out again: after two animation frames, or 100 ms in a hidden tab. */
export function laidOut(): Promise<void> {
  layOut();
  return new Promise((resolve) => {
    setTimeout(resolve, 100);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}
