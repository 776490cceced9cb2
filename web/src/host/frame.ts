// One paired iframe, as the main thread handles it.

import type { FromCore } from "./channel";
import { type Hello, type Probe, type SessionState, VERSION } from "../protocol";
import { dataDocument } from "./data";

/** The styles that a viewport override replaces. */
const SIZES = ["box-sizing", "flex", "width", "height", "min-width", "min-height", "max-width", "max-height"];

export class Frame {
  /** What the iframe's style had before an override, by property. */
  private readonly kept = new Map<string, [value: string, priority: string]>();
  private readonly loaded: () => void;
  /** The frame shows a data: URL of the Host's own making, whose origin is opaque. */
  private made = false;

  constructor(
    readonly targetId: string,
    readonly iframe: HTMLIFrameElement,
    readonly origins: string[],
    onload: (frame: Frame) => void,
  ) {
    this.loaded = () => onload(this);
    iframe.addEventListener("load", this.loaded);
  }

  /** Lets go of the element, which gets its own size and scheme back. */
  release(): void {
    this.iframe.removeEventListener("load", this.loaded);
    for (const name of [...this.kept.keys()]) this.restore(name);
  }

  /** The hello in a window message of this frame, if its origin may speak for it. */
  hello(event: MessageEvent): Hello | undefined {
    const data = event.data;
    if (!data || data.icdp !== "hello" || data.v !== VERSION) return undefined;
    if (typeof data.title !== "string" || typeof data.url !== "string") return undefined;
    if (data.features !== undefined && !Array.isArray(data.features)) return undefined;
    const own = event.origin === "null" ? this.made : event.origin === location.origin && this.blank() !== undefined;
    return own || this.origins.includes(event.origin) ? data : undefined;
  }

  /** Asks the document for its hello. Nothing but the protocol's name is said, so any origin may hear it. */
  probe(): void {
    const probe: Probe = { icdp: "probe", v: VERSION };
    this.iframe.contentWindow?.postMessage(probe, "*");
  }

  /** Adopts the document, if it is still of the origin that said hello, which for a data: URL has no name. */
  welcome(m: Extract<FromCore, { do: "welcome" }>): void {
    this.iframe.contentWindow?.postMessage(m.welcome, m.origin === "null" ? "*" : m.origin, [m.port]);
  }

  /** Goes to an address; the document of a data: URL gets the agent with it. */
  navigate(url: string, agentUrl: string, state: SessionState[] = []): void {
    this.made = url.startsWith("data:");
    this.iframe.src = this.made ? dataDocument(url, agentUrl, state) : url;
  }

  /** A blank document belongs to the Host page, which puts the agent into it. */
  inject(agentUrl: string): void {
    const doc = this.blank();
    if (!doc || !agentUrl) return;
    const script = doc.createElement("script");
    script.src = agentUrl;
    script.dataset.parents = location.origin;
    doc.head.prepend(script);
  }

  private blank(): Document | undefined {
    const doc = this.iframe.contentDocument; // null where it is of another origin
    return doc && doc.URL.startsWith("about:") ? doc : undefined;
  }

  resize(width: number, height: number): void {
    const px: Record<string, string> = { "box-sizing": "content-box", flex: "none", width: `${width}px`, height: `${height}px` };
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

/**
 * Whether color-scheme makes a frame dark, which in WebKit it does not. Light
 * is never asked about: Playwright wants it of each page before anything else,
 * and would not connect without.
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

/** Resolves when the frames have been laid out anew: two animation frames, or 100 ms in a hidden tab. */
export function laidOut(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 100);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}
