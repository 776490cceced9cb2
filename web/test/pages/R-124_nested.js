// A frame of another origin that speaks the agents' protocol, with names that
// are the main document's, gets into the sessions with what is its own.
const forged = `<script>
  const liar = new MessageChannel();
  liar.port1.onmessage = () => top.postMessage({ got: { method: "believed" } }, "*");
  parent.postMessage({ icdp: "hello", v: 1, title: "x", url: "https://bank.example/", docId: "liar", base: 999998, features: ["sessions"] }, "*", [liar.port2]);
  parent.postMessage({ icdp: "hello", v: 1, title: "x", url: location.href, docId: "forged", base: 999999, features: ["sessions"] }, "*");
  onmessage = (e) => {
    if (e.data.icdp === "rebase") return;
    if (e.data.icdp !== "welcome") return top.postMessage({ got: e.data }, "*");
    const [port] = e.ports, { frameId, parentId, bases: [main] } = e.data;
    const say = (m) => port.postMessage(JSON.stringify(m));
    port.onmessage = (m) => top.postMessage({ got: JSON.parse(m.data) }, "*");
    const contexts = [{ executionContextId: main * 1000 + 1, executionContextUniqueId: main * 1000 + 1 + ".x" }];
    const kid = (id) => ({ frame: { id, parentId: frameId, loaderId: "x", url: location.href } });
    say({ icdp: "subtree", tree: { frame: { id: parentId, loaderId: "x", url: location.href }, childFrames: [kid(parentId), kid("SIBLING")] }, bases: [main, 999999], contexts, loaded: true });
    say({ icdp: "subtree", tree: { frame: { id: frameId, loaderId: "x", url: "https://bank.example/" } }, bases: [999999], contexts: [], loaded: true });
    say({ icdp: "subtree", bases: "none" });
    for (const m of [{ icdp: "close" }, { icdp: "close", openId: "999999.1" }, { icdp: "opener", openId: "999999.1", message: { data: "forged", targetOrigin: "*" } }, { icdp: "info", title: "Bank", url: "https://bank.example/" },
      { icdp: "popup", openId: main + ".1", close: true }, { icdp: "popup", openId: "none" }, { icdp: "open", url: "about:blank", openId: main + ".7" },
      { icdp: "attached", sessionId: "S9" }, { icdp: "hello" }, { icdp: "evalok" }]) say(m);
    const frame = (id, url) => ({ id, loaderId: "x", url });
    for (const [method, params] of [["Target.attachedToTarget", { sessionId: "S9" }], ["Browser.downloadProgress", {}],
      ["Page.frameNavigated", { frame: frame("MAIN", "https://bank.example/") }], ["Page.frameNavigated", { frame: frame(frameId, "https://bank.example/") }],
      ["Page.navigatedWithinDocument", { frameId, url: "https://bank.example/" }], ["Page.navigatedWithinDocument", { frameId: "MAIN", url: "x" }],
      ["Page.frameDetached", { frameId: "MAIN" }],
      ["Runtime.bindingCalled", { name: "tell", payload: "forged", executionContextId: main * 1000 + 1 }],
      ["Runtime.executionContextDestroyed", { executionContextId: main * 1000 + 1 }],
      ["Runtime.consoleAPICalled", { type: "log", args: [], executionContextId: main * 1000 + 1 }]]) say({ method, params: { ...params, forged: 1 }, sessionId: "S1" });
    say({ icdp: "popup", openId: "999999.1", message: { data: "own", targetOrigin: "*", origin: "https://bank.example" } });
    say({ method: "Fine.event", params: { forged: 1 }, sessionId: "S1" });
  };
<\/script>`;
const got = [];
addEventListener("message", (e) => e.data?.got && got.push(e.data.got));
for (const d of ["Page", "Runtime"]) state.sessions[0].domains.push(d);
const src = OTHER + "/forged?" + new URLSearchParams({ bare: 1, html: forged });
await visit("/main", { html: `<iframe src="${src.replaceAll("&", "&amp;")}"></iframe>` });
await event("Fine.event");
const main = events.find(
  (e) => e.method === "Runtime.executionContextCreated" && e.params.context.auxData.frameId === "MAIN",
).params.context.id;

is(
  events.filter((e) => e.params?.forged).map((e) => e.method),
  [],
  "events in the name of others",
);
is(
  events.filter((e) => ["close", "opener", "open", "attached", "hello", "evalok"].includes(e.icdp)),
  [],
  "what it asks of the Host",
);
is(
  events.filter((e) => e.icdp === "popup"),
  [{ icdp: "popup", openId: "999999.1", message: { data: "own", targetOrigin: "*", origin: "null" } }],
  "a window of its own, to which it does not speak in the name of the page",
);
is(
  events.filter((e) => e.icdp === "info" && e.url.startsWith("https://bank")),
  [],
);
const { frameTree } = await cdp("Page.getFrameTree");
is(
  [frameTree.frame.id, frameTree.childFrames.length, new URL(frameTree.childFrames[0].frame.url).origin],
  ["MAIN", 1, OTHER],
);
is(frameTree.childFrames[0].childFrames?.map((c) => c.frame.id) ?? [], ["SIBLING"], "below it, what is nobody else's");

is(
  got.filter((m) => m.method === "believed"),
  [],
  "a hello with an address of another origin gets no welcome",
);

// Commands for the main document are not given to it.
got.length = 0;
is((await cdp("Runtime.evaluate", { expression: "'of the page'", contextId: main })).result.value, "of the page");
const held = await cdp("Runtime.evaluate", { expression: "({ secret: 1 })", contextId: main });
is(
  (await cdp("Runtime.getProperties", { objectId: held.result.objectId, ownProperties: true })).result[0].name,
  "secret",
);
await cdp("Page.createIsolatedWorld", { frameId: "MAIN", worldName: "w" });
const { nodeId } = await cdp("DOM.querySelector", {
  nodeId: (await cdp("DOM.getDocument")).root.nodeId,
  selector: "iframe",
});
is((await cdp("DOM.describeNode", { nodeId })).node.nodeName, "IFRAME");
is(
  got.filter((m) => !/\.(enable|disable|addBinding|setAutoAttach)$/.test(m.method ?? ".enable")),
  [],
  "nothing of that was told to it",
);
