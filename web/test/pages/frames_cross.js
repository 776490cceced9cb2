// Child frames of another origin: with an agent, at any depth, and without.
const page = (path, q = {}) => path + "?" + new URLSearchParams(q);
const other = (path, q) => OTHER + page(path, q);
const lifecycle = (frameId, name) =>
  until(`${name} of ${frameId}`, () =>
    events.find((e) => e.method === "Page.lifecycleEvent" && e.params.frameId === frameId && e.params.name === name),
  );
const contextOf = async (frameId) =>
  (
    await until("a context of " + frameId, () =>
      events.findLast(
        (e) =>
          e.method === "Runtime.executionContextCreated" &&
          e.params.context.auxData.frameId === frameId &&
          e.params.context.auxData.isDefault,
      ),
    )
  ).params.context.id;
const evaluateIn = async (frameId, expression, more = {}) => {
  const r = await cdp("Runtime.evaluate", {
    expression,
    contextId: await contextOf(frameId),
    returnByValue: true,
    awaitPromise: true,
    ...more,
  });
  if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception.description);
  return more.returnByValue === false ? r.result : r.result.value;
};
const urls = (tree) => [new URL(tree.frame.url).pathname, ...(tree.childFrames ?? []).map(urls)];
const frameTree = async () => (await cdp("Page.getFrameTree")).frameTree;

for (const d of ["Page", "Runtime", "Network", "DOM"]) state.sessions[0].domains.push(d);
state.sessions[0].lifecycle = true;
state.sessions[0].scripts.push({ identifier: "1", source: "early = document.scripts.length" });
state.sessions[0].bindings.push({ name: "tell" });
const text =
  "<p style='margin:0;height:2000px'></p><input id=i style='position:absolute;left:20px;top:900px;width:100px'><iframe src='/inner' style='border:0'></iframe>";
const style = "border:3px solid;padding:2px;position:absolute;left:50px;top:700px;width:300px;height:200px";
await visit("/main", {
  html: `<div style="height:3000px"></div><iframe id=f name=far style="${style}" src="${other("/cross", { html: text }).replaceAll('"', "&quot;")}"></iframe>`,
});
await event("Page.loadEventFired");

// The tree: the cross-origin child, and below it a child of that one's own origin.
const top = await frameTree();
is(urls(top), ["/main", ["/cross", ["/inner"]]]);
const cross = top.childFrames[0].frame;
const inner = top.childFrames[0].childFrames[0].frame;
is([cross.parentId, cross.name, cross.securityOrigin, inner.parentId], ["MAIN", "far", OTHER, cross.id]);
const order = (id) =>
  events
    .filter((e) => (e.params?.frameId ?? e.params?.frame?.id ?? e.params?.context?.auxData.frameId) === id)
    .filter((e) => !e.method.startsWith("Network.") || e.params.type === "Document")
    .map((e) => e.method.replace(/^\w+\./, "") + (e.method.endsWith("lifecycleEvent") ? " " + e.params.name : ""));
await lifecycle(cross.id, "load");
const got = order(cross.id);
// The page may meet its Host before or after it meets the frame: only then a request for the frame is told of.
is(
  got.filter((m) => !m.startsWith("lifecycleEvent") && m !== "frameRequestedNavigation"),
  [
    "frameAttached",
    "frameStartedNavigating",
    "frameStartedLoading",
    "requestWillBeSent",
    "responseReceived",
    "frameNavigated",
    "executionContextCreated",
    "frameStoppedLoading",
  ],
);
// It may also tell of the blank document that was in the frame before.
const marks = got.filter((m) => m.startsWith("lifecycleEvent"));
is(
  marks.slice(marks.lastIndexOf("lifecycleEvent init")).slice(0, 4),
  ["init", "commit", "DOMContentLoaded", "load"].map((n) => "lifecycleEvent " + n),
);
const at = (method, id) =>
  events.findIndex((e) => e.method === method && (e.params.frameId ?? e.params.frame?.id) === id);
const mainLoad = events.findIndex(
  (e) => e.method === "Page.lifecycleEvent" && e.params.frameId === "MAIN" && e.params.name === "load",
);
is([at("Page.frameAttached", cross.id) < mainLoad, at("Page.frameNavigated", cross.id) < mainLoad], [true, true]);
const sent = events.find((e) => e.method === "Network.requestWillBeSent" && e.params.frameId === cross.id).params;
is([sent.requestId, sent.type], [cross.loaderId, "Document"]);

