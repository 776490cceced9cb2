// CSS.getMatchedStylesForNode: the rules that apply to an element, in the order of the cascade. Script cannot read
// the browser's own style sheet.

import type { Protocol } from "../../cdp";
import { pathOf } from "../../flattree";
import { agent } from "../agent";
import { type Specificity, compare, parts, specificity, splitPseudo } from "./selectors";
import { type Rule, type Sheet, sheetsOf, withInner } from "./sheets";
import { describeKeyframes, describeRule, inlineStyle, nested, selectorsAround } from "./styles";

/** The pseudo elements that the protocol names (DOM.PseudoType) and that rules can be for. */
const PSEUDOS = new Set(
  (
    "first-line first-letter before after marker backdrop selection search-text target-text spelling-error grammar-error highlight " +
    "first-line-inherited scroll-marker scroll-marker-group scrollbar scrollbar-thumb scrollbar-button scrollbar-track resizer " +
    "input-list-button view-transition view-transition-group view-transition-image-pair view-transition-old view-transition-new " +
    "placeholder file-selector-button details-content picker picker-icon checkmark"
  ).split(" "),
);

/** A style rule of a sheet with all selectors written out. */
interface Candidate {
  rule: Rule;
  /** One for each part of its list, without nesting. */
  selectors: { element: string; pseudo: string; weight: Specificity }[];
  /** The conditions around it, from the outside in. */
  around: Rule[];
  layer: string[];
}

/** Every style rule of a sheet. */
function candidates(sheet: Sheet): Candidate[] {
  const found: Candidate[] = [];
  const visit = (rules: Rule[], around: Rule[], layer: string[]): void => {
    for (const rule of rules) {
      const text = sheet.slice(rule.source.prelude);
      const inner = [...around, rule];
      if (rule.source.name === "layer")
        visit(rule.rules, inner, [...layer, ...(text ? text.split(".") : [anonymous(rule)])]);
      else visit(rule.rules, inner, layer);
      if (rule.source.name !== "style") continue;
      const outer = selectorsAround(rule);
      const full = parts(text).map((p) => (outer.length ? nested(p, outer) : p));
      found.push({ rule, selectors: full.map((s) => ({ ...splitPseudo(s), weight: specificity(s) })), around, layer });
    }
  };
  visit(sheet.rules, [], layerOfImport(sheet));
  // A nested rule comes after the one around it.
  return found.sort((x, y) => x.rule.source.span.start - y.rule.source.span.start);
}

const anonymous = (rule: Rule): string => `(${rule.sheet.id}.${rule.source.span.start})`;

function layerOfImport(sheet: Sheet): string[] {
  const name = (sheet.css.ownerRule as (CSSRule & { layerName?: string | null }) | null)?.layerName;
  return name === undefined || name === null ? [] : name ? name.split(".") : [`(${sheet.id})`];
}

/** The order of cascade layers: by the path of the parent layer, the names in order of appearance. */
function layerOrder(sheets: Sheet[]): Map<string, number> {
  const order = new Map<string, number>();
  const note = (path: string[]): void => {
    path.forEach((_, i) => {
      const key = path.slice(0, i + 1).join(".");
      if (!order.has(key)) order.set(key, order.size);
    });
  };
  const visit = (rules: Rule[], path: string[]): void => {
    for (const r of rules) {
      if (r.source.name !== "layer") {
        visit(r.rules, path);
        continue;
      }
      const names = parts(r.sheet.slice(r.source.prelude));
      for (const n of names) note([...path, ...(n ? n.split(".") : [anonymous(r)])]);
      visit(r.rules, [...path, ...(names[0] ? names[0].split(".") : [anonymous(r)])]);
    }
  };
  for (const s of sheets) {
    note(layerOfImport(s));
    visit(s.rules, layerOfImport(s));
  }
  return order;
}

/** Negative if layer x is weaker. A layer is weaker than the rules beside it in its parent layer. */
function compareLayers(x: string[], y: string[], order: Map<string, number>): number {
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    if (x[i] === y[i]) continue;
    if (x[i] === undefined) return 1;
    if (y[i] === undefined) return -1;
    return (order.get(x.slice(0, i + 1).join(".")) ?? 0) - (order.get(y.slice(0, i + 1).join(".")) ?? 0);
  }
  return 0;
}

// ----------------------------------------------------------- whether it applies

function matches(el: Element, selector: string, scope: Sheet["root"]): boolean {
  try {
    const host = /^:host(?:\((.*)\))?$/.exec(selector);
    if (host) return el.shadowRoot === scope && (host[1] === undefined || el.matches(host[1]));
    const slotted = /^(.*)::slotted\((.*)\)$/.exec(selector);
    if (slotted) return slottedInto(el, scope) && el.matches(slotted[2]);
    return el.getRootNode() === scope && el.matches(selector);
  } catch {
    return false;
  }
}

const slottedInto = (el: Element, root: Sheet["root"]): boolean => el.assignedSlot?.getRootNode() === root;

function holds(rule: Rule, el: Element): boolean {
  const text = rule.sheet.slice(rule.source.prelude);
  const win = rule.sheet.doc.defaultView ?? window;
  switch (rule.source.name) {
    case "media":
      return win.matchMedia(text).matches;
    case "supports":
      return CSS.supports(text);
    case "scope":
      return inScope(text, el);
    case "container":
      return containerHolds(rule, el);
    default:
      return true;
  }
}

