// The parts of the agent that a document loads with the first command that needs them.
const order = [];
const noted = (name, answer) => answer.finally(() => order.push(name));
const loadedParts =
  "performance.getEntriesByType('resource').map((e) => new URL(e.name).pathname).filter((p) => /dom|accessibility|input|extras/.test(p)).sort().join()";
const html =
  '<button id=b onclick="document.title = \'pressed\'" style="position:fixed;left:0;top:0;width:50px;height:50px">Go</button>';

// Nothing is loaded before it is needed, or twice.
attach("S2");
await visit("/order", { html });
await cdp("Accessibility.enable");
await cdp("Runtime.enable");
is(await value(loadedParts), "");
const { root } = await cdp("DOM.getDocument");
is(await value(loadedParts), "/dom.js");

// Commands are carried out in the order in which they came, and answered so.
events.length = 0;
const click = { x: 10, y: 10, button: "left", clickCount: 1 };
const tree = noted("tree", cdp("Accessibility.getFullAXTree"));
const changed = noted("changed", value("b.textContent = 'Stop'; console.log('in its turn')"));
const pressed = noted("pressed", cdp("Input.dispatchMouseEvent", { ...click, type: "mousePressed" }));
const released = noted("released", cdp("Input.dispatchMouseEvent", { ...click, type: "mouseReleased" }));
const unknown = noted(
  "unknown",
  fails(cdp("Accessibility.noSuch"), "Method not found: Accessibility.noSuch ('Accessibility.noSuch' wasn't found)"),
);
const html1 = noted("html", cdp("DOM.getOuterHTML", { nodeId: root.nodeId }));
const other = noted("other session", cdp("Runtime.evaluate", { expression: "1" }, "S2"));
const twice = noted("other tree", cdp("Accessibility.getRootAXNode", {}, "S2"));
await Promise.all([tree, changed, pressed, released, unknown, html1, other, twice]);
is(
  (await tree).nodes.filter((n) => n.role.value === "button").map((n) => n.name.value),
  ["Go"],
);
is(await value("document.title"), "pressed");
is(
  order.filter((n) => /^tree$|changed|unknown|html/.test(n)),
  ["tree", "changed", "unknown", "html"],
);
is(
  order.filter((n) => /pressed|released/.test(n)),
  ["pressed", "released"],
);
is(order[0], "other session", "that waits for nothing");
const paths = "DOM.getFileInfo is not possible in an embedded frame: page script cannot see paths";
await fails(cdp("DOM.getFileInfo", { objectId: "1" }), paths);
is(await value(loadedParts), "/accessibility.js,/dom.js,/extras.js,/input.js");

// A session that has ended while its command waited has no effect.
await visit("/ended", { html });
attach("S3");
const gone = fails(
  cdp("Input.dispatchMouseEvent", { ...click, type: "mousePressed" }, "S3"),
  "Session with given id not found.",
);
port.postMessage(JSON.stringify({ icdp: "detached", sessionId: "S3" }));
await gone;
state.sessions.pop();

// What the page has done to the built-ins since does not matter.
const bent =
  "Map = Set = undefined; Array.prototype.map = Array.prototype.filter = null; Array.from = null; String.prototype.trim = null; Object.keys = null;" +
  "Map.prototype; ";
for (const policy of [
  "",
  "script-src 'nonce-abc' 'strict-dynamic'",
  "default-src 'none'; script-src 'nonce-abc'; style-src 'unsafe-inline'",
  "script-src 'self' 'unsafe-eval'; require-trusted-types-for 'script'; trusted-types hub-agent",
]) {
  await visit("/policy", { csp: policy, html: `<script nonce=abc>try { ${bent} } catch {}<\/script>${html}` });
  const nodes = (await cdp("Accessibility.getFullAXTree")).nodes;
  is(
    nodes.some((n) => n.role.value === "button" && n.name.value === "Go"),
    true,
    policy,
  );
  await cdp("Input.dispatchMouseEvent", { ...click, type: "mousePressed" });
  const found = await cdp("DOM.performSearch", { query: "#b" });
  is(found.resultCount, 1, policy);
}

// Where they cannot be loaded, commands say so, one after another, and others work.
await visit("/refused", { csp: `script-src ${APP}/agent.js 'unsafe-eval' 'unsafe-inline'`, html });
order.length = 0;
const refused = ["accessibility.js", "input.js"].map(
  (name) => `The page could not load ${name}: its Content Security Policy forbids it, or nothing serves it`,
);
await Promise.all([
  noted("tree", fails(cdp("Accessibility.getFullAXTree"), refused[0])),
  noted("press", fails(cdp("Input.dispatchMouseEvent", { ...click, type: "mousePressed" }), refused[1])),
  noted("value", value("1 + 1")),
]);
is(order, ["tree", "press", "value"]);
await fails(cdp("Accessibility.getFullAXTree"), refused[0]);
