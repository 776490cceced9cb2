// Limits of what leaves the page.

import { Failure } from "./failure";
import { join, type Redacted } from "./redact";

/** Maximum size of a snapshot, in bytes of UTF-8. The rest is cut off. */
export const MAX_SNAPSHOT = 1 << 20;

/**
 * Maximum size of any answer, in bytes of its JSON. A longer answer is an error. The same as MaxValue of package
 * actions.
 */
const MAX_ANSWER = 4 << 20;

/** How long a text is in UTF-8. */
export function bytesOf(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    // A surrogate pair has four bytes, two for each half.
    if (c > 0x7f) n += c > 0x7ff && (c < 0xd800 || c > 0xdfff) ? 2 : 1;
  }
  return n;
}

/** Throws if a text is too long for an answer. */
export function checkLength(text: string): void {
  const bytes = bytesOf(text);
  if (bytes <= MAX_ANSWER) return;
  throw new Failure(
    "LimitExceeded",
    `limit exceeded: the answer has ${bytes} bytes, at most ${MAX_ANSWER} are given; ask for a part of the page, or take a snapshot`,
  );
}

/** Collects lines up to the limit. A last line says if more are missing. */
export class Lines {
  private readonly list: Redacted[] = [];
  private left: number;
  truncated = false;

  constructor(
    private readonly mark: Redacted,
    most = MAX_SNAPSHOT,
  ) {
    this.left = most - bytesOf(mark) - 1;
  }

  /** Adds a line. Returns false if the limit is reached. */
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
