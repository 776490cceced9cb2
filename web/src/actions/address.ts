// Takes secrets out of the addresses in a text, as the hub does: internal/secrets/address.go.

import { charAt, type Char } from "./chars";
import { isSecretName } from "./secrets";

const REDACTED = "[REDACTED]";

/** Maximum length of the name of a parameter. */
const LONGEST_PARAMETER = 100;

/** What divides addresses from the text around them. */
const AROUND = " \t\n\r\f\v\"'<>";

/** The next character that has a meaning. All others are parts of names and values. */
const DIVIDES = /[/@?&#;=%\\ \t\n\r\f\v"'<>,]/g;

/**
 * Removes users, passwords and values of secret parameters from the addresses in a text, wherever they stand: inside
 * longer texts, in parameters of other addresses, and in HTML and JSON that was escaped.
 */
export function withoutAddresses(text: string): string {
  const scanner = new Scanner(text);
  for (;;) {
    DIVIDES.lastIndex = scanner.at;
    const m = DIVIDES.exec(text);
    if (!m) return scanner.result();
    scanner.next(m.index);
  }
}

class Scanner {
  at = 0;
  private out = "";
  private copied = 0;
  /** Where the name of a parameter may begin, after the character `before`; -1 for nowhere. */
  private name = 0;
  private before = "";
  /** Where the last slash ended. */
  private slash = -1;
  /** Where the user of an address may begin, and how many times the address was encoded; -1 for nowhere. */
  private user = -1;
  private userDepth = 0;

  constructor(private readonly text: string) {}

  result(): string {
    return this.out + this.text.slice(this.copied);
  }

  next(from: number): void {
    const c = charAt(this.text, from);
    this.at = from + c.size;
    if (c.is === "/" && this.slash === from) {
      [this.user, this.userDepth, this.slash] = [this.at, c.depth, -1];
    } else {
      if (this.user >= 0 && c.depth <= this.userDepth) this.readUser(c, from);
      this.slash = c.is === "/" ? this.at : -1;
    }
    if (c.is === "=") this.readParameter(c, from);
    else if ((c.is && "?&#".includes(c.is)) || (c.is === ";" && c.depth === 0)) {
      [this.name, this.before] = [this.at, c.is];
    } else if (c.is && c.depth === 0 && (AROUND.includes(c.is) || c.is === ",")) this.name = -1;
  }

  /** Reads a character of an address after its two slashes: up to an @ stand the user and the password. */
  private readUser(c: Char, from: number): void {
    if (c.is === "@") {
      if (from > this.user) this.replace("", this.user, this.at);
    } else if (c.is ? `/?#${AROUND}`.includes(c.is) : this.text[from] === "\\") this.user = -1;
  }

  private readParameter(c: Char, from: number): void {
    const name = this.text.slice(this.name, from);
    if (this.name >= 0 && name && name.length <= LONGEST_PARAMETER && !this.isPadding()) {
      if (isSecretName(unescaped(name), this.inAddress())) this.replace(REDACTED, this.at, this.endOfValue(c.depth));
    }
    this.name = -1;
  }

  /**
   * After a semicolon, and at the beginning of a text, code may stand: there fewer names are secret.
   * location.hash.slice(1) is a query without its first character.
   */
  private inAddress(): boolean {
    return this.before !== ";" && (this.before !== "" || this.text.includes("&"));
  }

  /** Whether the = before belongs to base64, at the end of the text. */
  private isPadding(): boolean {
    return this.before === "" && /^=?$/.test(this.text.slice(this.at, this.at + 2));
  }

  /**
   * Where the value ends. What divides it from the rest of the text was percent-encoded as often as the = before it,
   * or less.
   */
  private endOfValue(depth: number): number {
    if (this.text.startsWith(REDACTED, this.at)) return this.at + REDACTED.length;
    for (let i = this.at; i < this.text.length; ) {
      const c = charAt(this.text, i);
      if (c.is && c.depth <= depth && (c.is === "&" || c.is === "#" || AROUND.includes(c.is))) return i;
      i += c.size;
    }
    return this.text.length;
  }

  private replace(by: string, from: number, to: number): void {
    this.out += this.text.slice(this.copied, Math.max(from, this.copied)) + by;
    this.at = this.copied = to;
  }
}

/** A name without its percent-encoding. */
function unescaped(name: string): string {
  try {
    for (let plain = name; ; name = plain) {
      plain = decodeURIComponent(name);
      if (plain === name) return name;
    }
  } catch {
    return name;
  }
}
