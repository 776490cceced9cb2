// Selectors: their parts, their specificity, and the pseudo element at their end.

/** Splits a list at the commas that are in no bracket or string. */
export function parts(list: string): string[] {
  const found: string[] = [];
  let start = 0;
  let depth = 0;
  for (let i = 0; i < list.length; i++) {
    const c = list[i];
    if (c === "\\") i++;
    else if (c === '"' || c === "'") i = skipString(list, i);
    else if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
    else if (c === "," && depth === 0) {
      found.push(list.slice(start, i).trim());
      start = i + 1;
    }
  }
  found.push(list.slice(start).trim());
  return found;
}

function skipString(text: string, at: number): number {
  const quote = text[at];
  for (at++; at < text.length && text[at] !== quote; at++) if (text[at] === "\\") at++;
  return at;
}

export interface Specificity {
  a: number;
  b: number;
  c: number;
}

export function compare(x: Specificity, y: Specificity): number {
  return x.a - y.a || x.b - y.b || x.c - y.c;
}

const add = (to: Specificity, s: Specificity): void => {
  to.a += s.a;
  to.b += s.b;
  to.c += s.c;
};

/** The specificity of a selector (Selectors Level 4, section 17). */
export function specificity(selector: string): Specificity {
  const sum = { a: 0, b: 0, c: 0 };
  const token =
    /\\.|"(?:\\.|[^"])*"|#(?:\\.|[\w\u0080-\uffff-])+|\.(?:\\.|[\w\u0080-\uffff-])+|\[(?:"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|[^\]])*\]|::?[\w-]+\(?|(?:\\.|[a-z_\u0080-\uffff-][\w\u0080-\uffff-]*)/gi;
  for (let m = token.exec(selector); m; m = token.exec(selector)) {
    const t = m[0];
    if (t[0] === "#") sum.a++;
    else if (t[0] === "." || t[0] === "[") sum.b++;
    else if (t[0] === ":") {
      const open = t.endsWith("(");
      const close = open ? closing(selector, token.lastIndex) : 0;
      if (open) token.lastIndex = close + 1;
      add(sum, ofPseudo(t.replace(/\($/, ""), open ? selector.slice(m.index + t.length, close) : undefined));
    } else if (t[0] !== "\\" && t[0] !== '"') sum.c++;
  }
  return sum;
}

function ofPseudo(name: string, argument: string | undefined): Specificity {
  const lower = name.toLowerCase();
  if (lower.startsWith("::") || /^:(before|after|first-line|first-letter)$/.test(lower)) return { a: 0, b: 0, c: 1 };
  if (lower === ":where") return { a: 0, b: 0, c: 0 };
  if (argument === undefined) return { a: 0, b: 1, c: 0 };
  if (/^:(is|not|has|matches|-webkit-any)$/.test(lower)) return heaviest(argument);
  const own = { a: 0, b: 1, c: 0 };
  const of = /\bof\b(.*)$/.exec(argument);
  if (/^:nth-(last-)?child$/.test(lower) && of) add(own, heaviest(of[1]));
  if (/^:host(-context)?$/.test(lower)) add(own, heaviest(argument));
  return own;
}

function heaviest(list: string): Specificity {
  return parts(list)
    .map(specificity)
    .reduce((x, y) => (compare(x, y) < 0 ? y : x));
}

/** The end of the bracket that is open at an offset. */
function closing(text: string, at: number): number {
  for (let depth = 1; at < text.length; at++) {
    const c = text[at];
    if (c === "\\") at++;
    else if (c === '"' || c === "'") at = skipString(text, at);
    else if (c === "(") depth++;
    else if (c === ")" && --depth === 0) return at;
  }
  return at;
}

/** Splits a selector into the part before its pseudo element and the pseudo element's name. */
export function splitPseudo(selector: string): { element: string; pseudo: string } {
  const m =
    /^(.*?)(?:::(?:-webkit-|-moz-)?([\w-]+)(?:\([^()]*\))?|:(before|after|first-line|first-letter))(?::[\w-]+)*$/s.exec(
      selector,
    );
  if (!m || /^(slotted|part|cue)$/.test(m[2] ?? "")) return { element: selector, pseudo: "" };
  const before = m[1];
  const element = before === "" || /[\s>+~]$/.test(before) ? `${before}*` : before;
  return { element, pseudo: (m[2] ?? m[3]).toLowerCase() };
}
