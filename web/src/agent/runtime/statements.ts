// Finds the last statement of a program. A script element has no completion value, so the agent turns the last
// expression into an assignment.

/** Characters that continue the expression of the line before, so that no statement begins with them. */
const CONTINUES = /^(?:[.,+\-*/%=<>&|^?:)\]}([`]|in\b|instanceof\b)/;
/** Beginnings of texts that are no expressions, or would mean something else as one. */
const NO_EXPRESSION =
  /^(?:\{|(?:async\s+)?function\b|class\b|let\s|const\s|var\s|if\b|for\b|while\b|do\b|switch\b|try\b|throw\b|return\b|import\s|$)/;
/**
 * Beginnings of compound statements, or of their last part. Their completion value is that of an inner statement.
 */
const COMPOUND = /^(?:\{|\}|(?:if|else|for|while|do|switch|try|catch|finally)\b)/;
/** Beginnings of statements that end with a block. */
const BLOCK = /^(?:\{|if\b|for\b|while\b|switch\b|try\b|(?:async\s+)?function\b|class\b)/;
/** Maximum number of cuts that are tried: each may cost a request. */
const MOST = 5;
/** Text after which a slash begins a regular expression. */
const BEFORE_REGEXP = /(?:[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|void|delete|throw))$/;

/** Whether a whole text may be one expression. */
export function mayBeExpression(text: string): boolean {
  return !NO_EXPRESSION.test(bare(text));
}

/**
 * The ways to cut a text before its last statement, the shortest last statement first. Only those whose last
 * statement may be an expression.
 */
export function cuts(source: string): [before: string, last: string][] {
  const found: [string, string][] = [];
  let end = source.length;
  for (const { at, sure } of boundaries(source).reverse()) {
    const last = bare(source.slice(at, end));
    if (!last)
      end = at; // only comments follow
    else if ((sure || !CONTINUES.test(last)) && !NO_EXPRESSION.test(last)) found.push([source.slice(0, at), last]);
    if (found.length === MOST) break;
  }
  return found;
}

/**
 * Whether a program must run as a script so that later programs see its declarations: let, const or class outside of
 * all brackets. False if it ends with a compound statement, whose value a script cannot give.
 */
export function declares(source: string): boolean {
  if (!/\b(?:let|const|class)\s/.test(source) || /^\s*["'(]/.test(source)) return false;
  const starts = boundaries(source)
    .map(({ at }) => bare(source.slice(at, at + 200)))
    .filter(Boolean);
  return starts.some((s) => /^(?:let|const|class)\s/.test(s)) && !COMPOUND.test(starts[starts.length - 1]);
}

/** A text without white space and semicolons around it, and without comments before it. */
function bare(text: string): string {
  return text.replace(/^(?:\s|;|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/, "").replace(/[\s;]+$/, "");
}

/**
 * Where a statement outside of all brackets may begin. `sure`: it does begin there, and the place is not only the end
 * of a line or of an object literal.
 */
function boundaries(source: string): { at: number; sure: boolean }[] {
  const found = [{ at: 0, sure: true }];
  let depth = 0;
  let begun = 0;
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    const start = i;
    const end = skip(source, i);
    if (end > i) i = end - 1;
    else if ("([{".includes(c)) depth++;
    else if (")]}".includes(c)) depth--;
    if (depth > 0 || end > start || (c !== ";" && c !== "\n" && c !== "}")) continue;
    const sure = c === ";" || (c === "}" && BLOCK.test(bare(source.slice(begun, i))));
    found.push({ at: i + 1, sure });
    if (bare(source.slice(begun, i + 1))) begun = i + 1;
  }
  return found;
}

/** Calls f at each place of a program that is in no string, template, comment or regular expression. */
export function scan(source: string, f: (at: number) => void): void {
  for (let i = 0; i < source.length; i++) {
    const end = skip(source, i);
    if (end > i) i = end - 1;
    else f(i);
  }
}

/** The end of the string, template, comment or regular expression that begins at i; i if none begins there. */
function skip(source: string, i: number): number {
  const rest = source.slice(i, i + 2);
  if (rest === "//") return until(source, "\n", i);
  if (rest === "/*") return until(source, "*/", i + 2) + 2;
  if (rest[0] === "'" || rest[0] === '"') return closing(source, i, rest[0]);
  if (rest[0] === "`") return template(source, i);
  if (rest[0] === "/" && (BEFORE_REGEXP.test(source.slice(Math.max(0, i - 12), i).trimEnd()) || i === 0))
    return closing(source, i, "/");
  return i;
}

function until(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at < 0 ? source.length : at;
}

/**
 * The end of a string or regular expression. A backslash hides the closing character, and so do the brackets of a
 * class in a regular expression.
 */
function closing(source: string, from: number, close: string): number {
  let inClass = false;
  for (let i = from + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (close === "/" && source[i] === "[") inClass = true;
    else if (source[i] === "]") inClass = false;
    else if (source[i] === close && !inClass) return i + 1;
  }
  return source.length;
}

function template(source: string, from: number): number {
  for (let i = from + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "`") return i + 1;
    else if (source.startsWith("${", i)) i = substitution(source, i + 2) - 1;
  }
  return source.length;
}

/** The end of "${…}", whose inside begins at i. */
function substitution(source: string, i: number): number {
  for (let depth = 1; i < source.length; i++) {
    const end = skip(source, i);
    if (end > i) i = end - 1;
    else if (source[i] === "{") depth++;
    else if (source[i] === "}" && --depth === 0) return i + 1;
  }
  return source.length;
}