// Evaluating, objects, exceptions, bindings.
is(await evaluateIn(cross.id, "location.origin"), OTHER);
is(await evaluateIn(cross.id, "typeof early"), "number");
is(await evaluateIn(inner.id, "location.pathname + typeof tell"), "/innerfunction");
const held = await evaluateIn(cross.id, "({ a: 1 })", { returnByValue: false });
is((await cdp("Runtime.getProperties", { objectId: held.objectId, ownProperties: true })).result[0].name, "a");
is(
  (
    await cdp("Runtime.callFunctionOn", {
      objectId: held.objectId,
      functionDeclaration: "function() { return this.a + 1 }",
      returnByValue: true,
    })
  ).result.value,
  2,
);
for (const [method, name, expression] of [
  ["Runtime.awaitPromise", "promiseObjectId", "Promise.resolve(1)"],
  ["Runtime.getExceptionDetails", "errorObjectId", "new Error('x')"],
]) {
  const { objectId } = await evaluateIn(cross.id, expression, { returnByValue: false, awaitPromise: false });
  is(Object.keys(await cdp(method, { [name]: objectId })).length, 1, method);
}
await evaluateIn(cross.id, "tell('hello')");
is((await event("Runtime.bindingCalled")).executionContextId, await contextOf(cross.id));
await evaluateIn(cross.id, "console.log('said', 1)");
is((await event("Runtime.consoleAPICalled")).executionContextId, await contextOf(cross.id));
const world = await cdp("Page.createIsolatedWorld", { frameId: inner.id, worldName: "util" });
is(
  (await cdp("Runtime.evaluate", { expression: "location.pathname", contextId: world.executionContextId })).result
    .value,
  "/inner",
);
await cdp("Runtime.addBinding", { name: "later" });
is(await evaluateIn(inner.id, "typeof later"), "function");

// Nodes, both ways between a frame and its element.
const owner = await cdp("DOM.getFrameOwner", { frameId: cross.id });
is((await cdp("DOM.describeNode", { backendNodeId: owner.backendNodeId })).node.frameId, cross.id);
const innerOwner = await cdp("DOM.getFrameOwner", { frameId: inner.id });
is((await cdp("DOM.describeNode", { backendNodeId: innerOwner.backendNodeId })).node.frameId, inner.id);
const root = await evaluateIn(cross.id, "document.documentElement", { returnByValue: false });
is((await cdp("DOM.describeNode", { objectId: root.objectId })).node.frameId, cross.id);
const input = await evaluateIn(cross.id, "i", { returnByValue: false });
const { backendNodeId } = (await cdp("DOM.describeNode", { objectId: input.objectId })).node;
is(
  (await cdp("DOM.resolveNode", { backendNodeId, executionContextId: await contextOf(cross.id) })).object.subtype,
  "node",
);

// Geometry and input: scrolled into view on every level, quads in the Target's viewport.
await cdp("DOM.scrollIntoViewIfNeeded", { objectId: input.objectId });
const [quad] = (await cdp("DOM.getContentQuads", { objectId: input.objectId })).quads;
const frameBox = await value("(r => [r.left, r.top])(f.getBoundingClientRect())");
const own = await evaluateIn(cross.id, "(r => [r.left, r.top])(i.getBoundingClientRect())");
is([quad[0], quad[1]], [frameBox[0] + 5 + own[0], frameBox[1] + 5 + own[1]], "past border and padding");
is(quad[1] > 0 && quad[5] < 600, true, "in view");
is((await cdp("DOM.getBoxModel", { backendNodeId })).model.border, quad);
const x = (quad[0] + quad[2]) / 2,
  y = (quad[1] + quad[5]) / 2;
