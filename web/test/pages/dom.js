await visit("/dom", {
  html: `
<style>#pad{padding:10px;border:5px solid;margin:3px;width:100px;height:20px;position:absolute;left:50px;top:40px}
#far{margin-top:3000px}.box{height:80px;overflow:auto}.box p{margin:300px 0}</style>
<form><input id="name" data-x="1"><button class="a b">Go</button></form><div id="pad">pad</div><p id="hidden" hidden>no</p>
<div class="box"><p id="inner">inside</p></div><p id="far">far away</p>
<iframe id="kid" style="border:2px solid;padding:3px;position:absolute;left:300px;top:10px" srcdoc="<b id=deep style='position:absolute;left:7px;top:9px'>deep</b>"></iframe>
<div id="host"></div><script>host.attachShadow({mode:"open"}).innerHTML="<i id=shady>shady</i>"<\/script>`,
});
await cdp("DOM.enable");

// The tree, and ids that a client can name nodes by.
const { root } = await cdp("DOM.getDocument", { depth: -1 });
is([root.nodeType, root.nodeName, root.frameId, root.documentURL.startsWith(APP)], [9, "#document", "MAIN", true]);
const alone = (await cdp("DOM.getDocument", { depth: 0 })).root;
is([alone.nodeId, alone.children], [root.nodeId, undefined], "depth 0");
const html = root.children.find((n) => n.localName === "html");
is(html.frameId, "MAIN");
const input = await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "#name" });
is((await cdp("DOM.getAttributes", input)).attributes, ["id", "name", "data-x", "1"]);
is((await cdp("DOM.describeNode", input)).node.nodeName, "INPUT");
is(await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "#nothing" }), { nodeId: 0 });
await fails(cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "##" }), "DOM Error while querying");
await fails(cdp("DOM.describeNode", { nodeId: -1 }), "Could not find node with given id");
await fails(cdp("DOM.describeNode", { backendNodeId: -1 }), "No node found for given backend id");
await fails(cdp("DOM.describeNode", {}), "Either nodeId, backendNodeId or objectId must be specified");

// To an object and back, by each way of naming.
const { object } = await cdp("DOM.resolveNode", input);
is([object.subtype, object.className, object.description], ["node", "HTMLInputElement", "input#name"]);
is((await cdp("DOM.describeNode", { objectId: object.objectId })).node.backendNodeId, input.nodeId);
is(await cdp("DOM.requestNode", { objectId: object.objectId }), input);
await fails(cdp("DOM.resolveNode", { backendNodeId: -1 }), "No node with given id found");

// A node the client has not seen is told of with all its ancestors' children.
await cdp("DOM.getDocument", { depth: 1 });
events.length = 0;
const button = await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "button" });
const pushed = events
  .filter((e) => e.method === "DOM.setChildNodes")
  .flatMap((e) => e.params.nodes)
  .map((n) => n.nodeId);
is(pushed.includes(button.nodeId), true, "the button was pushed");

// Boxes, in integers where clients read integers.
const pad = await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "#pad" });
const { model } = await cdp("DOM.getBoxModel", pad);
is(
  [model.width, model.height, model.border.slice(0, 2), model.content.slice(0, 2), model.margin.slice(0, 2)],
  [130, 50, [53, 43], [68, 58], [50, 40]],
);
is((await cdp("DOM.getContentQuads", pad)).quads, [[53, 43, 183, 43, 183, 93, 53, 93]]);
const hidden = await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "#hidden" });
await fails(cdp("DOM.getBoxModel", hidden), "Could not compute box model.");
await fails(cdp("DOM.getContentQuads", hidden), "Could not compute content quads.");
await fails(cdp("DOM.scrollIntoViewIfNeeded", hidden), "Node does not have a layout object");
const loose = await cdp("Runtime.evaluate", { expression: "document.createElement('p')" });
await fails(cdp("DOM.scrollIntoViewIfNeeded", { objectId: loose.result.objectId }), "Node is detached from document");
is((await cdp("DOM.getNodeForLocation", { x: 100, y: 60 })).nodeId, pad.nodeId);
await fails(cdp("DOM.getNodeForLocation", { x: -5, y: 60 }), "No node found at given location");

