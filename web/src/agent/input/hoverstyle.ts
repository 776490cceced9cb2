// :hover for a mouse that only its client knows of. Style sheets that page
// script can read get an attribute beside each :hover, and what lies below the
// mouse carries it; a page without such rules, whose script has no selectors
// for it either, stays as it is.

/** The attribute on what the mouse is over. */
export const HOVERED = "data-hub-hover";

let marked = new Set<Element>();
let last: Element[][] = [];
let asked = false;

/** Whether a client has a mouse over anything, so that it may matter what selectors say of it. */
export const isHovering = (): boolean => asked || last.length > 0;

/**
 * A selector of page script asks for :hover, so that everything gets its mark from now on; whether
 * anything has one.
 */
export function inSelectors(): boolean {
  if (!asked && last.length) {
    asked = true;
    markHovered(last);
  }
  return asked;
}

/** Marks the elements of each path, from what the mouse is over outwards, and no others. */
export function markHovered(paths: Element[][]): void {
  last = paths;
  const now = new Set(paths.filter((path) => styled(path) || asked).flat());
  for (const el of marked) if (!now.has(el)) el.removeAttribute(HOVERED);
  for (const el of now) if (!marked.has(el)) el.setAttribute(HOVERED, "");
  marked = now;
}

/** Whether rules for :hover are in force along a path, which are then rewritten. */
function styled(path: Element[]): boolean {
  const roots = new Set(path.map((el) => el.getRootNode() as Document | ShadowRoot));
  const sheets = [...roots].flatMap((r) => [...(r.styleSheets ?? []), ...(r.adoptedStyleSheets ?? [])]);
  return sheets.map(rewrite).includes(true);
}

/** Per style sheet: how many rules it had when last looked at, and whether one was for :hover. */
const seen = new WeakMap<CSSStyleSheet, { count: number; found: boolean }>();

function rewrite(sheet: CSSStyleSheet): boolean {
  try {
    const { cssRules } = sheet; // throws where the sheet is of another origin
    let state = seen.get(sheet);
    if (!state || state.count !== cssRules.length) {
      seen.set(sheet, (state = { count: cssRules.length, found: rewriteRules(cssRules) || state?.found === true }));
    }
    return state.found;
  } catch {
    return false;
  }
}

function rewriteRules(rules: CSSRuleList): boolean {
  let found = false;
  for (const rule of rules as Iterable<
    CSSRule & { selectorText?: string; cssRules?: CSSRuleList; styleSheet?: CSSStyleSheet | null }
  >) {
    const { selectorText, styleSheet } = rule;
    if (selectorText?.includes(":hover")) {
      if (!selectorText.includes(HOVERED)) rule.selectorText = withMark(selectorText);
      found = true;
    }
    if (rule.cssRules && rewriteRules(rule.cssRules)) found = true;
    if (styleSheet && rewrite(styleSheet)) found = true;
  }
  return found;
}

/** Whether anything has a mark. */
export const isMarked = (): boolean => marked.size > 0;

/** Markup as it is without marks. */
export function withoutMark(markup: string): string {
  return marked.size ? markup.replaceAll(` ${HOVERED}=""`, "") : markup;
}

/** Both parts of the :is() weigh what :hover weighs. An escaped colon belongs to a name. */
export function withMark(selector: string): string {
  return selector.replace(/(\\?):hover(?![\w-])/g, (all, escape) => (escape ? all : `:is(:hover, [${HOVERED}])`));
}
