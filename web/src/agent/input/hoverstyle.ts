// :hover for a mouse that only a Client moves. In style sheets that script can read, each :hover gets an attribute as
// an alternative, and the elements below the mouse get this attribute. A page without such rules, and without :hover
// in the selectors of its script, is not changed.

/** The attribute of elements below the mouse. */
export const HOVERED = "data-hub-hover";

let marked = new Set<Element>();
let last: Element[][] = [];
let asked = false;

/** Whether a Client's mouse is over an element, so that :hover in a selector may matter. */
export const isHovering = (): boolean => asked || last.length > 0;

/**
 * Called for a :hover in a selector of page script: from then on every element below the mouse is marked. Returns
 * whether there are marks.
 */
export function inSelectors(): boolean {
  if (!asked && last.length) {
    asked = true;
    markHovered(last);
  }
  return asked;
}

/** Marks the elements of each path, and no others. A path goes from the element below the mouse outwards. */
export function markHovered(paths: Element[][]): void {
  last = paths;
  const now = new Set(paths.filter((path) => styled(path) || asked).flat());
  for (const el of marked) if (!now.has(el)) el.removeAttribute(HOVERED);
  for (const el of now) if (!marked.has(el)) el.setAttribute(HOVERED, "");
  marked = now;
}

/** Whether there are rules for :hover in the style sheets of a path. Rewrites these rules. */
function styled(path: Element[]): boolean {
  const roots = new Set(path.map((el) => el.getRootNode() as Document | ShadowRoot));
  const sheets = [...roots].flatMap((r) => [...(r.styleSheets ?? []), ...(r.adoptedStyleSheets ?? [])]);
  return sheets.map(rewrite).includes(true);
}

/** By style sheet: the number of its rules when it was last read, and whether one was for :hover. */
const seen = new WeakMap<CSSStyleSheet, { count: number; found: boolean }>();

function rewrite(sheet: CSSStyleSheet): boolean {
  try {
    const { cssRules } = sheet; // throws if the sheet is of another origin
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
    CSSRule &
      Partial<
        Pick<CSSStyleRule, "selectorText"> & Pick<CSSGroupingRule, "cssRules"> & Pick<CSSImportRule, "styleSheet">
      >
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

/** Whether an element has a mark. */
export const isMarked = (): boolean => marked.size > 0;

/** Markup as it is without marks. */
export function withoutMark(markup: string): string {
  return marked.size ? markup.replaceAll(` ${HOVERED}=""`, "") : markup;
}

/**
 * Adds the mark to :hover. Both alternatives in :is() have the specificity of :hover. A colon after a backslash
 * belongs to a name.
 */
export function withMark(selector: string): string {
  return selector.replace(/(\\?):hover(?![\w-])/g, (all, escape) => (escape ? all : `:is(:hover, [${HOVERED}])`));
}
