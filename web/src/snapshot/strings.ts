// The string table of a snapshot: all texts are indexes into it.

/** Collects strings; -1 stands for none and for the empty one, as in Chromium. */
export class Strings {
  readonly all: string[] = [];
  private readonly known = new Map<string, number>();

  index(s: string | null | undefined): number {
    if (!s) return -1;
    let i = this.known.get(s);
    if (i === undefined) {
      i = this.all.push(s) - 1;
      this.known.set(s, i);
    }
    return i;
  }
}

/** DOMSnapshot.RareStringData and the like: values of the few nodes that have one. */
export class Rare {
  readonly index: number[] = [];
  readonly value: number[] = [];

  set(node: number, value: number): void {
    this.index.push(node);
    this.value.push(value);
  }
}
