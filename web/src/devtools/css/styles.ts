// CSS.CSSStyle and CSS.CSSRule objects.

import type { Protocol } from "../../cdp";
import { agent } from "../agent";
import { parts, specificity } from "./selectors";
import type { Rule, Sheet } from "./sheets";
import { type Declaration, Lines, type Span, parseDeclarations } from "./source";

type CSSStyle = Protocol.CSS.CSSStyle;
type Property = Protocol.CSS.CSSProperty;

/** What a style is read from. */
interface Text {
  id: string;
  text: string;
  lines: Lines;
  declarations: Declaration[];
}

const supported = (d: Declaration): boolean =>
  d.name.startsWith("--") || CSS.supports(d.name, d.value.replace(/\s*!\s*important$/i, ""));

function property(d: Declaration, from: Text): Property {
  return {
    name: d.name,
    value: d.value,
    ...(d.important && { important: true }),
    ...(!d.disabled && { implicit: false }),
    text: from.text.slice(d.span.start, d.span.end),
    ...(!d.disabled && !supported(d) && { parsedOk: false }),
    disabled: d.disabled,
    range: from.lines.range(d.span),
  };
}

/** The declarations of the text, then the longhands that they set. */
function describe(from: Text, style: CSSStyleDeclaration, own: CSSStyle["range"], cssText: string): CSSStyle {
  const written = from.declarations.map((d) => property(d, from));
  const names = new Set(from.declarations.filter((d) => !d.disabled).map((d) => d.name.toLowerCase()));
  const setTo = (name: string): Protocol.CSS.ShorthandEntry => ({
    name,
    value: style.getPropertyValue(name),
    ...(style.getPropertyPriority(name) && { important: true }),
  });
  const implied: Property[] = Array.from(style)
    .filter((name) => !names.has(name))
    .map(setTo);
  const longhands = new Set(Array.from(style));
  const shorthandEntries = [...names]
    .filter((name) => !longhands.has(name) && style.getPropertyValue(name) !== "")
    .map(setTo);
  return {
    styleSheetId: from.id,
    cssProperties: [...written, ...implied],
    shorthandEntries,
    cssText,
    range: own,
  };
}

/**
 * The part of a rule's block that is its style. In Chromium 156 it ends at the last declaration before a nested rule.
 */
export function styleSpan({ source }: Rule): Span {
  const block = source.block ?? { start: source.span.end, end: source.span.end };
  const nested = source.rules[0]?.span.start;
  if (nested === undefined) return block;
  const before = source.declarations.filter((d) => d.span.start < nested);
  return { start: block.start, end: before[before.length - 1]?.span.end ?? block.start };
}

/** The style of a rule of a sheet. */
export function ruleStyle(rule: Rule): CSSStyle {
  const { sheet, source } = rule;
  const block = styleSpan(rule);
  const { style } = rule.css as CSSStyleRule;
  const declarations = source.declarations.filter((d) => d.span.start < block.end);
  const from = { id: sheet.id, text: sheet.text, lines: sheet.lines, declarations };
  return describe(from, style, sheet.lines.range(block), sheet.slice(block));
}

/** The id by which Clients change a style attribute. */
const inlineId = (el: Element): string => `inline-${agent.idOfNode(el)}`;

/** The style attribute of an element; undefined for elements without one. */
export function inlineStyle(el: Element): CSSStyle | undefined {
  const { style } = el as HTMLElement;
  if (!style) return undefined;
  const text = el.getAttribute("style") ?? "";
  const lines = new Lines(text);
  const from = { id: inlineId(el), text, lines, declarations: parseDeclarations(text) };
  return describe(from, style, lines.range({ start: 0, end: text.length }), text);
}

/** A selector of a nested rule without nesting. */
export function nested(own: string, outer: string[]): string {
  const parent = `:is(${outer.join(", ")})`;
  return own.includes("&") ? own.replace(/&/g, parent) : `${parent} ${own}`;
}

