// Why no Frame Agent answers for a Target.

import { FRAME_ORIGIN, FRAME_SILENT, WAY_BACK, say } from "../wire/messages";

export class Absence {
  /** The last origin that has tried to speak for the frame in vain. */
  private strange = "";
  /** None has in time. */
  private late = false;

  /** A document came, or is about to. */
  over(): void {
    this.strange = "";
    this.late = false;
  }

  /** A document of this origin may not speak for the frame. Reports whether that is news. */
  stranger(origin: string): boolean {
    const news = this.strange !== origin;
    this.strange = origin;
    return news;
  }

  /** No agent has answered in time. */
  silent(): void {
    this.late = true;
  }

  /** Why none answers, for people: of a frame of these origins in a Host page of another. */
  reason(origins: string[], host: string): string {
    if (this.strange) return say(FRAME_ORIGIN, { origin: this.strange, origins: origins.join(", ") });
    return this.late ? say(FRAME_SILENT, { host }) : "";
  }
}

/** A reason, and how to get back to the app. */
export function wayBack(reason: string, back: string): string {
  return [reason, say(WAY_BACK, { back })].filter(Boolean).join(". ");
}
