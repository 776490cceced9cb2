// Shows a document that the Host makes in an iframe, if possible in a process of its own: an endless loop in it then
// stops neither the Host page nor the app. A data: document runs in the process of the document that navigates to it,
// and Chromium runs sandboxed frames in another process than their page. So the iframe first loads a sandboxed
// document, which navigates to the document. By then the iframe is no longer sandboxed, since the blank document
// needs a child frame of its own origin.

import { hexId } from "./channel";

/**
 * How long after its load the sandboxed document may take to run its script. A policy of the Host page may forbid the
 * script.
 */
const BLOCKED_MS = 1_000;

/** Chromium alone runs sandboxed frames in a process of their own (since 120). */
const separates = (): boolean => /Chrome\//.test(navigator.userAgent);

export class Launch {
  private readonly key = hexId(32);
  private sandboxed = false;
  /** The sandbox that the iframe has without this. */
  private readonly own: string | null;
  private awaitsLoad = true;
  private timer?: ReturnType<typeof setTimeout>;

  /**
   * Navigates the iframe to a data: URL. It does so directly in browsers without separate processes, if the
   * application has given the iframe a sandbox without allow-same-origin, and if it is not the first document of a
   * Target: then another navigation could overtake it.
   */
  constructor(
    private readonly iframe: HTMLIFrameElement,
    private readonly url: string,
    first: boolean,
  ) {
    this.own = iframe.getAttribute("sandbox");
    const opaque = this.own !== null && !/allow-same-origin/i.test(this.own);
    if (!first || !separates() || opaque) {
      this.awaitsLoad = false;
      iframe.src = url;
      return;
    }
    this.sandboxed = true;
    iframe.setAttribute("sandbox", "allow-scripts");
    const script =
      "const c=new MessageChannel();c.port1.onmessage=(e)=>location.replace(e.data);" +
      `parent.postMessage({icdp:"launch",key:"${this.key}"},"*",[c.port2])`;
    iframe.src = `data:text/html,${encodeURIComponent(`<script>${script}</script>`)}`;
  }

  /** Called when the iframe has loaded a document. Returns whether that was the sandboxed one. */
  loaded(): boolean {
    if (!this.awaitsLoad) return false;
    this.awaitsLoad = false;
    if (this.sandboxed) this.timer = setTimeout(() => this.go(), BLOCKED_MS);
    return true;
  }

  /**
   * Handles a window message of the iframe. Returns whether it came from the sandboxed document. Only that document
   * gets the URL.
   */
  heard(event: MessageEvent): boolean {
    if (event.data?.icdp !== "launch" || event.data.key !== this.key) return false;
    if (this.sandboxed) this.go(event.ports[0]);
    else event.ports[0]?.postMessage(this.url); // the iframe was moved in its page, so that it has loaded its src again
    return true;
  }

  /** Ends the launch: another navigation begins, or the iframe is no Target any more. */
  end(): void {
    clearTimeout(this.timer);
    this.awaitsLoad = false;
    if (!this.sandboxed) return;
    this.sandboxed = false;
    if (this.own === null) this.iframe.removeAttribute("sandbox");
    else this.iframe.setAttribute("sandbox", this.own);
  }

  private go(by?: MessagePort): void {
    const loading = this.awaitsLoad;
    this.end();
    this.awaitsLoad = loading && by !== undefined;
    if (by) by.postMessage(this.url);
    else this.iframe.src = this.url;
  }
}
