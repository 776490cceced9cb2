await visit("/tree", {
  html: `
<h1>Orders</h1><form><label for="q">Search <b>all</b></label><input id="q" value="tea" required>
<label><input type="checkbox" id="c" checked> Paid only</label>
<select id="s"><option>Any</option><option selected>Paid</option></select><button id="go" aria-expanded="false" title="Finds them">Find</button></form>
<ul><li id="li">One <a id="a" href="/next">link</a></li></ul><p aria-hidden="true"><button id="no">no</button></p><p id="none" hidden>none</p>
<div id="host"></div><iframe id="kid" title="Inner" srcdoc="<title>In the frame</title><button>Deep</button>"></iframe>
<script>host.attachShadow({mode:"open"}).innerHTML="<style>button::before{content:'* '}</style><button>Shady</button>"<\/script>`,
});
await value(
  "new Promise((r) => { const f = () => document.getElementById('kid').contentDocument.querySelector('button') ? r() : setTimeout(f, 10); f(); })",
);
await cdp("Accessibility.enable");

const text = (v) => v?.value;
const property = (n, name) => text(n.properties.find((p) => p.name === name)?.value);
const named = (nodes, role, name) =>
  nodes.find((n) => !n.ignored && text(n.role) === role && (name === undefined || text(n.name) === name));

// The whole tree: one root, every child and parent listed, no id twice.
const { nodes } = await cdp("Accessibility.getFullAXTree");
const byId = new Map(nodes.map((n) => [n.nodeId, n]));
is(byId.size, nodes.length, "ids are unique");
is(
  nodes.filter((n) => !n.parentId).map((n) => [text(n.role), n.role.type, text(n.name), n.frameId]),
  [["RootWebArea", "internalRole", "/tree", "MAIN"]],
);
is(
  nodes.every((n) => n.childIds.every((id) => byId.get(id)?.parentId === n.nodeId)),
  true,
  "parents and children agree",
);

// Names, states and values.
is([property(named(nodes, "heading", "Orders"), "level"), named(nodes, "heading", "Orders").role.type], [1, "role"]);
const field = named(nodes, "textbox", "Search all");
is([text(field.value), property(field, "required"), property(field, "editable")], ["tea", true, "plaintext"]);
is(property(named(nodes, "checkbox", "Paid only"), "checked"), "true");
is(text(named(nodes, "combobox").value), "Paid");
is(property(named(nodes, "option", "Paid"), "selected"), true);
const find = named(nodes, "button", "Find");
is([property(find, "expanded"), text(find.description)], [false, "Finds them"]);
is(text(named(nodes, "ListMarker").name), "• ");
is(text(named(nodes, "button", "* Shady")?.role), "button", "in a shadow root, with generated text");
is(named(nodes, "button", "no"), undefined, "aria-hidden");

// Ids lead to nodes of the DOM, and back.
const { object } = await cdp("DOM.resolveNode", { backendNodeId: find.backendDOMNodeId });
is(
  (
    await cdp("Runtime.callFunctionOn", {
      objectId: object.objectId,
      functionDeclaration: "function () { return this.id; }",
      returnByValue: true,
    })
  ).result.value,
  "go",
);
const alone = (await cdp("Accessibility.getPartialAXTree", { objectId: object.objectId, fetchRelatives: false })).nodes;
is(
  alone.map((n) => [n.nodeId, text(n.name)]),
  [[find.nodeId, "Find"]],
);
const relatives = (await cdp("Accessibility.getPartialAXTree", { backendNodeId: find.backendDOMNodeId })).nodes;
is(
  [relatives.some((n) => n.nodeId === find.parentId), relatives.some((n) => text(n.role) === "RootWebArea")],
  [true, true],
);
const none = (await cdp("DOM.querySelector", { nodeId: (await cdp("DOM.getDocument")).root.nodeId, selector: "#none" }))
  .nodeId;
is(
  (await cdp("Accessibility.getPartialAXTree", { nodeId: none, fetchRelatives: false })).nodes.map((n) => n.ignored),
  [true],
  "not displayed",
);
await fails(cdp("Accessibility.getPartialAXTree", { backendNodeId: -1 }), "No node found for given backend id");

// Walking by single steps, up and down.
const { node: root } = await cdp("Accessibility.getRootAXNode");
is([root.nodeId, root.frameId], [nodes[0].nodeId, "MAIN"]);
const lineage = (await cdp("Accessibility.getAXNodeAndAncestors", { backendNodeId: find.backendDOMNodeId })).nodes;
is([lineage[0].nodeId, lineage[lineage.length - 1].nodeId], [find.nodeId, root.nodeId]);
const list = named(nodes, "list");
const popup = named(nodes, "MenuListPopup"); // without a DOM node
is(
  (await cdp("Accessibility.getChildAXNodes", { id: popup.nodeId })).nodes.map((n) => text(n.name)),
  ["Any", "Paid"],
);
is(
  (await cdp("Accessibility.getChildAXNodes", { id: list.nodeId })).nodes.map((n) => text(n.role)),
  ["listitem"],
);
const shallow = (await cdp("Accessibility.getFullAXTree", { depth: 1 })).nodes;
const first = shallow.filter((n) => !n.ignored).map((n) => text(n.role));
is(
  [first.includes("heading"), first.includes("list"), first.includes("listitem")],
  [true, true, false],
  "one level, ignored nodes not counted",
);
is(
  (await cdp("Accessibility.getChildAXNodes", { id: root.nodeId })).nodes.some((n) => text(n.role) === "heading"),
  true,
  "children of ignored children",
);
await fails(cdp("Accessibility.getChildAXNodes", { id: "1" }), "Invalid ID");

// Searching below a node by name and role.
const query = async (p) =>
  (await cdp("Accessibility.queryAXTree", { backendNodeId: root.backendDOMNodeId, ...p })).nodes.map((n) => [
    text(n.role),
    text(n.name),
  ]);
is(await query({ role: "button", accessibleName: "Find" }), [["button", "Find"]]);
is(await query({ role: "link" }), [["link", "link"]]);
is(await query({ role: "slider" }), []);

// A frame has a tree of its own; in its parent's it is one node.
is(text(named(nodes, "Iframe", "Inner").name), "Inner");
is(named(nodes, "button", "Deep"), undefined);
const kid = (await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame.id;
const inner = (await cdp("Accessibility.getFullAXTree", { frameId: kid })).nodes;
is([text(inner[0].name), inner[0].frameId, named(inner, "button", "Deep") !== undefined], ["In the frame", kid, true]);
await fails(cdp("Accessibility.getFullAXTree", { frameId: "none" }), "Frame with the given frameId is not found.");

// The tree is of the moment it is asked for.
await value("(document.getElementById('c').checked = false, document.getElementById('q').value = 'cake', 0)");
const later = (await cdp("Accessibility.getFullAXTree")).nodes;
is([property(named(later, "checkbox"), "checked"), text(named(later, "textbox").value)], ["false", "cake"]);
is(named(later, "textbox").nodeId, field.nodeId, "ids stay");
