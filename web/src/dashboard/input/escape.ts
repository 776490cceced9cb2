// Escape twice hands the page back; once goes to the page.

/** Within how many ms the second one must come. */
export const TWICE_MS = 600;

export class EscapeTwice {
  private last = -Infinity;

  /** Takes a key that was pressed at a time, in ms; true for the second Escape. A key that repeats is one key. */
  pressed(key: string, repeat: boolean, now: number): boolean {
    if (key !== "Escape") {
      this.last = -Infinity;
      return false;
    }
    if (repeat) return false;
    const second = now - this.last <= TWICE_MS;
    this.last = second ? -Infinity : now;
    return second;
  }
}
