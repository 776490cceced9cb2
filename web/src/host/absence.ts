// Why no Frame Agent answers for a Target.

import { FRAME_ORIGIN, FRAME_SILENT, WAY_BACK, say } from "../wire/messages";

export class AgentAbsence {
  /** The origin of the last hello that was refused because its origin is not allowed. */
  private strange = "";
  /** Whether no agent has answered in time. */
  private late = false;

  /** A document has come, or should come soon. */
  clear(): void {
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
  reason(origins: string[], host: string): string {
    if (this.strange) return say(FRAME_ORIGIN, { origin: this.strange, origins: origins.join(", ") });
    return this.late ? say(FRAME_SILENT, { host }) : "";
  }
}

/** A reason, with the advice how to get back to the app. */
export function wayBack(reason: string, back: string): string {
  return [reason, say(WAY_BACK, { back })].filter(Boolean).join(". ");
}
