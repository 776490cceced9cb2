// Viewport and colour scheme of a Target. The Host page carries them out, and
// restores the iframe when the last session that set them ends.

import type { Ask } from "../wire/core";
import type { Protocol } from "../cdp";
import { serverError } from "./channel";
import { done, type Session } from "./session";
import type { TargetView } from "./targetview";
import type { Reply } from "./text";

interface Size {
  width: number;
  height: number;
}

export class EmulationStack {
  // In the order in which they were set. The last one is applied.
  private readonly sizes = new Map<Session, Size>();
  private readonly schemes = new Map<Session, string>();

  constructor(private readonly target: TargetView) {}

  /** Emulation.setDeviceMetricsOverride: width and height, 0 meaning none. */
  async setSize(session: Session, params: Protocol.Emulation.SetDeviceMetricsOverrideRequest): Promise<Reply> {
    const { width, height } = params;
    if (!isSize(width) || !isSize(height)) {
      return {
        error: { code: -32602, message: "Width and height values must be positive, not greater than 10000000" },
      };
    }
    if (width === 0 || height === 0) return this.clearSize(session);
    this.sizes.delete(session);
    this.sizes.set(session, { width, height });
    return this.applySize();
  }

  /** Emulation.clearDeviceMetricsOverride. */
  async clearSize(session: Session): Promise<Reply> {
    return this.sizes.delete(session) ? this.applySize() : { result: {} };
  }

  /** Emulation.setEmulatedMedia, for the feature prefers-color-scheme only. */
  async setMedia(session: Session, params: Protocol.Emulation.SetEmulatedMediaRequest): Promise<Reply> {
    const features: Protocol.Emulation.MediaFeature[] = Array.isArray(params.features) ? params.features : [];
    if (params.media === "print") return impossible("print media");
    const other = features.find((f) => f.name !== "prefers-color-scheme" && !neutral(f.value));
    if (other) return impossible(`the media feature ${other.name}`);
    const scheme = features.find((f) => f.name === "prefers-color-scheme")?.value;
    const had = this.schemes.delete(session);
    if (scheme === "light" || scheme === "dark") this.schemes.set(session, scheme);
    else if (!had) return { result: {} };
    return this.applyScheme();
  }

  /** The session has ended. */
  release(session: Session): void {
    if (this.sizes.delete(session)) void this.applySize();
    if (this.schemes.delete(session)) void this.applyScheme();
  }

  private applySize(): Promise<Reply> {
    const size = [...this.sizes.values()].pop();
    const targetId = this.target.id;
    return this.ask(size ? { what: "resize", targetId, ...size } : { what: "unsize", targetId });
  }

  private applyScheme(): Promise<Reply> {
    return this.ask({ what: "scheme", targetId: this.target.id, scheme: [...this.schemes.values()].pop() ?? "" });
  }

  private ask(ask: Ask): Promise<Reply> {
    return done(this.target.owner.ask(ask));
  }
}

function isSize(n: unknown): n is number {
  return typeof n === "number" && Number.isInteger(n) && n >= 0 && n <= 10_000_000;
}

/** A value that changes nothing. Playwright sends such values for features that it does not emulate. */
function neutral(value: unknown): boolean {
  return !value || value === "no-override" || value === "no-preference" || value === "none";
}

function impossible(what: string): Reply {
  const text = `Emulation.setEmulatedMedia is not possible in an embedded frame: ${what} needs the browser process`;
  return { error: serverError(text) };
}
