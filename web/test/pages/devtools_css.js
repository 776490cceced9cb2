// The CSS domain with rules and sheets, as DevTools use it.
const sheet =
  "@layer low { p { color: rgb(1, 1, 1); } }\n" +
  "/* first */\n.a, p.b > i {\n  margin: 3px;\n  /* padding: 1px; */\n  nonsense: 1;\n}\n" +
  "@media (min-width: 1px) {\n  .a { color: red !important }\n}\n" +
  "@media (max-width: 1px) { .a { color: blue } }\n" +
  ".a::before { content: 'x' }\n.broken:: { color: red }\n" +
  "section { font-size: 20px; & .a { top: 1px } }\n@keyframes k { from { left: 0 } to { left: 9px } }";
await visit("/css", {
  html: `<style id=s>${sheet}</style><section><p class=a id=n style="color: green; width: 5px">t</p></section>`,
});
await cdp("CSS.enable");
const { header } = await event("CSS.styleSheetAdded");
is([header.isInline, header.length, header.frameId, header.origin], [true, sheet.length, "MAIN", "regular"]);
is((await cdp("CSS.getStyleSheetText", { styleSheetId: header.styleSheetId })).text, sheet);
const { root } = await cdp("DOM.getDocument", { depth: -1 });
const find = async (selector) => (await cdp("DOM.querySelector", { nodeId: root.nodeId, selector })).nodeId;
const nodeId = await find("#n");
const styles = () => cdp("CSS.getMatchedStylesForNode", { nodeId });
const selectors = (list) => list.map((m) => m.rule.selectorList.text);

const first = await styles();
is(selectors(first.matchedCSSRules), ["p", ".a, p.b > i", ".a", "& .a"], "in the order of the cascade");
is(first.matchedCSSRules[1].matchingSelectors, [0]);
is(
  first.matchedCSSRules[0].rule.layers.map((l) => l.text),
  ["low"],
);
is(
  first.matchedCSSRules[2].rule.media.map((m) => m.text),
  ["(min-width: 1px)"],
);
is(first.matchedCSSRules[3].rule.nestingSelectors, ["section"]);
is(
  first.pseudoElements.map((p) => [p.pseudoType, selectors(p.matches)]),
  [["before", [".a::before"]]],
);
is(selectors(first.inherited[0].matchedCSSRules), ["section"]);
is(
  first.inlineStyle.cssProperties.slice(0, 2).map((p) => [p.name, p.value, p.text]),
  [
    ["color", "green", "color: green;"],
    ["width", "5px", "width: 5px"],
  ],
);
const { style } = first.matchedCSSRules[1].rule;
is(
  style.cssProperties.slice(0, 3).map((p) => [p.name, p.value, p.disabled, p.parsedOk]),
  [
    ["margin", "3px", false, undefined],
    ["padding", "1px", true, undefined],
    ["nonsense", "1", false, false],
  ],
);
is([style.range.startLine, style.range.startColumn, style.range.endLine], [2, 13, 6]);
is(
  style.cssProperties.some((p) => p.name === "margin-top" && p.value === "3px"),
  true,
);

// Edits.
const margin = () => value("getComputedStyle(n).marginTop");
const edit = (s, text) => cdp("CSS.setStyleTexts", { edits: [{ styleSheetId: s.styleSheetId, range: s.range, text }] });
const once = (await edit(style, "\n  margin: 4px;\n  /* padding: 1px; */\n")).styles[0];
is([await margin(), once.cssProperties[0].value, once.range.endLine], ["4px", "4px", 5]);
await event("CSS.styleSheetChanged");
const twice = (await edit(once, "\n  margin: 12px;\n")).styles[0];
is([await margin(), twice.cssText], ["12px", "\n  margin: 12px;\n"]);
await fails(edit(style, "x: y"), "Source range didn't match existing style source range");
const nested = (await styles()).matchedCSSRules[3].rule;
await edit(nested.style, " top: 7px ");
is(await value("getComputedStyle(n).top"), "7px");
await edit(first.inlineStyle, "width: 9px");
is(await value("n.getAttribute('style')"), "width: 9px");
const named = (await styles()).matchedCSSRules[1].rule;
const range = { ...named.selectorList.selectors[0].range, endColumn: named.selectorList.selectors[1].range.endColumn };
const renamed = await cdp("CSS.setRuleSelector", { styleSheetId: named.styleSheetId, range, selector: ".c" });
is([renamed.selectorList.text, (await margin()) === "12px"], [".c", false]);
const { styleSheetId } = await cdp("CSS.createStyleSheet", { frameId: "MAIN" });
const at = { startLine: 0, startColumn: 0, endLine: 0, endColumn: 0 };
const made = await cdp("CSS.addRule", { styleSheetId, ruleText: "#n { margin: 1px }", location: at });
is([made.rule.selectorList.text, made.rule.origin, await margin()], ["#n", "inspector", "1px"]);
events.length = 0;
await cdp("CSS.setStyleSheetText", { styleSheetId, text: "#n { margin: 2px }" });
is((await event("CSS.styleSheetChanged")).styleSheetId, styleSheetId);
is(await margin(), "2px");

const classes = await cdp("CSS.collectClassNames", { styleSheetId: header.styleSheetId });
is(classes.classNames.includes("broken"), true);
const behind = await cdp("CSS.getBackgroundColors", { nodeId });
is([behind.backgroundColors, behind.computedFontSize], [["rgb(255, 255, 255)"], "20px"]);
const [query] = (await cdp("CSS.getMediaQueries")).medias;
const { media } = await cdp("CSS.setMediaText", { ...query, text: "(min-width: 2px)" });
is([media.text, media.range.startLine], ["(min-width: 2px)", query.range.startLine]);
await value("n.style.animation = '1s k', 1");
const [{ keyframes }] = (await styles()).cssKeyframesRules;
is(
  keyframes.map((k) => k.keyText.text),
  ["from", "to"],
);
const moved = { styleSheetId: header.styleSheetId, range: keyframes[1].keyText.range, keyText: "50%" };
is((await cdp("CSS.setKeyframeKey", moved)).keyText.text, "50%");
is(await value("[...s.sheet.cssRules].at(-1).cssRules[1].keyText"), "50%");

// The page changes its sheets.
await value("s.remove()");
is((await event("CSS.styleSheetRemoved")).styleSheetId, header.styleSheetId);
await value(
  "document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { top: 1px }' })), 1",
);
const added = await until("the new sheet", () =>
  events.find((e) => e.method === "CSS.styleSheetAdded" && e.params.header.isInline),
);
is(added.params.header.length, 14);
is((await cdp("CSS.getMediaQueries")).medias, []);
const track = () => cdp("CSS.trackComputedStyleUpdates", { propertiesToTrack: [{ name: "display", value: "grid" }] });
await track();
const waited = cdp("CSS.takeComputedStyleUpdates");
await track();
is((await waited).nodeIds, [], "a command that waits is answered");
const taken = cdp("CSS.takeComputedStyleUpdates");
await value("n.style.display = 'grid', 1");
is((await taken).nodeIds, [nodeId]);
await cdp("CSS.trackComputedStyleUpdatesForNode", { nodeId });
await value("n.style.display = 'flex', 1");
is((await event("CSS.computedStyleUpdated")).nodeId, nodeId);
await cdp("CSS.disable");
await fails(
  cdp("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: ["active"] }),
  "CSS.forcePseudoState is not possible in an embedded frame: script cannot put an element into a state such as :active",
);
