// The fonts of a document that it has loaded from the network, for the picture's own style sheet.

import type { Resources } from "./resources";
import { sheetsOf } from "./sheet";
import { fetch } from "./natives";

/** The rules of the fonts that the document has loaded, with their files in them. */
export async function fontFaces(resources: Resources): Promise<string> {
  const rules: { rule: CSSFontFaceRule; base: string; used: Set<string> }[] = [];
  for (const doc of resources.documents) {
    const used = new Set<string>();
    for (const face of doc.fonts) if (face.status === "loaded") used.add(unquoted(face.family));
    if (used.size === 0) continue;
    for (const sheet of sheetsOf(doc)) for (const rule of await facesIn(sheet)) rules.push({ ...rule, used });
  }
  let text = "";
  for (const { rule, base, used } of rules) {
    if (!used.has(unquoted(rule.style.getPropertyValue("font-family")))) continue;
    const css = rule.cssText.replace(/url\("?([^")]+)"?\)/g, (_, url) => `url("${new URL(url, base).href}")`);
    if (!text.includes(css)) text += resources.inline(css, true);
  }
  return text;
}

const unquoted = (name: string): string => name.replace(/^["']|["']$/g, "");

/** Sheets of other origins, as they are read by a request. */
const foreign = new Map<string, Promise<CSSStyleSheet | undefined>>();

async function facesIn(sheet: CSSStyleSheet): Promise<{ rule: CSSFontFaceRule; base: string }[]> {
  const base = sheet.href ?? sheet.ownerNode?.baseURI ?? document.baseURI;
  let rules: CSSRuleList | undefined;
  try {
    rules = sheet.cssRules;
  } catch {
    rules = sheet.href ? (await readAgain(sheet.href))?.cssRules : undefined;
  }
  const all: { rule: CSSFontFaceRule; base: string }[] = [];
  const look = async (list: CSSRuleList): Promise<void> => {
    for (const rule of list) {
      const { styleSheet, cssRules } = rule as CSSImportRule & CSSGroupingRule;
      if (rule.constructor.name === "CSSFontFaceRule" || rule.cssText.startsWith("@font-face"))
        all.push({ rule: rule as CSSFontFaceRule, base });
      else if (styleSheet) all.push(...(await facesIn(styleSheet)));
      else if (cssRules?.length && !("selectorText" in rule)) await look(cssRules);
    }
  };
  if (rules) await look(rules);
  return all;
}

function readAgain(url: string): Promise<CSSStyleSheet | undefined> {
  let sheet = foreign.get(url);
  if (!sheet) {
    sheet = fetch(url)
      .then((response) => response.text())
      .then((text) => new CSSStyleSheet({ baseURL: url }).replace(text))
      .catch(() => undefined);
    foreign.set(url, sheet);
  }
  return sheet;
}