const [sx, sy] = await value("[scrollX, scrollY]"); // locations count from the document's corner
is(
  (await cdp("DOM.getNodeForLocation", { x: Math.round(x + sx), y: Math.round(y + sy) })).backendNodeId,
  backendNodeId,
);
await evaluateIn(
  cross.id,
  "log = []; for (const t of ['mouseover', 'mousedown', 'click', 'mouseleave']) document.documentElement.addEventListener(t, (e) => log.push(t + ' ' + e.target.localName)); 1",
);
await value(
  "heard = []; for (const t of ['mousedown', 'click', 'mouseover']) f.addEventListener(t, () => heard.push(t)); 1",
);
for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
  await cdp("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
}
is(await evaluateIn(cross.id, "log"), ["mouseover input", "mousedown input", "click input"]);
is(await value("heard"), ["mouseover"]);
await cdp("Input.insertText", { text: "ab" });
await cdp("Input.dispatchKeyEvent", { type: "keyDown", key: "c", code: "KeyC", text: "c", windowsVirtualKeyCode: 67 });
is(await evaluateIn(cross.id, "i.value"), "abc");
await cdp("Input.dispatchMouseEvent", { type: "mouseMoved", x: 5, y: 5 });
is((await evaluateIn(cross.id, "log")).at(-1), "mouseleave html");

// The same where CSS draws the frame at half its size.
await value("f.style.transform = 'scale(.5)', f.style.transformOrigin = '0 0', log = [], 1");
await evaluateIn(cross.id, "log = [], 1");
const [small] = (await cdp("DOM.getContentQuads", { objectId: input.objectId })).quads;
is([small[0], small[1]], [frameBox[0] + (5 + own[0]) / 2, frameBox[1] + (5 + own[1]) / 2], "half its size");
const middle = { x: (small[0] + small[2]) / 2, y: (small[1] + small[5]) / 2 };
for (const type of ["mousePressed", "mouseReleased"])
  await cdp("Input.dispatchMouseEvent", { type, ...middle, button: "left", clickCount: 1 });
is((await evaluateIn(cross.id, "log")).slice(-2), ["mousedown input", "click input"]);
await value("f.style.transform = '', 1");
const nodes = (await cdp("Accessibility.getFullAXTree", { frameId: cross.id })).nodes;
is(
  nodes.some((n) => n.role.value === "textbox" && n.backendDOMNodeId === backendNodeId),
  true,
);

// The focus, set by script, decides where keys go.
await value("b = document.createElement('input'); document.body.prepend(b); b.focus(); 1");
await cdp("Input.insertText", { text: "main" });
is(await value("b.value"), "main");
await evaluateIn(cross.id, "i.select(); i.focus(); 1");
// The frame is in another process: each hears of the focus in its own time.
await until(
  "the focus",
  async () => (await value("document.activeElement === f")) && (await evaluateIn(cross.id, "document.hasFocus()")),
);
await cdp("Input.insertText", { text: "far" });
is(await evaluateIn(cross.id, "i.value"), "far");

// What a request of the child carries.
events.length = 0;
is(await evaluateIn2(cross.id), '{"answer":42}');
async function evaluateIn2() {
  const r = await cdp("Runtime.callFunctionOn", {
    objectId: root.objectId,
    awaitPromise: true,
    returnByValue: true,
    functionDeclaration: "() => fetch('/data.json').then(r => r.text())",
  });
  return r.result.value;
}
const fetched = await until("the fetch", () =>
  events.find((e) => e.method === "Network.requestWillBeSent" && e.params.type === "Fetch"),
);
is(fetched.params.frameId, cross.id);
await until("its end", () =>
  events.find((e) => e.method === "Network.loadingFinished" && e.params.requestId === fetched.params.requestId),
);
is((await cdp("Network.getResponseBody", { requestId: fetched.params.requestId })).body, '{"answer":42}');

