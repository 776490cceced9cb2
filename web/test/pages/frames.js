// Child frames of the same origin: their events in Chromium's order.
const page = (path, q = {}) => path + "?" + new URLSearchParams(q);
const bare = (path, html = "") => page(path, { bare: 1, html });
const DOMAINS = ["Page", "Runtime", "Network"];
const quoted = JSON.stringify;

/** The events of a frame, in short: the method, and the name of a lifecycle event. */
function story(frameId) {
  const contexts = new Set();
  const out = [];
  for (const { method, params: p = {} } of events) {
    const id = p.frameId ?? p.frame?.id ?? p.context?.auxData.frameId;
    if (p.context && id === frameId) contexts.add(p.context.id);
    const own =
      id === frameId || contexts.has(p.executionContextId) || (p.requestId && p.requestId === loaderOf(frameId));
    if (own) out.push(method.replace(/^\w+\./, "") + (p.name && method.endsWith("lifecycleEvent") ? " " + p.name : ""));
  }
  return out;
}
const loaderOf = (frameId) =>
  events.findLast((e) => e.method === "Page.frameStartedNavigating" && e.params.frameId === frameId)?.params.loaderId;
const lifecycle = async (frameId, name, loaderId) => {
  for (const end = Date.now() + 5000; Date.now() < end; await new Promise((r) => setTimeout(r, 10))) {
    const found = events.find(
      (e) =>
        e.method === "Page.lifecycleEvent" &&
        e.params.frameId === frameId &&
        e.params.name === name &&
        (!loaderId || e.params.loaderId === loaderId),
    );
    if (found) return found.params;
  }
  throw new Error(`no ${name} of ${frameId}: ${story(frameId)}`);
};
const evaluateIn = async (frameId, expression) => {
  const { executionContextId: c } = await cdp("Page.createIsolatedWorld", { frameId, worldName: "util" });
  const r = await cdp("Runtime.evaluate", { expression, contextId: c, returnByValue: true, awaitPromise: true });
  if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception.description);
  return r.result.value;
};
const attached = async () => (await event("Page.frameAttached")).frameId;

await visit("/frames");
for (const d of DOMAINS) await cdp(d + ".enable");
await cdp("Page.setLifecycleEventsEnabled", { enabled: true });
await cdp("Page.addScriptToEvaluateOnNewDocument", {
  source: "window.early = document.scripts.length + (document.body ? 1 : 0)",
  identifier: "1",
});
await cdp("Runtime.addBinding", { name: "tell" });
events.length = 0;

// A page without an agent's tag: seen before its own scripts.
const html = "<script>seen = [typeof early, typeof tell]; tell('from child')<\/script>child";
await value(
  `f = document.createElement("iframe"); f.name = "kid"; f.src = ${quoted(bare("/one", html))}; document.body.append(f)`,
);
const kid = await attached();
await lifecycle(kid, "load");
is(
  story(kid),
  [
    "lifecycleEvent init",
    "frameRequestedNavigation",
    "frameStartedNavigating",
    "frameStartedLoading",
    "requestWillBeSent",
    "responseReceived",
    "lifecycleEvent init",
    "frameNavigated",
    "lifecycleEvent commit",
    "executionContextCreated",
    "loadingFinished",
    "bindingCalled",
    "lifecycleEvent DOMContentLoaded",
    "lifecycleEvent load",
    "frameStoppedLoading",
  ],
  "a frame is inserted",
);
is(await evaluateIn(kid, "[...seen, early]"), ["number", "function", 0], "init scripts and bindings come first");
const shown = events.find((e) => e.method === "Page.frameNavigated").params.frame;
is([shown.parentId, shown.name, shown.url], ["MAIN", "kid", APP + bare("/one", html)]);