/** The selectors, without nesting, of the style rule around a rule; none if there is no such rule. */
export function selectorsAround(rule: Rule): string[] {
  let around = rule.parent;
  while (around && around.source.name !== "style") around = around.parent;
  if (!around) return [];
  const outer = selectorsAround(around);
  const own = parts(around.sheet.slice(around.source.prelude));
  return outer.length ? own.map((s) => nested(s, outer)) : own;
}

/** CSS.SelectorList of a rule. */
export function selectorList(rule: Rule): Protocol.CSS.SelectorList {
  const { sheet } = rule;
  const text = sheet.slice(rule.source.prelude);
  const outer = selectorsAround(rule);
  let at = rule.source.prelude.start;
  const selectors = parts(text).map((part) => {
    const start = sheet.text.indexOf(part, at);
    at = start + part.length;
    const full = outer.length ? nested(part, outer) : part;
    return { text: part, range: sheet.lines.range({ start, end: at }), specificity: specificity(full) };
  });
  return { selectors, text: outer.length ? (rule.css as CSSStyleRule).selectorText : text };
}

type Media = Protocol.CSS.CSSMedia;

/** CSS.CSSRule of a style rule, with the rules around it. */
export function describeRule(rule: Rule): Protocol.CSS.CSSRule {
  const { sheet } = rule;
  const around: Protocol.CSS.CSSRule = {
    styleSheetId: sheet.id,
    selectorList: selectorList(rule),
    origin: sheet.viaInspector ? "inspector" : "regular",
    style: ruleStyle(rule),
    media: sheetMedia(sheet),
    containerQueries: [],
    supports: [],
    layers: [],
    scopes: [],
    ruleTypes: [],
  };
  for (let r = rule.parent; r; r = r.parent) surround(around, r);
  return around;
}

function surround(to: Protocol.CSS.CSSRule, r: Rule): void {
  const place = { range: r.sheet.lines.range(r.source.prelude), styleSheetId: r.sheet.id };
  const text = r.sheet.slice(r.source.prelude);
  switch (r.source.name) {
    case "media":
      to.media?.push(mediaOf(text, "mediaRule", r.sheet, place.range));
      break;
    case "supports":
      to.supports?.push({ text, active: true, ...place });
      break;
    case "container":
      to.containerQueries?.push({ text, ...place } as Protocol.CSS.CSSContainerQuery);
      break;
    case "layer":
      to.layers?.push({ text, ...place });
      break;
    case "scope":
      to.scopes?.push({ text, ...place } as Protocol.CSS.CSSScope);
      break;
    case "style":
      to.nestingSelectors = [...(to.nestingSelectors ?? []), text];
      break;
    default:
      return;
  }
  const types: Record<string, string> = {
    media: "MediaRule",
    supports: "SupportsRule",
    container: "ContainerRule",
    layer: "LayerRule",
    scope: "ScopeRule",
    style: "StyleRule",
  };
  to.ruleTypes?.push(types[r.source.name] as Protocol.CSS.CSSRuleType);
}

export function mediaOf(text: string, source: Media["source"], sheet: Sheet, range?: Media["range"]): Media {
  return { text, source, sourceURL: sheet.css.href ?? sheet.doc.URL, ...(range && { range }), styleSheetId: sheet.id };
}

/** The media of the element or @import that loads a sheet. */
export function sheetMedia(sheet: Sheet): Media[] {
  const text = sheet.css.media?.mediaText;
  if (!text) return [];
  const source = sheet.css.ownerRule ? "importRule" : sheet.isInline ? "inlineSheet" : "linkedSheet";
  return [mediaOf(text, source, sheet)];
}

/** CSS.CSSKeyframesRule. */
export function describeKeyframes(rule: Rule): Protocol.CSS.CSSKeyframesRule {
  const { sheet } = rule;
  const value = (r: Rule): Protocol.CSS.Value => ({
    text: sheet.slice(r.source.prelude),
    range: sheet.lines.range(r.source.prelude),
  });
  return {
    animationName: value(rule),
    keyframes: rule.rules.map((r) => ({
      styleSheetId: sheet.id,
      origin: "regular",
      keyText: value(r),
      style: ruleStyle(r),
    })),
  };
}
