// Reads characters of a text as the reader of an address sees them, however many times they were escaped. The hub
// reads the same way: internal/secrets/chars.go.

/**
 * A character of a text: "&" may be written as &, &amp;, %26, %2526 or &#x26;, and in JSON as \u0026.
 */
export type Char = {
  /** "" for what stands for none of the characters that divide addresses. */
  is: string;
  size: number;
  /** How many times it was percent-encoded. */
  depth: number;
};

const PERCENT = /%((?:25)*)([\da-f]{2})/iy;
const ESCAPE = /\\+(?:(["'/])|u([\da-f]{4})|x([\da-f]{2}))?/iy;
const ENTITY =
  /&(?:amp;)*(?:(quot|apos|lt|gt|equals|num|quest|sol|commat);|#(38|61|34|39|47|63|35|64);|#[xX](26|3d|22|27|2f|3f|23|40);)?/iy;
const NAMED: Record<string, string> = {
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  equals: "=",
  num: "#",
  quest: "?",
  sol: "/",
  commat: "@",
};

/** The character that begins at an index. */
export function charAt(text: string, i: number): Char {
  switch (text[i]) {
    case "%": {
      const m = match(PERCENT, text, i);
      if (!m) return { is: "", size: 1, depth: 0 };
      return { is: ascii(m[2], 16), size: m[0].length, depth: 1 + m[1].length / 2 };
    }
    case "\\": {
      const [all, plain, u, x] = match(ESCAPE, text, i)!;
      return { is: plain ?? (u || x ? ascii(u ?? x, 16) : ""), size: all.length, depth: 0 };
    }
    case "&": {
      const [all, name, decimal, hex] = match(ENTITY, text, i)!;
      const is = name ? NAMED[name.toLowerCase()] : decimal ? ascii(decimal, 10) : hex ? ascii(hex, 16) : "&";
      return { is, size: all.length, depth: 0 };
    }
  }
  return { is: text[i], size: 1, depth: 0 };
}

function match(pattern: RegExp, text: string, i: number): RegExpExecArray | null {
  pattern.lastIndex = i;
  return pattern.exec(text);
}

function ascii(digits: string, base: number): string {
  const code = parseInt(digits, base);
  return code > 0x7f ? "" : String.fromCharCode(code);
}