/** Whether an element is below a root of "(start) to (end)", and not below an end of it. */
function inScope(text: string, el: Element): boolean {
  const m = /^(?:\((.*?)\))?\s*(?:to\s*\((.*)\))?$/s.exec(text);
  if (!m?.[1]) return true;
  for (let at: Element | null = el; at; at = at.parentElement) {
    if (m[2] && at.matches(m[2])) return false;
    if (at.matches(m[1])) return true;
  }
  return false;
}

const PROBE = "--cdphub-probe";

/** The position of an element below its root: :nth-child(1) > :nth-child(2). */
function path(el: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = el; at; at = at.parentElement) {
    steps.unshift(`:nth-child(${Array.prototype.indexOf.call(at.parentNode?.children ?? [], at) + 1})`);
  }
  return steps.join(" > ");
}

/** Script cannot evaluate a container query, so a temporary rule for the element does. */
function containerHolds(rule: Rule, el: Element): boolean {
  const group = rule.css as CSSGroupingRule;
  try {
    const at = group.insertRule(`${path(el)} { ${PROBE}: 1 }`, group.cssRules.length);
    try {
      return agent.styleOf(el).getPropertyValue(PROBE) !== "";
    } finally {
      group.deleteRule(at);
    }
  } catch {
    return false;
  }
}

// ------------------------------------------------------------------ the answer

interface Match {
  candidate: Candidate;
  matching: number[];
  weight: Specificity;
}

/** The rules of an element and of its pseudo elements, by the pseudo element's name; "" is the element itself. */
function matchesOf(el: Element): Map<string, Protocol.CSS.RuleMatch[]> {
  const roots = new Set<Sheet["root"]>([el.getRootNode() as Sheet["root"]]);
  if (el.shadowRoot) roots.add(el.shadowRoot);
  if (el.assignedSlot) roots.add(el.assignedSlot.getRootNode() as Sheet["root"]);
  const all = [...roots].flatMap((r) => sheetsOf(r));
  const order = layerOrder(all);
  const found = new Map<string, Match[]>();
  for (const sheet of all) {
    if (!mediaHolds(sheet)) continue;
    for (const candidate of candidatesOf(sheet)) {
      const byPseudo = new Map<string, number[]>();
      candidate.selectors.forEach(({ element, pseudo }, i) => {
        if ((pseudo && !PSEUDOS.has(pseudo)) || !matches(el, element, sheet.root)) return;
        byPseudo.set(pseudo, [...(byPseudo.get(pseudo) ?? []), i]);
      });
      if (!byPseudo.size || !candidate.around.every((r) => holds(r, el))) continue;
      for (const [pseudo, matching] of byPseudo) {
        const weight = matching.map((i) => candidate.selectors[i].weight).reduce((x, y) => (compare(x, y) < 0 ? y : x));
        found.set(pseudo, [...(found.get(pseudo) ?? []), { candidate, matching, weight }]);
      }
    }
  }
  const described = new Map<string, Protocol.CSS.RuleMatch[]>();
  for (const [pseudo, list] of found) {
    list.sort((x, y) => compareLayers(x.candidate.layer, y.candidate.layer, order) || compare(x.weight, y.weight));
    described.set(
      pseudo,
      list.map((m) => ({ rule: describeRule(m.candidate.rule), matchingSelectors: m.matching })),
    );
  }
  return described;
}

const made = new WeakMap<Rule[], Candidate[]>();

function candidatesOf(sheet: Sheet): Candidate[] {
  let list = made.get(sheet.rules);
  if (!list) made.set(sheet.rules, (list = candidates(sheet)));
  return list;
}

function mediaHolds(sheet: Sheet): boolean {
  const text = sheet.css.media?.mediaText;
  return !text || (sheet.doc.defaultView ?? window).matchMedia(text).matches;
}

const pseudoMatches = (all: Map<string, Protocol.CSS.RuleMatch[]>): Protocol.CSS.PseudoElementMatches[] =>
  [...all].flatMap(([name, matched]) =>
    name ? [{ pseudoType: name as Protocol.DOM.PseudoType, matches: matched }] : [],
  );

/** The @keyframes rules of an element's animations. */
function keyframesOf(el: Element): Protocol.CSS.CSSKeyframesRule[] {
  const names = new Set(agent.styleOf(el).animationName.split(/,\s*/));
  return sheetsOf(el.getRootNode() as Sheet["root"])
    .flatMap((sheet) => withInner(sheet.rules))
    .filter((r) => r.source.name === "keyframes" && names.has((r.css as CSSKeyframesRule).name))
    .map(describeKeyframes);
}

/** Answers CSS.getMatchedStylesForNode for an element. */
export function matchedStyles(el: Element): Protocol.CSS.GetMatchedStylesForNodeResponse {
  const own = matchesOf(el);
  const [, ...around] = pathOf(el);
  const above = around.map((a) => ({ inline: inlineStyle(a), all: matchesOf(a) }));
  const inline = inlineStyle(el);
  return {
    ...(inline && { inlineStyle: inline }),
    matchedCSSRules: own.get("") ?? [],
    pseudoElements: pseudoMatches(own),
    inherited: above.map(({ inline, all }) => ({
      ...(inline?.cssProperties.length && { inlineStyle: inline }),
      matchedCSSRules: all.get("") ?? [],
    })),
    inheritedPseudoElements: above.map(({ all }) => ({
      pseudoElements: pseudoMatches(all).filter((m) => /^(selection|highlight|search-text)$/.test(m.pseudoType)),
    })),
    cssKeyframesRules: keyframesOf(el),
    cssPositionTryRules: [],
    activePositionFallbackIndex: -1,
    cssPropertyRules: [],
    cssPropertyRegistrations: [],
    cssAtRules: [],
    cssFunctionRules: [],
  } as unknown as Protocol.CSS.GetMatchedStylesForNodeResponse;
}