// Page.navigate answers at the commit.
events.length = 0;
const gone = await cdp("Page.navigate", {
  frameId: kid,
  url: APP + page("/two", { status: 404, html: "<iframe srcdoc='<p>inner'></iframe>" }),
});
is([gone.frameId, gone.errorText], [kid, undefined]);
await lifecycle(kid, "load", gone.loaderId);
const answer = events.find((e) => e.method === "Network.responseReceived").params;
is([answer.requestId, answer.response.status, answer.frameId], [gone.loaderId, 404, kid]);
is(events.filter((e) => e.method === "Runtime.executionContextDestroyed").length, 2);
const inner = await attached();
await lifecycle(inner, "load");
const told = (frameId, name) =>
  events.findIndex((e) => e.params?.frameId === frameId && e.params.name === name && e.params.loaderId !== "");
is(told(inner, "load") < told(kid, "load"), true, "a child loads before its parent");
const tree = (await cdp("Page.getFrameTree")).frameTree;
is([tree.childFrames[0].frame.loaderId, tree.childFrames[0].childFrames[0].frame.id], [gone.loaderId, inner]);
is(tree.childFrames[0].childFrames[0].frame.url, "about:srcdoc");
is(await evaluateIn(inner, "document.body.textContent"), "inner");

// What the page starts itself.
events.length = 0;
await evaluateIn2(kid);
async function evaluateIn2(id) {
  await value("void (f.contentWindow.location.href = " + quoted(bare("/three", "three")) + ")");
  await event("Page.frameStoppedLoading");
  is(events.find((e) => e.method === "Page.frameRequestedNavigation").params.reason, "scriptInitiated");
  is(
    events.filter((e) => e.method === "Page.frameDetached").map((e) => e.params.frameId),
    [inner],
  );
  is(story(id).slice(0, 5), [
    "frameRequestedNavigation",
    "frameStartedNavigating",
    "frameStartedLoading",
    "requestWillBeSent",
    "responseReceived",
  ]);
  const ids = new Set(
    events.filter((e) => e.params?.loaderId && e.params.frameId === id).map((e) => e.params.loaderId),
  );
  is(ids.size, 1, "one loader from start to end");
  is(events.find((e) => e.method === "Page.lifecycleEvent" && e.params.frameId === id).params.loaderId, [...ids][0]);
}
events.length = 0;
await value("f.contentWindow.location.hash = '#x'");
is((await event("Page.navigatedWithinDocument")).url, APP + bare("/three", "three") + "#x");
await value("f.contentWindow.history.pushState({}, '', '/spa')");
const within = await event("Page.navigatedWithinDocument");
is([within.frameId, within.url, within.navigationType], [kid, APP + "/spa", "historyApi"]);
is((await cdp("Page.navigate", { frameId: kid, url: APP + "/spa#y" })).loaderId, undefined);
is((await event("Page.navigatedWithinDocument")).url, APP + "/spa#y");
events.length = 0;
await value("f.contentWindow.location.reload()");
await event("Page.frameStoppedLoading");
is(
  [(await event("Page.frameStartedNavigating")).navigationType, (await event("Page.frameNavigated")).frame.urlFragment],
  ["reload", "#y"],
);
is(await evaluateIn(kid, "document.title"), "/spa");
is(await evaluateIn(kid, "typeof tell"), "function");

// Nothing to show.
events.length = 0;
is(
  (await cdp("Page.navigate", { frameId: kid, url: APP + page("/none", { status: 204 }) })).errorText,
  "net::ERR_ABORTED",
);
is((await event("Network.loadingFailed")).canceled, true);
await event("Page.frameStoppedLoading");
is((await cdp("Page.navigate", { frameId: kid, url: "javascript:1" })).errorText, "net::ERR_ABORTED");
await fails(cdp("Page.navigate", { frameId: kid, url: "nowhere" }), "Cannot navigate to invalid URL");
events.length = 0;
is((await cdp("Page.navigate", { frameId: kid, url: "http://127.0.0.1:9/" })).errorText, "net::ERR_FAILED");
const broken = (await event("Page.frameNavigated")).frame;
is([broken.url, broken.unreachableUrl], ["chrome-error://chromewebdata/", "http://127.0.0.1:9/"]);
await lifecycle(kid, "load");
await fails(evaluateIn(kid, "1"), "Cannot find context with specified id");
events.length = 0;
is((await cdp("Page.navigate", { frameId: kid, url: "about:blank" })).errorText, undefined);
await lifecycle(kid, "load");
is(await evaluateIn(kid, "location.href"), "about:blank");

