await visit("/one", { html: "<p>first" });
is(await value("location.pathname"), "/one");
for (const d of ["Page", "Runtime", "Network"]) await cdp(d + ".enable");
state.sessions[0].domains.push("Page", "Runtime", "Network");
await cdp("Page.setLifecycleEventsEnabled", { enabled: true });
state.sessions[0].lifecycle = true;
is((await event("Page.lifecycleEvent")).name, "commit");
is((await cdp("Page.getFrameTree")).frameTree.frame.id, "MAIN");
await cdp("Page.addScriptToEvaluateOnNewDocument", {
  source: "window.early = document.body === null",
  identifier: "1",
});
state.sessions[0].scripts.push({ identifier: "1", source: "window.early = document.body === null" });

events.length = 0;
await visit("/two");
is((await event("Network.responseReceived")).response.status, 200);
is((await event("Page.frameNavigated")).frame.loaderId, "LOADER2");
await event("Page.loadEventFired");
is(await value("early"), true, "an init script runs before the page");
const order = events
  .filter((e) => e.method === "Page.lifecycleEvent")
  .map((e) => e.params.name)
  .slice(0, 4);
is(order, ["init", "commit", "DOMContentLoaded", "load"]);

await value("history.pushState({}, '', '/spa')");
is((await event("Page.navigatedWithinDocument")).url, APP + "/spa");
const arrived = new Promise((r) => (paired = r));
events.length = 0;
await cdp("Page.reload");
await arrived;
await event("Page.loadEventFired");
is(await value("location.pathname"), "/spa");
is(await value("confirm('really?')"), false);
is((await event("Page.javascriptDialogOpening")).message, "really?");

await value(
  "var i = document.createElement('iframe'); i.srcdoc = '<p>child'; document.body.append(i); new Promise(r => i.onload = r).then(() => 1)",
);
const child = (await event("Page.frameAttached")).frameId;
is((await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame.id, child);
const world = await cdp("Page.createIsolatedWorld", { frameId: child, worldName: "util" });
const text = await cdp("Runtime.evaluate", {
  expression: "document.body.textContent",
  contextId: world.executionContextId,
});
is(text.result.value, "child");

await value("fetch('/data.json').then(r => r.text())");
let sent;
do sent = await event("Network.requestWillBeSent");
while (sent.type !== "Fetch");
await event("Network.loadingFinished");
is((await cdp("Network.getResponseBody", { requestId: sent.requestId })).body, '{"answer":42}');
await cdp("DOMStorage.setDOMStorageItem", {
  storageId: { securityOrigin: APP, isLocalStorage: true },
  key: "a",
  value: "b",
});
is(await value("localStorage.a"), "b");
await cdp("Page.setDocumentContent", { frameId: "MAIN", html: "<h1>new</h1>" });
is(await value("document.body.textContent"), "new");
await visit("/three");
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*.json" }] });
const answered = value("fetch('/data.json').then(r => r.text())");
await cdp("Fetch.fulfillRequest", {
  requestId: (await event("Fetch.requestPaused")).requestId,
  responseCode: 200,
  body: btoa("mine"),
});
is(await answered, "mine");
await cdp("Fetch.disable");

// In a document at about:blank a link to a fragment stays in it.
frame.src = "about:blank";
await new Promise((r) => (frame.onload = r));
const adopted = new Promise((r) => (paired = r));
const script = frame.contentDocument.createElement("script");
script.src = APP + "/agent.js";
script.dataset.parents = origin;
frame.contentDocument.head.append(script);
await adopted;
await value("document.body.innerHTML = '<a id=top href=#>top</a><a href=#there><b>there</b></a>'; kept = 1");
await value("document.querySelector('b').click()");
is(await value("[location.href, kept]"), ["about:blank#there", 1]);
await value("document.querySelector('a').click()");
await new Promise((r) => setTimeout(r, 100));
is(await value("[document.URL.split('#')[0], kept]"), ["about:blank", 1]);
