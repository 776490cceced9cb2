// Windows that frames open: each is a Target, which knows its opener.

import type { Open, OpenerCall, PopupCall, PopupNews, WindowMessage } from "../wire/frame";
import type { Opened } from "../wire/core";
import { SUCCESSOR_MS, type PopupsView, type TargetView } from "./targetview";

/** The windows that one Target has opened, and its relation to its opener. */
export class Popups implements PopupsView {
  /** Windows that the application is making. */
  private readonly opening = new Map<string, Promise<void>>();

  constructor(
    private readonly target: TargetView,
    readonly opened?: Opened,
  ) {}

  /** The page has opened a window. */
  open(m: Open): void {
    const { url, openId = "", name = "", noopener } = m;
    const { owner, id } = this.target;
    const made = owner.ask({
      what: "create",
      params: { url: url || "about:blank" },
      openerId: id,
      popup: { openId, name, noopener },
    });
    this.opening.set(
      openId,
      made.then(
        () => void this.opening.delete(openId),
        (e: Error) => {
          this.opening.delete(openId);
          this.target.control({ icdp: "popup", openId, closed: true, error: e.message });
        },
      ),
    );
  }

  /** The page acts on a window that it has opened. */
  async call(m: PopupCall): Promise<void> {
    await this.opening.get(m.openId);
    const { owner, id } = this.target;
    const popup = [...owner.targets.values()].find(
      (t) => t.info.openerId === id && t.popups.opened?.openId === m.openId,
    );
    if (popup && !popup.popups.opened?.noopener) popup.popups.reached(m, this.withOrigin(m.message));
  }

  /** The opener acts on this window. */
  reached(m: PopupCall, message: WindowMessage | undefined): void {
    const { target } = this;
    const { owner, id: targetId } = target;
    if (m.close) owner.ask({ what: "close", targetId }).catch(() => {});
    if (m.focus) void owner.ask({ what: "reveal", targetId });
    if (message && this.mayHear(message)) target.control({ icdp: "popup", message });
    if (m.url === undefined || !target.navigation.mayEnter(m.url)) return;
    target.expect(SUCCESSOR_MS);
    owner.env.post({ do: "navigate", targetId, url: m.url });
  }

  /** The page acts on its opener. */
  callOpener(m: OpenerCall): void {
    if (this.opened?.noopener) return;
    this.tellOpener({ message: this.withOrigin(m.message) });
    const { owner, info } = this.target;
    if (m.focus && info.openerId) void owner.ask({ what: "reveal", targetId: info.openerId });
  }

  /** Tells the opener's page about this window. */
  tellOpener(news: Omit<PopupNews, "icdp" | "openId">): void {
    const opener = this.target.owner.targets.get(this.target.info.openerId ?? "");
    if (!opener || !this.opened) return;
    const { message, ...rest } = news;
    if (message && !opener.popups.mayHear(message)) return;
    opener.control({ icdp: "popup", openId: this.opened.openId, ...rest, ...(message && { message }) });
  }

  /** Whether the document here may get a message, by the message's targetOrigin. */
  mayHear({ targetOrigin }: WindowMessage): boolean {
    return targetOrigin === "*" || targetOrigin === this.target.link?.origin;
  }

  /**
   * Sets the sender's origin, which a page cannot choose. It can only say "null", for a frame of another origin
   * inside it.
   */
  private withOrigin(message: WindowMessage | undefined): WindowMessage | undefined {
    const origin = message?.origin === "null" ? "null" : this.target.link?.origin;
    return message && origin !== undefined
      ? { data: message.data, targetOrigin: String(message.targetOrigin), origin }
      : undefined;
  }
}
