// Changes style sheets and style attributes. The change is made in CSSOM, and at the same place in the text of the
// sheet that Clients see.

import type { Protocol } from "../../cdp";
import { CommandError, agent } from "../agent";
import { type Rule, type Sheet, sheetOf, valid, withInner } from "./sheets";
import { type Span, parseSheet } from "./source";
import { describeRule, inlineStyle, ruleStyle, selectorList, styleSpan } from "./styles";

type Range = Protocol.CSS.SourceRange;

function offsets(sheet: Sheet, r: Range): Span {
  return { start: sheet.lines.offset(r.startLine, r.startColumn), end: sheet.lines.offset(r.endLine, r.endColumn) };
}

const same = (a: Span | undefined, b: Span): boolean => a?.start === b.start && a.end === b.end;

function find(sheet: Sheet, is: (r: Rule) => boolean): Rule | undefined {
  return withInner(sheet.rules).find(is);
}

const wrongRange = (what: string): CommandError =>
  new CommandError(`Source range didn't match existing ${what} source range`);

/** Replaces a part of the sheet's text, and tells the sessions. */
function splice(sheet: Sheet, at: Span, text: string): void {
  sheet.edited(sheet.text.slice(0, at.start) + text + sheet.text.slice(at.end));
  changed(sheet);
}

function changed(sheet: Sheet): void {
  agent.emit("CSS", "CSS.styleSheetChanged", { styleSheetId: sheet.id });
}

/** Finds a rule again by the start of its text, after its text has changed. */
function again(sheet: Sheet, start: number): Rule {
  const rule = find(sheet, (r) => r.source.span.start === start);
  if (!rule) throw new CommandError("The browser does not take the rule");
  return rule;
}

/** Gives a rule other declarations. */
function setRuleText(sheet: Sheet, range: Range, text: string): Protocol.CSS.CSSStyle {
  const at = offsets(sheet, range);
  const rule = find(sheet, (r) => r.source.block !== undefined && same(styleSpan(r), at));
  if (!rule) throw wrongRange("style");
  const { start } = rule.source.span;
  (rule.css as CSSStyleRule).style.cssText = text;
  splice(sheet, at, text);
  return ruleStyle(again(sheet, start));
}

function setInlineText(styleSheetId: string, text: string): Protocol.CSS.CSSStyle {
  const el = agent.elementOfParams({ nodeId: Number(styleSheetId.slice("inline-".length)) });
  el.setAttribute("style", text);
  return inlineStyle(el) as Protocol.CSS.CSSStyle;
}

/** CSS.setStyleTexts. */
export function setStyleTexts(p: Protocol.CSS.SetStyleTextsRequest): Protocol.CSS.SetStyleTextsResponse {
  const styles = p.edits.map(({ styleSheetId, range, text }) =>
    styleSheetId.startsWith("inline-")
      ? setInlineText(styleSheetId, text)
      : setRuleText(sheetOf(styleSheetId), range, text),
  );
  return { styles };
}

/**
 * Inserts the rules of a text into a sheet one by one. Rules that the browser does not accept are left out, as when a
 * sheet loads.
 */
function replaceRules(sheet: Sheet, text: string): void {
  const { css } = sheet;
  while (css.cssRules.length) css.deleteRule(0);
  for (const { span } of parseSheet(text)) {
    try {
      css.insertRule(text.slice(span.start, span.end), css.cssRules.length);
    } catch {
      // the rule stays in the text
    }
  }
  sheet.edited(text);
  changed(sheet);
}

/** CSS.setStyleSheetText. */
export function setStyleSheetText(p: Protocol.CSS.SetStyleSheetTextRequest): void {
  const sheet = sheetOf(p.styleSheetId);
  if (!sheet.list()) throw new CommandError("The style sheet is of another origin, and script may not change it");
  replaceRules(sheet, String(p.text));
}

/** Sets the text in front of a rule's block, and checks whether the browser has accepted it. */
function setPrelude(
  p: { styleSheetId: string; range: Range },
  what: string,
  text: string,
  set: (css: CSSRule) => boolean,
): { sheet: Sheet; rule: Rule } {
  const sheet = sheetOf(p.styleSheetId);
  const at = offsets(sheet, p.range);
  const rule = find(sheet, (r) => same(r.source.prelude, at));
  if (!rule) throw wrongRange(what);
  const { start } = rule.source.span;
  if (!set(rule.css)) throw new CommandError(`The ${what} is not valid: ${text}`);
  splice(sheet, at, text);
  return { sheet, rule: find(sheet, (r) => r.source.span.start === start) ?? rule };
}

/** CSS.setRuleSelector. */
export function setRuleSelector(p: Protocol.CSS.SetRuleSelectorRequest): Protocol.CSS.SetRuleSelectorResponse {
  const { rule } = setPrelude(p, "selector", p.selector, (css) => {
    if (!valid(p.selector)) return false;
    (css as CSSStyleRule).selectorText = p.selector;
    return true;
  });
  return { selectorList: selectorList(rule) };
}

/** CSS.setMediaText. */
export function setMediaText(p: Protocol.CSS.SetMediaTextRequest): Protocol.CSS.SetMediaTextResponse {
  const { sheet, rule } = setPrelude(p, "media", p.text, (css) => {
    const { media } = css as CSSMediaRule;
    media.mediaText = p.text;
    return !media.mediaText.includes("not all") || p.text.includes("not all");
  });
  return {
    media: {
      text: p.text,
      source: "mediaRule",
      sourceURL: sheet.css.href ?? sheet.doc.URL,
      range: sheet.lines.range(rule.source.prelude),
      styleSheetId: sheet.id,
    },
  };
}

/** CSS.setKeyframeKey. */
export function setKeyframeKey(p: Protocol.CSS.SetKeyframeKeyRequest): Protocol.CSS.SetKeyframeKeyResponse {
  const { sheet, rule } = setPrelude(p, "keyframe", p.keyText, (css) => {
    try {
      (css as CSSKeyframeRule).keyText = p.keyText;
      return true;
    } catch {
      return false;
    }
  });
  return { keyText: { text: p.keyText, range: sheet.lines.range(rule.source.prelude) } };
}

/** CSS.addRule: at a position in the text between two rules. */
export function addRule(p: Protocol.CSS.AddRuleRequest): Protocol.CSS.AddRuleResponse {
  const sheet = sheetOf(p.styleSheetId);
  const at = offsets(sheet, p.location);
  if (at.start !== at.end) throw new CommandError("Source range must be collapsed.");
  const before = sheet.rules.filter((r) => r.source.span.end <= at.start).length;
  const text = String(p.ruleText);
  try {
    sheet.css.insertRule(text, before);
  } catch (e) {
    throw new CommandError(`The rule is not valid: ${(e as Error).message}`);
  }
  splice(sheet, at, text);
  return { rule: describeRule(again(sheet, at.start + text.search(/\S/))) };
}
