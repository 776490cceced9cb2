const body =
  "<style>body{margin:8px;font:16px/20px monospace;color:rgb(1,2,3);background:rgb(250,250,250)}#over{position:absolute;z-index:2;left:40px;top:30px;width:30px;height:30px;background:rgba(0,0,255,.5)}</style>" +
  '<p id=p class=k style="margin:0;width:60px">one two</p><input id=i value=v><input type=checkbox checked><textarea>ta</textarea><select><option>o1<option selected>o2</select>' +
  '<div id=over>z</div><div style="display:none">none</div><a href="#x">link</a><div id=sh>light</div><iframe srcdoc="<title>in</title><b>inner</b>"></iframe>';
await visit("/snapshot", { html: body });
await fails(cdp("DOMSnapshot.captureSnapshot"), "Invalid parameters");
await value(
  "i.value = 'now'; sh.attachShadow({ mode: 'open' }).innerHTML = '<i><slot></slot></i>'; new Promise((r) => setTimeout(r, 300))",
);
await cdp("DOMSnapshot.enable");
const all = {
  includePaintOrder: true,
  includeDOMRects: true,
  includeBlendedBackgroundColors: true,
  includeTextColorOpacities: true,
};
const taken = await cdp("DOMSnapshot.captureSnapshot", { computedStyles: ["display", "color"], ...all });
const {
  documents: [doc, inner],
  strings,
} = taken;
const text = (i) => strings[i] ?? "";
is(
  [
    taken.documents.length,
    text(doc.documentURL).startsWith(APP + "/snapshot?"),
    text(doc.title),
    text(doc.frameId),
    text(doc.encodingName),
  ],
  [2, true, "/snapshot", "MAIN", "UTF-8"],
);
is(new Set(strings).size, strings.length, "each string once");

const { nodes, layout, textBoxes } = doc;
const attributes = (i) => nodes.attributes[i].map(text);
const node = (id) =>
  nodes.attributes.findIndex((_, i) =>
    attributes(i).some((a, k) => k % 2 === 0 && a === "id" && attributes(i)[k + 1] === id),
  );
const count = nodes.nodeType.length;
for (const k of ["parentIndex", "nodeName", "nodeValue", "backendNodeId", "attributes"]) is(nodes[k].length, count, k);
is(
  nodes.parentIndex.every((p, i) => p < i),
  true,
  "parents come first",
);
is(text(nodes.nodeName[node("p")]), "P");
is(attributes(node("p")), ["id", "p", "class", "k", "style", "margin:0;width:60px"]);
is(text(nodes.inputValue.value[nodes.inputValue.index.indexOf(node("i"))]), "now");
is([nodes.inputChecked.index.length, nodes.optionSelected.index.length], [1, 1]);
is(nodes.textValue.value.map(text), ["ta"]);
is(
  nodes.shadowRootType.index.map((i) => text(nodes.nodeName[i])),
  ["I", "SLOT"],
);
const light = nodes.nodeValue.findIndex((v) => text(v) === "light");
is(text(nodes.nodeName[nodes.parentIndex[light]]), "SLOT", "as in the flat tree");
is(nodes.contentDocumentIndex.value, [1]);
is(
  [inner.nodes.nodeName.map(text).includes("B"), text(inner.title), inner.layout.bounds.length > 2],
  [true, "in", true],
);
const described = await cdp("DOM.describeNode", { backendNodeId: nodes.backendNodeId[node("p")] });
is(described.node.localName, "p", "ids are those of the DOM domain");

// Layout.
for (const k of Object.keys(layout)) if (k !== "stackingContexts") is(layout[k].length, layout.nodeIndex.length, k);
const box = (i) => layout.nodeIndex.indexOf(i);
const p = box(node("p"));
is(
  [layout.bounds[p], layout.styles[p].map(text), text(layout.blendedBackgroundColors[p]), layout.textColorOpacities[p]],
  [[8, 8, 60, 40], ["block", "rgb(1, 2, 3)"], "rgb(250, 250, 250)", 1],
);
is(layout.offsetRects[p], [8, 8, 60, 40]);
const none = nodes.nodeValue.findIndex((v) => text(v) === "none");
is(box(none), -1, "what is not displayed has no box");
const words = nodes.nodeValue.findIndex((v) => text(v) === "one two");
const lines = textBoxes.layoutIndex.flatMap((l, i) =>
  l === box(words) ? [[textBoxes.start[i], textBoxes.length[i], textBoxes.bounds[i][1]]] : [],
);
is(
  lines.map(([start, length]) => [start, length]),
  [
    [0, 4],
    [4, 3],
  ],
);
is(lines[1][2] > lines[0][2], true);
is(layout.paintOrders[box(node("over"))] > layout.paintOrders[p], true, "what lies above is painted later");
is(layout.stackingContexts.index.includes(box(node("over"))), true);
is(text(layout.blendedBackgroundColors[box(node("over"))]), "rgb(125, 125, 253)");

// What has changed shows; what was not asked for is not there.
await value("i.value = 'later'; scrollTo(0, 0); document.body.style.background = 'rgb(0, 0, 0)'");
const again = await cdp("DOMSnapshot.captureSnapshot", { computedStyles: [] });
is([again.strings.includes("later"), again.strings.includes("now")], [true, false]);
is(Object.keys(again.documents[0].layout), ["nodeIndex", "styles", "bounds", "text", "stackingContexts"]);
await cdp("DOMSnapshot.disable");
