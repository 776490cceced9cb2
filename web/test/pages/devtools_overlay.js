// What DevTools point at and let a person pick, and $0.
await visit("/overlay", {
  html: "<style>*{margin:0}</style><p id=p style='width:100px;height:40px'>t</p><dialog id=d>d</dialog>",
});
const { root } = await cdp("DOM.getDocument", { depth: -1 });
const find = async (selector) => (await cdp("DOM.querySelector", { nodeId: root.nodeId, selector })).nodeId;
const nodeId = await find("#p");
const colour = { r: 255, g: 0, b: 0, a: 1 };
const highlightConfig = { contentColor: colour, showInfo: true };
const painted = () => value("document.querySelectorAll('cdphub-devtools').length");

await cdp("Overlay.enable");
await cdp("Overlay.highlightNode", { nodeId, highlightConfig });
is(await painted(), 1);
is(await value("document.querySelector('cdphub-devtools').shadowRoot"), null);
const html = (await cdp("DOM.getDocument", { depth: 2 })).root.children.find((n) => n.localName === "html");
is(
  html.children.map((n) => n.localName),
  ["head", "body"],
  "clients do not see it",
);
is(await value("document.elementFromPoint(10, 10).id"), "p", "the page's elements are where they were");
await cdp("Overlay.highlightRect", { x: 1, y: 2, width: 3, height: 4, color: colour });
is(await painted(), 1);
await cdp("Overlay.highlightQuad", { quad: [0, 0, 1, 0, 1, 1, 0, 1], color: colour });
await cdp("Overlay.highlightFrame", { frameId: "MAIN" });
await cdp("Overlay.highlightNode", { nodeId, highlightConfig });
await cdp("Overlay.hideHighlight");
is(await painted(), 0);
await fails(cdp("Overlay.highlightNode", { nodeId: -1, highlightConfig }), "Could not find node with given id");

// A person picks a node; the page does not hear of the click.
await value("clicks = 0, document.addEventListener('click', () => clicks++), 1");
const mouse = (type, more) =>
  cdp("Input.dispatchMouseEvent", { type, x: 20, y: 20, button: "left", clickCount: 1, ...more });
await cdp("Overlay.setInspectMode", { mode: "searchForNode", highlightConfig });
await mouse("mouseMoved", { button: "none", clickCount: 0 });
is((await event("Overlay.nodeHighlightRequested")).nodeId, nodeId);
await mouse("mousePressed");
await mouse("mouseReleased");
is((await event("Overlay.inspectNodeRequested")).backendNodeId, nodeId);
is([await value("clicks"), await painted()], [0, 0]);
await mouse("mousePressed");
await mouse("mouseReleased");
is(await value("clicks"), 1, "and hears of the next one");
await cdp("Overlay.setInspectMode", { mode: "searchForNode", highlightConfig });
await cdp("Input.dispatchKeyEvent", { type: "keyDown", key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 });
await event("Overlay.inspectModeCanceled");
await cdp("Overlay.setInspectMode", { mode: "none" });
await fails(
  cdp("Overlay.setInspectMode", { mode: "captureAreaScreenshot" }),
  "Overlay.setInspectMode is not possible in an embedded frame: the mode captureAreaScreenshot is not there",
);
await cdp("Overlay.setShowGridOverlays", { gridNodeHighlightConfigs: [] });
await fails(
  cdp("Overlay.setShowPaintRects", { result: true }),
  "Overlay.setShowPaintRects is not possible in an embedded frame: script does not learn what the browser paints, and when",
);
await cdp("Overlay.disable");

// The node that is selected, and other helpers of the console.
await cdp("DOM.setInspectedNode", { nodeId: await find("#d") });
await cdp("DOM.setInspectedNode", { nodeId });
const inConsole = async (expression, more = { includeCommandLineAPI: true }) =>
  (await cdp("Runtime.evaluate", { expression, returnByValue: true, ...more })).result.value;
is(await inConsole("[$0.id, $1.id, $2, $('p').id, $$('p').length, $x('//p')[0].id]"), ["p", "d", null, "p", 1, "p"]);
is(await inConsole("typeof $0", {}), "undefined");
await value("$0 = 5, 1");
is(await inConsole("$0"), 5, "the page's own comes first");

await value("d.showModal(), 1");
is((await cdp("DOM.getTopLayerElements")).nodeIds, [await find("#d")]);
