// The CSS domain.

import type { Protocol } from "../../cdp";
import { CommandError, type Handlers, type Session, agent, impossible } from "../agent";
import { forget, take, track, trackNode } from "./computed";
import { addRule, setKeyframeKey, setMediaText, setRuleSelector, setStyleSheetText, setStyleTexts } from "./edit";
import { matchedStyles } from "./match";
import { addSheet, allSheets, knowRoot, sheetOf, sync, withInner } from "./sheets";
import { inlineStyle, mediaOf, sheetMedia } from "./styles";

let observer: MutationObserver | undefined;
let soon = false;

/** Reads the sheets again after elements with sheets were added, changed or removed. */
function changed(): void {
  if (soon) return;
  soon = true;
  agent.originals.setTimeout(() => {
    soon = false;
    void sync();
  }, 50);
}

async function enable(_p: object, s: Session): Promise<void> {
  for (const known of allSheets()) s.emit("CSS.styleSheetAdded", { header: known.header() });
  s.enabled.add("CSS"); // sync() sends the first events
  if (!observer) {
    observer = new MutationObserver((records) => {
      const styles = (n: Node): boolean => /^(style|link|head|svg)$/i.test(n.nodeName) || n.nodeName === "#text";
      const one = (r: MutationRecord): boolean =>
        [...r.addedNodes, ...r.removedNodes].some(styles) || /^(style|link)$/i.test(r.target.nodeName);
      if (records.some(one)) changed();
    });
    observer.observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ["href", "rel", "disabled", "media"],
    });
    document.addEventListener("load", (e) => (e.target as Element).localName === "link" && changed(), true);
  }
  await sync();
}

async function elementOf(p: { nodeId: number }): Promise<Element> {
  const el = agent.elementOfParams({ nodeId: p.nodeId }, "Node with given id is not an element");
  knowRoot(el.getRootNode());
  if (el.shadowRoot) knowRoot(el.shadowRoot);
  if (el.assignedSlot) knowRoot(el.assignedSlot.getRootNode());
  await sync();
  return el;
}

function mediaQueries(): Protocol.CSS.CSSMedia[] {
  const found: Protocol.CSS.CSSMedia[] = [];
  for (const sheet of allSheets()) {
    found.push(...sheetMedia(sheet));
    for (const { source } of withInner(sheet.rules).filter((r) => r.source.name === "media"))
      found.push(mediaOf(sheet.slice(source.prelude), "mediaRule", sheet, sheet.lines.range(source.prelude)));
  }
  return found;
}

/** The web font of an element's text. Script cannot know which installed font the browser has chosen. */
function platformFonts(el: Element): Protocol.CSS.GetPlatformFontsForNodeResponse {
  const style = agent.styleOf(el);
  const [family = ""] = style.fontFamily.split(",").map((f) => f.trim().replace(/^["']|["']$/g, ""));
  const loaded = [...el.ownerDocument.fonts].find(
    (f) => f.status === "loaded" && f.family.replace(/^["']|["']$/g, "") === family,
  );
  if (!loaded)
    throw impossible("CSS.getPlatformFontsForNode", "script is not told which installed font the browser has chosen");
  const text = [...el.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.nodeValue?.trim() ?? "");
  return {
    fonts: [{ familyName: family, postScriptName: family, isCustomFont: true, glyphCount: text.join("").length }],
  };
}

/** The colours behind the text of an element, up to the first opaque one. */
function backgrounds(el: Element): Protocol.CSS.GetBackgroundColorsResponse {
  const { fontSize, fontWeight } = agent.styleOf(el);
  const font = { computedFontSize: fontSize, computedFontWeight: fontWeight };
  if (![...el.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.nodeValue?.trim())) return font;
  const colours: string[] = [];
  for (let at: Element | null = el; at; at = at.parentElement) {
    const colour = agent.styleOf(at).backgroundColor;
    if (/^rgb\(/.test(colour)) return { backgroundColors: [colour], ...font };
    if (!/, 0\)$|\/ 0\)$/.test(colour)) colours.push(colour);
  }
  return { backgroundColors: colours.length ? colours : ["rgb(255, 255, 255)"], ...font };
}

export const css: Handlers<"CSS"> = {
  enable,
  disable: (_p, s) => forget(s),
  getMatchedStylesForNode: async (p) => matchedStyles(await elementOf(p)),
  getInlineStylesForNode: async (p) => {
    const style = inlineStyle(await elementOf(p));
    return style ? { inlineStyle: style } : {};
  },
  getStyleSheetText: async (p) => {
    await sync();
    return { text: sheetOf(p.styleSheetId).text };
  },
  getBackgroundColors: async (p) => backgrounds(await elementOf(p)),
  getMediaQueries: async () => {
    await sync();
    return { medias: mediaQueries() };
  },
  getPlatformFontsForNode: async (p) => platformFonts(await elementOf(p)),
  collectClassNames: async (p) => {
    await sync();
    return {
      classNames: [...new Set([...sheetOf(p.styleSheetId).text.matchAll(/\.(-?[_a-zA-Z][\w-]*)/g)].map((m) => m[1]))],
    };
  },
  createStyleSheet: (p) => {
    const doc = agent.allFrames().find((f) => f.id === p.frameId)?.win?.document;
    if (!doc) throw new CommandError("No frame with given id found");
    return { styleSheetId: addSheet(doc).id };
  },
  setStyleTexts,
  setStyleSheetText: (p) => {
    setStyleSheetText(p);
    return {};
  },
  setRuleSelector,
  setMediaText,
  setKeyframeKey,
  addRule,
  trackComputedStyleUpdates: track,
  takeComputedStyleUpdates: (_p, s) => take(s),
  trackComputedStyleUpdatesForNode: trackNode,
  forcePseudoState: (p) => {
    if (p.forcedPseudoClasses?.length)
      throw impossible("CSS.forcePseudoState", "script cannot put an element into a state such as :active");
  },
};