// Navigation: by the client to another page with an agent, by the child itself, to a page without.
events.length = 0;
const there = await cdp("Page.navigate", { frameId: cross.id, url: other("/next", { status: 404, html: "next" }) });
is([there.frameId, there.errorText], [cross.id, undefined]);
await lifecycle(cross.id, "load");
is(events.find((e) => e.method === "Page.frameNavigated").params.frame.loaderId, there.loaderId);
is(
  events.filter((e) => e.method === "Page.frameDetached").map((e) => e.params.frameId),
  [inner.id],
);
is(events.filter((e) => e.method === "Runtime.executionContextDestroyed").length >= 2, true);
is(events.find((e) => e.method === "Network.responseReceived").params.response.status, 404);
is(await evaluateIn(cross.id, "document.body.textContent"), "next");
is(await evaluateIn(cross.id, "typeof later"), "function", "a later document has the bindings too");
is(urls(await frameTree()), ["/main", ["/next"]]);
events.length = 0;
await evaluateIn3("history.pushState({}, '', '/spa')");
async function evaluateIn3(expression) {
  const { executionContextId } = await cdp("Page.createIsolatedWorld", { frameId: cross.id, worldName: "util" });
  await cdp("Runtime.evaluate", { expression, contextId: executionContextId });
}
is((await event("Page.navigatedWithinDocument")).frameId, cross.id);
is(urls(await frameTree()), ["/main", ["/spa"]]);
events.length = 0;
await evaluateIn3("setTimeout(() => location.href = '/own', 0)");
await lifecycle(cross.id, "load");
const loaders = new Set(
  events
    .filter((e) => e.params.frameId === cross.id && e.params.loaderId && e.method !== "Page.lifecycleEvent")
    .map((e) => e.params.loaderId),
);
is([loaders.size, events.filter((e) => e.method === "Page.frameNavigated").length], [1, 1]);
events.length = 0;
is((await cdp("Page.navigate", { frameId: cross.id, url: other("/bare", { bare: 1 }) })).errorText, undefined);
await lifecycle(cross.id, "load");
is(urls(await frameTree()), ["/main", ["/bare"]]);
await fails(evaluateIn(cross.id, "1"), "Cannot find context with specified id");
// Clients try again upon that error, and do not upon an exception.
const why = () => evaluateIn(cross.id, "1").catch((e) => /^Error: cdphub: clients cannot see into/.test(e.message));
is(await until("the reason", why), true);
events.length = 0;
is((await cdp("Page.navigate", { frameId: cross.id, url: APP + "/home" })).errorText, undefined);
await lifecycle(cross.id, "load");
is(await evaluateIn(cross.id, "location.pathname"), "/home");
events.length = 0;
await cdp("Page.navigate", { frameId: cross.id, url: other("/again") });
await lifecycle(cross.id, "load");
events.length = 0;
await value("f.remove()");
is((await event("Page.frameDetached")).frameId, cross.id);
await until("its contexts' end", () => events.find((e) => e.method === "Runtime.executionContextDestroyed"));

// A session that comes later is told of all; another origin two levels down.
events.length = 0;
const deep = `<iframe src="${(APP + page("/deep", { html: "<input id=d style='position:absolute;left:10px;top:10px'>" })).replaceAll('"', "&quot;")}"></iframe>`;
await value(
  `g = document.createElement("iframe"); g.src = ${JSON.stringify(other("/middle", { html: deep }))}; document.body.prepend(g); g.onload = () => 1; 1`,
);
await until("the deep frame", () =>
  events.find((e) => e.method === "Page.frameNavigated" && e.params.frame.url.includes("/deep")),
);
const deepId = events.find((e) => e.method === "Page.frameNavigated" && e.params.frame.url.includes("/deep")).params
  .frame.id;
await lifecycle(deepId, "load");
is(urls(await frameTree()), ["/main", ["/middle", ["/deep"]]]);
attach("S2");
await cdp("Runtime.enable", {}, "S2");
const second = await until("the deep context", () =>
  events.find((e) => e.sessionId === "S2" && e.params.context?.auxData.frameId === deepId),
);
is(
  (await cdp("Runtime.evaluate", { expression: "location.pathname", contextId: second.params.context.id }, "S2")).result
    .value,
  "/deep",
);
const d = await evaluateIn(deepId, "d", { returnByValue: false });
await value("g.style.marginTop = '1500px'; 1");
await cdp("DOM.scrollIntoViewIfNeeded", { objectId: d.objectId });
const [q] = (await cdp("DOM.getContentQuads", { objectId: d.objectId })).quads;
is(q[1] > 0 && q[5] < 600, true, "in view from two levels down");
for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
  await cdp("Input.dispatchMouseEvent", { type, x: q[0] + 5, y: q[1] + 5, button: "left", clickCount: 1 });
}
await cdp("Input.insertText", { text: "deep" });
is(await evaluateIn(deepId, "d.value"), "deep");

// The id of an element without a name is the frame's name.
await visit("/named", { html: `<iframe id=byId src="${other("/cross").replaceAll('"', "&quot;")}"></iframe>` });
let named;
for (const end = Date.now() + 5000; named !== "byId" && Date.now() < end; )
  named = (await frameTree()).childFrames?.[0].frame.name;
is(named, "byId");
