// Bounds on what leaves the page.

/** The longest snapshot, in characters. */
export const MAX_SNAPSHOT = 1 << 20;

/** Lines up to the limit; a last one says when more are missing. */
export class Lines {
  private readonly list: string[] = [];
  private left = MAX_SNAPSHOT;
  truncated = false;

  constructor(private readonly mark: string) {}

  /** Reports whether the line had a place. */
  add(line: string): boolean {
    if (this.truncated) return false;
    this.left -= line.length + 1;
    if (this.left < 0) {
      this.truncated = true;
      this.list.push(this.mark);
      return false;
    }
    this.list.push(line);
    return true;
  }

  get count(): number {
    return this.list.length;
  }

  text(): string {
    return this.list.join("\n");
  }
}
