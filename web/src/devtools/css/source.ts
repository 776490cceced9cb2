// Reads the text of a style sheet into rules and declarations with their
// positions (CSS Syntax Module Level 3, with nesting). CSSOM has neither
// positions, nor what is invalid or in a comment.

/** Offsets in a text; the end is not part of it. */
export interface Span {
  start: number;
  end: number;
}

export interface Declaration {
  name: string;
  /** The text, with "!important". */
  value: string;
  important: boolean;
  /** Whether the declaration is in a comment. */
  disabled: boolean;
  span: Span;
}

/** A style rule or an at-rule. The name has no @. */
export interface SourceRule {
  name: string;
  prelude: Span;
  /** Between the braces; absent for statements such as @import. */
  block?: Span;
  span: Span;
  declarations: Declaration[];
  rules: SourceRule[];
}

const STYLE = "style";
/** At-rules whose block has only declarations. */
const DECLARING = /^(font-face|page|property|counter-style|view-transition|position-try|font-palette-values)$/;

/** The rules of a sheet. */
export function parseSheet(text: string): SourceRule[] {
  return new Reader(text).rules(0, text.length, false).rules;
}

/** The declarations of a block, such as a style attribute. */
export function parseDeclarations(text: string): Declaration[] {
  return new Reader(text).rules(0, text.length, true).declarations;
}

type Content = Pick<SourceRule, "declarations" | "rules">;

class Reader {
  constructor(private readonly text: string) {}

  /** Reads the text between two offsets. In a style rule there may be declarations beside rules. */
  rules(start: number, end: number, inStyle: boolean): Content {
    const found: Content = { declarations: [], rules: [] };
    let at = start;
    while (at < end) {
      const c = this.text[at];
      if (/[\s;}]/.test(c)) at++;
      else if (this.text.startsWith("/*", at)) {
        const close = this.skipComment(at, end);
        if (inStyle) found.declarations.push(...this.disabled(at, close));
        at = close;
      } else if (this.text.startsWith("<!--", at)) at += 4;
      else if (this.text.startsWith("-->", at)) at += 3;
      else at = this.one(at, end, inStyle, found);
    }
    return found;
  }

  /** Reads one rule or declaration, and returns where it ends. */
  private one(at: number, end: number, inStyle: boolean, found: Content): number {
    const custom = inStyle && /^--[^\s:]*\s*:/.test(this.text.slice(at, at + 200));
    const stop = this.scan(at, end, custom ? ";" : "{;");
    const opens = this.text[stop] === "{" && stop < end;
    if (!opens && inStyle && this.text[at] !== "@") {
      const d = this.declaration(at, stop, false);
      if (d) found.declarations.push(d);
      return stop + 1;
    }
    const close = opens ? this.scan(stop + 1, end, "}") : stop;
    const rule = this.rule(at, stop, opens ? close : undefined, inStyle);
    if (rule) found.rules.push(rule);
    return close + 1;
  }

  private rule(at: number, stop: number, close: number | undefined, inStyle: boolean): SourceRule | undefined {
    const keyword = /^@(?:-webkit-|-moz-)?([\w-]+)/.exec(this.text.slice(at, at + 60));
    if (!keyword && close === undefined) return undefined;
    const name = keyword ? keyword[1].toLowerCase() : STYLE;
    const prelude = this.trim(at + (keyword?.[0].length ?? 0), stop);
    const rule: SourceRule = {
      name,
      prelude,
      span: { start: at, end: (close ?? stop) + 1 },
      declarations: [],
      rules: [],
    };
    if (close === undefined) return rule;
    rule.block = { start: stop + 1, end: close };
    const styles = name === STYLE || DECLARING.test(name) || (inStyle && name !== "keyframes");
    Object.assign(rule, this.rules(stop + 1, close, styles));
    return rule;
  }

  private declaration(at: number, stop: number, disabled: boolean): Declaration | undefined {
    const { start, end } = this.trim(at, stop);
    const colon = this.text.indexOf(":", start);
    if (colon < 0 || colon >= end) return undefined;
    const name = this.text.slice(start, colon).trim();
    if (!/^-{0,2}[\w\u0080-\uffff\\-]+$/.test(name)) return undefined;
    const value = this.text.slice(colon + 1, end).trim();
    const important = /!\s*important$/i.test(value);
    // In Chromium 156 the range of a declaration extends to its semicolon or to the bracket, white space included.
    return { name, value, important, disabled, span: { start, end: this.text[stop] === ";" ? stop + 1 : stop } };
  }

  /** The declarations in a comment, which count as disabled. */
  private disabled(at: number, close: number): Declaration[] {
    const inner = { start: at + 2, end: close - 2 };
    const text = this.text.slice(inner.start, inner.end);
    if (!/^\s*-{0,2}[\w-]+\s*:[^{}]*$/.test(text)) return [];
    const list = new Reader(text).rules(0, text.length, true).declarations;
    return list.length === 1 ? [{ ...list[0], disabled: true, span: { start: at, end: close } }] : [];
  }

  private trim(start: number, end: number): Span {
    while (start < end && /\s/.test(this.text[start])) start++;
    while (end > start && /\s/.test(this.text[end - 1])) end--;
    return { start, end };
  }

  /** The first of these characters that is in no string, comment or bracket. */
  private scan(at: number, end: number, stops: string): number {
    for (; at < end; at++) {
      const c = this.text[at];
      if (stops.includes(c) || (c === "}" && !stops.includes("}"))) return at;
      if (c === "\\") at++;
      else if (c === '"' || c === "'") at = this.skipString(at, end);
      else if (this.text.startsWith("/*", at)) at = this.skipComment(at, end) - 1;
      else if (c === "(") at = this.scan(at + 1, end, ")");
      else if (c === "[") at = this.scan(at + 1, end, "]");
      else if (c === "{") at = this.scan(at + 1, end, "}");
    }
    return end;
  }

  private skipString(at: number, end: number): number {
    const quote = this.text[at];
    for (at++; at < end && this.text[at] !== quote && this.text[at] !== "\n"; at++) if (this.text[at] === "\\") at++;
    return at;
  }

  private skipComment(at: number, end: number): number {
    const close = this.text.indexOf("*/", at + 2);
    return close < 0 || close + 2 > end ? end : close + 2;
  }
}

/** Lines and columns of a text's offsets, both from 0. */
export class Lines {
  private readonly starts = [0];

  constructor(private readonly text: string) {
    for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) this.starts.push(i + 1);
  }

  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return { line: low, column: offset - this.starts[low] };
  }

  /** CSS.SourceRange. */
  range(s: Span): { startLine: number; startColumn: number; endLine: number; endColumn: number } {
    const a = this.at(s.start);
    const b = this.at(s.end);
    return { startLine: a.line, startColumn: a.column, endLine: b.line, endColumn: b.column };
  }

  offset(line: number, column: number): number {
    return Math.min((this.starts[line] ?? this.text.length) + column, this.text.length);
  }
}
