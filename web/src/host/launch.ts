// Shows a document of the Host's making in an iframe, in a process of its own
// where the browser can: a loop without end in it then stops neither the Host
// page nor the app. A data: document runs in the process of the document that
// has led to it, and Chromium runs sandboxed frames in another one than their
// page. So a sandboxed document leads to it. By then the iframe is no longer
// sandboxed: the blank document needs a frame of its own origin.

import { hexId } from "./channel";

/** How long a document that has loaded may take to run its script, which a policy of the Host page may forbid. */
const BLOCKED_MS = 1_000;

/** Chromium alone runs sandboxed frames in a process of their own (since 120). */
const separates = (): boolean => /Chrome\//.test(navigator.userAgent);

export class Launch {
  private readonly key = hexId(32);
  private sandboxed = false;
  private awaitsLoad = true;
  private timer?: ReturnType<typeof setTimeout>;

  /**
   * Leads the iframe to a data: URL: at once where it would gain nothing, where the application has sandboxed it, and
   * if it is not the first document of a Target: another navigation could overtake it on its way.
   */
  constructor(
    private readonly iframe: HTMLIFrameElement,
    private readonly url: string,
    first: boolean,
  ) {
    if (!first || !separates() || iframe.hasAttribute("sandbox")) {
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

  /** The iframe has loaded a document: whether it was the one that leads on. */
  loaded(): boolean {
    if (!this.awaitsLoad) return false;
    this.awaitsLoad = false;
    if (this.sandboxed) this.timer = setTimeout(() => this.go(), BLOCKED_MS);
    return true;
  }

  /** Whether a message of the iframe's window was that of the document that leads on. Only that one gets the address. */
  heard(event: MessageEvent): boolean {
    if (event.data?.icdp !== "launch" || event.data.key !== this.key) return false;
    if (this.sandboxed) this.go(event.ports[0]);
    else event.ports[0]?.postMessage(this.url); // the iframe has been moved in its page, which loads its src again
    return true;
  }

  /** Something else is to come, or the iframe is no Target any more. */
  end(): void {
    clearTimeout(this.timer);
    this.awaitsLoad = false;
    if (this.sandboxed) this.iframe.removeAttribute("sandbox");
    this.sandboxed = false;
  }

  private go(by?: MessagePort): void {
    const loading = this.awaitsLoad;
    this.end();
    this.awaitsLoad = loading && by !== undefined;
    if (by) by.postMessage(this.url);
    else this.iframe.src = this.url;
  }
}
