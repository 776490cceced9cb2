// Why no Frame Agent answers for a Target.

import type { CdpError } from "../wire/cdp";
import type { Moved } from "../wire/core";
import { FRAME_LEFT, FRAME_ORIGIN, FRAME_SILENT, FRAME_UNPROXIED, WAY_BACK, say } from "../wire/messages";
import { servedAt } from "./addresses";
import { serverError } from "./channel";

const NOT_PAIRED = "Target is not connected: the Frame Agent has not paired yet.";
const NO_AGENT = "Target is not connected: no Frame Agent in the current document.";

export class AgentAbsence {
  /** The origin of the last hello that was refused because its origin is not allowed. */
  private strange = "";
  /** Whether no agent has answered in time. */
  private late = false;
  /** The last origin outside of the allowed ones that a frame of the page was navigated to; "" if unknown. */
  left = "";

  /** A document with an agent has come. */
  clear(): void {
    this.left = "";
    this.renew();
  }

  /** A document should come soon. */
  renew(): void {
    this.strange = "";
    this.late = false;
  }

  /** A document of this origin has said hello, but may not. Returns whether the origin is a new one. */
  stranger(origin: string): boolean {
    const news = this.strange !== origin;
    this.strange = origin;
    return news;
  }

  /** No agent has answered in time. */
  silent(): void {
    this.late = true;
  }

  /** Why no agent answers, in words: of a frame of these origins in a Host page of the origin `host`. */
  reason(origins: string[], moved: Moved, host: string): string {
    if (this.strange) return say(FRAME_ORIGIN, { origin: this.strange, origins: origins.join(", ") });
    if (!this.late) return "";
    if (!this.left) return say(FRAME_SILENT, { host });
    return say(servedAt(this.left, moved) ? FRAME_UNPROXIED : FRAME_LEFT, { origin: this.left });
  }
}

/** The error for commands. `known`: an agent has been there before. */
export function absent(known: boolean, reason: string, back: string): CdpError {
  const state = known ? NO_AGENT : NOT_PAIRED;
  return serverError([state, reason && `${reason}.`, `${say(WAY_BACK, { back })}.`].filter(Boolean).join(" "));
}
