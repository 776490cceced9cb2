// Pressing Escape twice gives the lease back. Once, it goes to the page.

/** Maximum time between the two, in ms. */
const TWICE_MS = 600;

export class EscapeTwice {
  private last = -Infinity;

  /**
   * Notes a key that was pressed at a time, in ms. Returns true for the second Escape. A key that repeats counts as
   * one key.
   */
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
