// The DOM domain where a client goes wrong, in Chromium 156's words, and the
// shapes that clients seldom ask for.
await visit("/errors", {
  html: `<p id="a">a</p><template id="t"><b>in</b></template>
<style>.box{position:absolute;width:100px;height:50px;padding:10px}</style>
<div class="box" id="turned" style="left:300px;top:100px;transform:rotate(30deg)"></div>
<div class="box" id="grown" style="left:300px;top:200px;border:5px solid;transform:scale(2)"></div>`,
});
await cdp("DOM.enable");
const { root } = await cdp("DOM.getDocument");
const find = (selector) => cdp("DOM.querySelector", { nodeId: root.nodeId, selector });

// chromedp gives up on the words of a bad selector and tries again after the others.
await fails(cdp("DOM.querySelector", { nodeId: -1, selector: "p" }), "Could not find node with given id");
await fails(cdp("DOM.querySelectorAll", { nodeId: -1, selector: "p" }), "Could not find node with given id");
await fails(cdp("DOM.querySelectorAll", { nodeId: root.nodeId, selector: "p[" }), "DOM Error while querying");
await fails(cdp("DOM.resolveNode", {}), "Either nodeId or backendNodeId must be specified.");
await fails(
  cdp("DOM.setNodeValue", { nodeId: root.nodeId, value: "x" }),
  "Can only set value of text nodes or processing instructions",
);
await fails(
  cdp("DOM.requestChildNodes", { nodeId: root.nodeId, depth: 0 }),
  "Please provide a positive integer as a depth or -1 for entire subtree",
);
is((await cdp("DOM.describeNode", { nodeId: root.nodeId, depth: 0 })).node.children, undefined);
is((await cdp("DOM.describeNode", await find("#t"))).node.templateContent.nodeName, "#document-fragment");

// Boxes that a transform turns or scales: quads follow it, width and height are those of the layout.
const round = (list) => list.map((n) => Math.round(n * 10) / 10);
const turned = (await cdp("DOM.getBoxModel", await find("#turned"))).model;
is(
  [round(turned.border), round(turned.content), turned.width, turned.height],
  [
    [325.5, 74.7, 429.5, 134.7, 394.5, 195.3, 290.5, 135.3],
    [329.2, 88.3, 415.8, 138.3, 390.8, 181.7, 304.2, 131.7],
    120,
    70,
  ],
);
is(round((await cdp("DOM.getContentQuads", await find("#turned"))).quads[0]), round(turned.border));
const grown = (await cdp("DOM.getBoxModel", await find("#grown"))).model;
is(
  [round(grown.border), round(grown.content), grown.width, grown.height],
  [[235, 160, 495, 160, 495, 320, 235, 320], [265, 190, 465, 190, 465, 290, 265, 290], 130, 80],
);
