// Bounds on what leaves the page.

import { Failure } from "./failure";
import { join, type Redacted } from "./redact";

/** The longest snapshot, in bytes of UTF-8: what is beyond is cut off. */
export const MAX_SNAPSHOT = 1 << 20;

/**
 * The longest answer of any kind, in bytes of its JSON: beyond that there is none. It is MaxValue of
 * package actions.
 */
export const MAX_ANSWER = 4 << 20;

/** How long a text is in UTF-8. */
export function bytesOf(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c > 0x7f) n += c > 0x7ff && (c < 0xd800 || c > 0xdfff) ? 2 : 1; // a half of a pair is two bytes
  }
  return n;
}

/** Fails for what is too long for an answer. */
export function checkLength(text: string): void {
  const bytes = bytesOf(text);
  if (bytes <= MAX_ANSWER) return;
  throw new Failure(
    "LimitExceeded",
    `limit exceeded: the answer has ${bytes} bytes, at most ${MAX_ANSWER} are given; ask for a part of the page, or take a snapshot`,
  );
}

/** Lines up to the limit; a last one says when more are missing. */
export class Lines {
  private readonly list: Redacted[] = [];
  private left: number;
  truncated = false;

  constructor(private readonly mark: Redacted) {
    this.left = MAX_SNAPSHOT - bytesOf(mark) - 1;
  }

  /** Reports whether the line had a place. */
  add(line: Redacted): boolean {
    if (this.truncated) return false;
    this.left -= bytesOf(line) + 1;
    if (this.left < 0) this.cut(this.mark);
    else this.list.push(line);
    return !this.truncated;
  }

  /** Ends the list, with a line that says why. */
  cut(mark: Redacted): void {
    this.truncated = true;
    this.list.push(mark);
  }

  get count(): number {
    return this.list.length;
  }

  text(): Redacted {
    return join(this.list, "\n");
  }
}
