// The style sheet of a picture: one class for each style, however many boxes have it.

import * as dom from "./dom";

/** Pseudo-elements that style what is there: looked at only where a style sheet of the document has them. */
export const SCROLLBAR = "::-webkit-scrollbar";
const PSEUDOS = [SCROLLBAR, "::marker", "::first-letter", "::first-line", "::placeholder"];

export class Sheet {
  private readonly classes: Map<string, string>;
  /** Which of the pseudo-elements the document styles. */
  readonly styled: readonly string[];

  constructor(doc: Document, classes = new Map<string, string>()) {
    this.classes = classes;
    this.styled = styledIn(doc);
  }

  /** The same sheet for another document. */
  of(doc: Document): Sheet {
    return new Sheet(doc, this.classes);
  }

  /** The class of a style. */
  rule(css: string, pseudo = ""): string {
    const key = `${pseudo}{${css}}`;
    let name = this.classes.get(key);
    if (!name) this.classes.set(key, (name = `c${this.classes.size.toString(36)}`));
    return name;
  }

  get text(): string {
    let text = `@namespace h "${dom.HTML}";h|*{all:unset}`;
    for (const [key, name] of this.classes) text += `.${name}${key}`;
    return text;
  }
}

/** What a sheet has, with the number of its rules at that time. */
const known = new WeakMap<CSSStyleSheet, { rules: number; styled: Set<string> }>();

function styledIn(doc: Document): string[] {
  const all = new Set<string>();
  for (const sheet of sheetsOf(doc)) for (const pseudo of styledBy(sheet)) all.add(pseudo);
  return PSEUDOS.filter((pseudo) => all.has(pseudo));
}

/** The style sheets of a document and of its shadow trees. */
export function sheetsOf(root: Document | ShadowRoot): CSSStyleSheet[] {
  const all = [...root.styleSheets, ...(root.adoptedStyleSheets ?? [])];
  for (const el of root.querySelectorAll("*")) {
    const shadow = dom.shadowRootOf(el);
    if (shadow) all.push(...sheetsOf(shadow));
  }
  return all;
}

function styledBy(sheet: CSSStyleSheet): Set<string> {
  let rules: CSSRuleList;
  try {
    rules = sheet.cssRules;
  } catch {
    return new Set(PSEUDOS); // of another origin
  }
  const before = known.get(sheet);
  if (before?.rules === rules.length) return before.styled;
  const styled = new Set<string>();
  const look = (list: CSSRuleList): void => {
    for (const rule of list) {
      const { selectorText, cssRules, styleSheet } = rule as CSSStyleRule & CSSImportRule;
      if (selectorText?.includes(":"))
        for (const pseudo of PSEUDOS) if (selectorText.includes(pseudo.slice(1))) styled.add(pseudo);
      if (cssRules?.length) look(cssRules);
      if (styleSheet) for (const pseudo of styledBy(styleSheet)) styled.add(pseudo);
    }
  };
  look(rules);
  known.set(sheet, { rules: rules.length, styled });
  return styled;
}