// Documents that are written, and those of data.
events.length = 0;
await value(`d = f.contentDocument; d.open(); d.write("<iframe srcdoc=w></iframe><p>written"); d.close()`);
is((await event("Page.documentOpened")).frame.id, kid);
await lifecycle(kid, "load");
is(await evaluateIn(kid, "document.querySelector('p').textContent"), "written");
const nested = await attached();
await lifecycle(nested, "load");
events.length = 0;
await cdp("Page.setDocumentContent", { frameId: kid, html: "<p>set" });
await lifecycle(kid, "load");
is((await event("Page.frameDetached")).frameId, nested);

// Moved, removed, put back.
events.length = 0;
await value("f.src = '/three'; new Promise(r => f.onload = r).then(() => 1)");
await value("e = document.createElement('div'); document.body.append(e); e.append(f); 1");
is((await event("Page.frameDetached")).frameId, kid);
const moved = await attached();
is(moved === kid, false);
await lifecycle(moved, "load");
events.length = 0;
await value("f.remove()");
is((await event("Page.frameDetached")).frameId, moved);
await event("Runtime.executionContextDestroyed");
is((await cdp("Page.getFrameTree")).frameTree.childFrames, undefined);
events.length = 0;
await value("document.body.append(f)");
const back = await attached();
await lifecycle(back, "load");
is(story(back).includes("frameNavigated"), true);
await value("f.contentWindow.name = 'renamed'");
is((await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame.name, "renamed");
await value("f.remove()");

// In a shadow tree, closed ones too; and an empty one.
events.length = 0;
await value(
  `h = document.createElement("div"); document.body.append(h); s = h.attachShadow({mode: "closed"}); s.innerHTML = "<iframe srcdoc=deep></iframe>"; 1`,
);
const deep = await attached();
await lifecycle(deep, "load");
is(await evaluateIn(deep, "document.body.textContent"), "deep");
await value("h.remove()");
is((await event("Page.frameDetached")).frameId, deep);
events.length = 0;
await value("f = document.createElement('iframe'); document.body.append(f); 1");
const empty = await attached();
await lifecycle(empty, "load");
is(story(empty), [
  "lifecycleEvent init",
  "frameRequestedNavigation",
  "lifecycleEvent init",
  "frameNavigated",
  "lifecycleEvent commit",
  "frameStartedLoading",
  "executionContextCreated",
  "lifecycleEvent DOMContentLoaded",
  "lifecycleEvent load",
  "frameStoppedLoading",
]);
is(await evaluateIn(empty, "early"), 1);

// A page that is loaded with its frames: announced before its load, each with its contexts.
state.sessions[0].domains.push(...DOMAINS);
state.sessions[0].lifecycle = true;
state.sessions[0].scripts.push({ identifier: "1", source: "window.early = 1" });
events.length = 0;
await visit("/parent", {
  html: `<iframe src='${bare("/a", "a")}'></iframe><iframe src='${page("/b", { html: "<script>mine = typeof early<\/script>" })}'></iframe>`,
});
await event("Page.loadEventFired");
const [a, b] = (await cdp("Page.getFrameTree")).frameTree.childFrames.map((c) => c.frame.id);
for (const id of [a, b]) {
  const at = (method) =>
    events.findIndex(
      (e) =>
        e.method === method && (e.params.frameId ?? e.params.frame?.id ?? e.params.context?.auxData.frameId) === id,
    );
  is(
    [
      at("Page.frameAttached") < at("Page.frameNavigated"),
      at("Page.frameAttached") < at("Runtime.executionContextCreated"),
    ],
    [true, true],
  );
  const loaded = events.findIndex((e) => e.params?.frameId === id && e.params.name === "load");
  is(
    loaded >= 0 && loaded < events.findIndex((e) => e.params?.frameId === "MAIN" && e.params.name === "load"),
    true,
    "the child loads first",
  );
}
is(await evaluateIn(b, "mine"), "number", "a tagged child has the init scripts before its own");