// Below the fold and inside a scroller: into view, and only within the frame.
for (const selector of ["#far", "#inner"]) {
  const node = await cdp("DOM.querySelector", { nodeId: root.nodeId, selector });
  await cdp("DOM.scrollIntoViewIfNeeded", node);
  const [x, y] = (await cdp("DOM.getBoxModel", node)).model.border;
  is(x >= 0 && y >= 0 && y < 600, true, selector + " is in view");
}
is([scrollX, scrollY], [0, 0], "the Host page has not moved");
await value("scrollTo(0, 0)");

// A frame of the same origin, and a shadow root.
const kid = (
  await cdp("DOM.describeNode", {
    ...(await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "#kid" })),
    depth: -1,
    pierce: true,
  })
).node;
is([typeof kid.frameId, kid.contentDocument.nodeName], ["string", "#document"]);
const deep = await cdp("Runtime.evaluate", { expression: "kid.contentDocument.getElementById('deep')" });
is((await cdp("DOM.getBoxModel", { objectId: deep.result.objectId })).model.border.slice(0, 2), [
  300 + 2 + 3 + 7,
  10 + 2 + 3 + 9,
]);
is((await cdp("DOM.getFrameOwner", { frameId: kid.frameId })).backendNodeId, kid.backendNodeId);
await fails(cdp("DOM.getFrameOwner", { frameId: "none" }), "Frame with the given id was not found.");
const host = (
  await cdp("DOM.describeNode", {
    ...(await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: "#host" })),
    depth: -1,
    pierce: true,
  })
).node;
is([host.shadowRoots[0].shadowRootType, host.shadowRoots[0].children[0].attributes], ["open", ["id", "shady"]]);

// Searching by text, path and selector.
for (const [query, at] of [
  ["far away", "#far"],
  ["//form/input", "#name"],
  ["button.a", "button"],
]) {
  const s = await cdp("DOM.performSearch", { query });
  const { nodeIds } = await cdp("DOM.getSearchResults", { searchId: s.searchId, fromIndex: 0, toIndex: s.resultCount });
  const want = (await cdp("DOM.querySelector", { nodeId: root.nodeId, selector: at })).nodeId;
  const texts = await Promise.all(nodeIds.map(async (nodeId) => (await cdp("DOM.describeNode", { nodeId })).node));
  is(
    texts.some((n) => n.nodeId === want || n.parentId === want),
    true,
    query,
  );
  await cdp("DOM.discardSearchResults", s);
  await fails(
    cdp("DOM.getSearchResults", { searchId: s.searchId, fromIndex: 0, toIndex: 1 }),
    "No search session with given id found",
  );
}

// Changing it.
await cdp("DOM.setAttributeValue", { ...input, name: "value", value: "set" });
is(await value("document.getElementById('name').value"), "set");
await cdp("DOM.removeAttribute", { ...input, name: "data-x" });
is((await cdp("DOM.getOuterHTML", input)).outerHTML, '<input id="name" value="set">');
await cdp("DOM.setOuterHTML", { nodeId: button.nodeId, outerHTML: "<em>gone</em>" });
is(await value("document.forms[0].lastElementChild.outerHTML"), "<em>gone</em>");
await cdp("DOM.focus", input);
is(await value("document.activeElement.id"), "name");
await fails(cdp("DOM.focus", pad), "Element is not focusable");
await cdp("DOM.removeNode", input);
is(await value("document.getElementById('name')"), null);
await fails(
  cdp("DOM.setFileInputFiles", { files: ["/etc/passwd"], nodeId: pad.nodeId }),
  "Node is not a file input element",
);
const { computedStyle } = await cdp("CSS.getComputedStyleForNode", pad);
is(computedStyle.find((s) => s.name === "padding-left").value, "10px");

// The next document has other ids, and says so.
state.sessions[0].domains.push("DOM");
events.length = 0;
await visit("/next");
await event("DOM.documentUpdated");
await fails(cdp("DOM.describeNode", pad), "Could not find node with given id");
