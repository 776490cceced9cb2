// The checks of chrome-remote-interface: the protocol by hand, over a page's own
// socket, and over the browser's.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import CDP from "chrome-remote-interface";
import { at, check, click, evaluate, go, middle, node } from "./chrome-remote-interface/shared.mjs";
import "./chrome-remote-interface/input.mjs";
import { app, appPage, isPNG, noSuchMethod, privileged, refused, run, scratch, truth, until } from "./support.mjs";

check("connect", "CDP() finds the first page and fetches the protocol", async ({ client }) => {
  assert.match(client.webSocketUrl, /\/devtools\/page\//);
  assert.ok(client.protocol.domains.length > 30);
  assert.equal(await evaluate(client, "location.href"), appPage);
});

check("connect", "CDP() takes the page that was active last", async () => {
  const made = await CDP.New({ ...at, url: `${app}/two.html` });
  try {
    const client = await CDP(at);
    await until(async () => assert.equal(await evaluate(client, "location.pathname"), "/two.html"));
    await client.close();
  } finally {
    await CDP.Close({ ...at, id: made.id });
  }
});

check("connect", "with the protocol that the client brings along", async () => {
  const client = await CDP({ ...at, local: true });
  assert.equal(await evaluate(client, "document.title"), "Field book");
  await client.close();
});

check("connect", "CDP.Version and CDP.Protocol", async () => {
  const version = await CDP.Version(at);
  assert.equal(version["Protocol-Version"], "1.3");
  assert.match(version.webSocketDebuggerUrl, /^ws:/);
  const { domains } = await CDP.Protocol(at);
  assert.ok(domains.some((each) => each.domain === "Page"));
});

check("list pages", "CDP.List", async () => {
  const pages = (await CDP.List(at)).filter((each) => each.type === "page");
  assert.deepEqual(pages.map((each) => [each.title, each.url]), [["Field book", appPage]]);
});

check("new page", "CDP.New, Activate and Close", async () => {
  const made = await CDP.New({ ...at, url: `${app}/two.html` });
  assert.equal(made.type, "page");
  const client = await CDP({ ...at, target: made.id });
  await until(async () => assert.equal(await evaluate(client, "document.title"), "Second page"));
  await CDP.Activate({ ...at, id: made.id });
  const left = new Promise((resolve) => client.once("disconnect", resolve));
  await CDP.Close({ ...at, id: made.id });
  await left;
  await until(async () => assert.ok(!(await CDP.List(at)).some((each) => each.id === made.id)));
});

check("close", "Target.createTarget and closeTarget", async () => {
  const browser = await CDP({ ...at, target: (await CDP.Version(at)).webSocketDebuggerUrl });
  const { targetId } = await browser.Target.createTarget({ url: "about:blank" });
  await browser.Target.setDiscoverTargets({ discover: true });
  const destroyed = new Promise((resolve) => browser.Target.targetDestroyed(resolve));
  await browser.Target.closeTarget({ targetId });
  assert.equal((await destroyed).targetId, targetId);
  await browser.close();
});

check("new CDP session", "a flat session on the browser's socket", async () => {
  const browser = await CDP({ ...at, target: (await CDP.Version(at)).webSocketDebuggerUrl });
  const { targetInfos } = await browser.Target.getTargets();
  const page = targetInfos.find((each) => each.type === "page");
  const { sessionId } = await browser.Target.attachToTarget({ targetId: page.targetId, flatten: true });
  const { result } = await browser.send("Runtime.evaluate", { expression: "document.title" }, sessionId);
  assert.equal(result.value, "Field book");
  await browser.Page.enable(sessionId);
  const loaded = new Promise((resolve) => browser.once(`Page.loadEventFired.${sessionId}`, resolve));
  await browser.Page.reload({}, sessionId);
  assert.ok((await loaded).timestamp > 0);
  await browser.close();
});

check("two clients at once", "two sockets on one page", async ({ client }) => {
  const other = await CDP(at);
  await other.Runtime.enable();
  const heard = [[], []];
  client.Runtime.consoleAPICalled((e) => heard[0].push(e.args[0].value));
  other.Runtime.consoleAPICalled((e) => heard[1].push(e.args[0].value));
  await evaluate(client, "console.log('to both')");
  await until(async () => assert.deepEqual(heard, [["to both"], ["to both"]]));
  await other.close();
  assert.equal(await evaluate(client, "6 * 7"), 42);
});

check("goto", "Page.navigate", async ({ client }) => {
  const frames = [];
  client.Page.frameNavigated(({ frame }) => frames.push([frame.url, frame.loaderId]));
  const loaded = client.Page.loadEventFired();
  const { frameId, loaderId } = await client.Page.navigate({ url: `${app}/two.html` });
  await loaded;
  assert.deepEqual(frames, [[`${app}/two.html`, loaderId]]);
  assert.equal((await client.Page.getFrameTree()).frameTree.frame.id, frameId);
  await truth("document.title", "Second page", "/two.html");
});

check("reload", "Page.reload", async ({ client }) => {
  await evaluate(client, "window.old = true");
  const loaded = client.Page.loadEventFired();
  await client.Page.reload();
  await loaded;
  await truth("window.old ?? 'gone'", "gone");
});

check("back", "getNavigationHistory and navigateToHistoryEntry", async ({ client }) => {
  await go(client, `${app}/two.html`);
  const { currentIndex, entries } = await client.Page.getNavigationHistory();
  assert.equal(entries[currentIndex].url, `${app}/two.html`);
  const loaded = client.Page.loadEventFired();
  await client.Page.navigateToHistoryEntry({ entryId: entries[currentIndex - 1].id });
  await loaded;
  await truth("document.title", "Field book");
});

check("forward", "navigateToHistoryEntry, there and back again", async ({ client }) => {
  await go(client, `${app}/two.html`);
  const { currentIndex, entries } = await client.Page.getNavigationHistory();
  for (const { id } of [entries[currentIndex - 1], entries[currentIndex]]) {
    const loaded = client.Page.loadEventFired();
    await client.Page.navigateToHistoryEntry({ entryId: id });
    await loaded;
  }
  await truth("document.title", "Second page", "/two.html");
});

check("navigation events", "frameNavigated and navigatedWithinDocument", async ({ client }) => {
  const told = [];
  client.Page.frameNavigated(({ frame }) => told.push(["document", frame.url]));
  client.Page.navigatedWithinDocument(({ url }) => told.push(["within", url]));
  await go(client, `${app}/two.html`);
  await evaluate(client, "history.pushState({}, '', '/two.html?x')");
  await until(async () => assert.deepEqual(told, [["document", `${app}/two.html`], ["within", `${app}/two.html?x`]]));
});

check("wait for", "lifecycle events in order", async ({ client }) => {
  await client.Page.setLifecycleEventsEnabled({ enabled: true });
  const names = [];
  client.Page.lifecycleEvent(({ name }) => names.push(name));
  names.length = 0;
  await go(client, `${app}/two.html`);
  await until(async () => assert.ok(names.includes("networkIdle")));
  const known = ["init", "DOMContentLoaded", "load", "networkIdle"];
  assert.deepEqual(names.slice(names.lastIndexOf("init")).filter((each) => known.includes(each)), known);
});

check("upload", "DOM.setFileInputFiles by path", async ({ client }) => {
  const path = join(scratch, "letter.txt");
  writeFileSync(path, "Dear reader");
  const upload = client.DOM.setFileInputFiles({ files: [path], nodeId: await node(client, "#file") });
  if (!privileged) return refused(upload);
  await upload;
  await truth("(async (f) => [f.name, await f.text()])(document.getElementById('file').files[0])", ["letter.txt", "Dear reader"]);
});

check("evaluate", "values", async ({ client }) => {
  assert.equal(await evaluate(client, "6 * 7"), 42);
  assert.deepEqual(await evaluate(client, "({ a: [1, null, 'x'] })"), { a: [1, null, "x"] });
  const { result } = await client.Runtime.evaluate({ expression: "-0" });
  assert.equal(result.unserializableValue, "-0");
});

check("evaluate errors", "exceptionDetails", async ({ client }) => {
  await assert.rejects(evaluate(client, "(() => { throw new RangeError('out of reach') })()"), /^Error: RangeError: out of reach/);
  await assert.rejects(client.send("Page.noSuchMethod"), noSuchMethod);
});

check("evaluate promises", "awaitPromise", async ({ client }) => {
  assert.equal(await evaluate(client, "new Promise((r) => setTimeout(r, 50, 'later'))", { awaitPromise: true }), "later");
  await assert.rejects(evaluate(client, "Promise.reject(new Error('not today'))", { awaitPromise: true }), /not today/);
});

check("handles", "getProperties, callFunctionOn, releaseObject", async ({ client: { Runtime } }) => {
  const { result } = await Runtime.evaluate({ expression: "({ leaves: [1, 2, 3] })" });
  const own = await Runtime.getProperties({ objectId: result.objectId, ownProperties: true });
  assert.deepEqual(own.result.filter((each) => each.enumerable).map((each) => each.name), ["leaves"]);
  const call = { objectId: result.objectId, functionDeclaration: "function (n) { return this.leaves.length + n }", arguments: [{ value: 1 }], returnByValue: true };
  assert.equal((await Runtime.callFunctionOn(call)).result.value, 4);
  await Runtime.releaseObject({ objectId: result.objectId });
  await assert.rejects(Runtime.callFunctionOn(call), /Could not find object with given id/);
});

check("expose function", "Runtime.addBinding", async ({ client }) => {
  const called = client.Runtime.bindingCalled();
  await client.Runtime.addBinding({ name: "report" });
  await evaluate(client, "report('words')");
  const { name, payload } = await called;
  assert.deepEqual([name, payload], ["report", "words"]);
});

check("init script", "Page.addScriptToEvaluateOnNewDocument", async ({ client }) => {
  const { identifier } = await client.Page.addScriptToEvaluateOnNewDocument({ source: "window.early = document.getElementById('heading') === null" });
  await go(client, appPage);
  await truth("window.early", true);
  await client.Page.removeScriptToEvaluateOnNewDocument({ identifier });
  await go(client, appPage);
  await truth("window.early ?? 'none'", "none");
});

check("console", "Runtime.consoleAPICalled", async ({ client }) => {
  const said = [];
  client.Runtime.consoleAPICalled(({ type, args }) => said.push([type, ...args.map((each) => each.value)]));
  await evaluate(client, "document.getElementById('speak').click()");
  await until(async () => assert.deepEqual(said, [["log", "plain words", 7], ["warning", "careful words"], ["error", "harsh words"]]));
});

check("page error", "Runtime.exceptionThrown", async ({ client }) => {
  const thrown = client.Runtime.exceptionThrown();
  await click(client, ...await middle(client, "#break"));
  assert.match((await thrown).exceptionDetails.exception.description, /^TypeError: broken on purpose/);
});

check("dialog", "Page.handleJavaScriptDialog", async ({ client }) => {
  const opened = client.Page.javascriptDialogOpening();
  await evaluate(client, "setTimeout(() => { window.told = prompt('Name?', 'Bob') }), 0");
  const { message, type, defaultPrompt } = await opened;
  assert.deepEqual([message, type, defaultPrompt], ["Name?", "prompt", "Bob"]);
  await client.Page.handleJavaScriptDialog({ accept: true, promptText: "Ada" });
  await truth("window.told", "Ada");
});

check("request and response events", "of fetch, and the body", async ({ client }) => {
  await client.Network.enable();
  const steps = [];
  let id;
  client.Network.requestWillBeSent(({ requestId, request }) => {
    if (!request.url.endsWith("/api/echo")) return;
    id = requestId;
    steps.push(request.method);
  });
  client.Network.responseReceived((e) => e.requestId === id && steps.push(e.response.status));
  client.Network.loadingFinished((e) => e.requestId === id && steps.push("finished"));
  await evaluate(client, "fetch('/api/echo', { method: 'POST', body: 'words' }).then((r) => r.text())", { awaitPromise: true });
  await until(async () => assert.deepEqual(steps, ["POST", 200, "finished"]));
  const { body } = await client.Network.getResponseBody({ requestId: id });
  assert.equal(JSON.parse(body).body, "words");
});

check("intercept", "Fetch.requestPaused", async ({ client }) => {
  await client.Fetch.enable({ patterns: [{ urlPattern: "*/api/*" }] });
  client.Fetch.requestPaused(({ requestId, request }) => request.url.endsWith("/made")
    ? client.Fetch.fulfillRequest({ requestId, responseCode: 201, body: Buffer.from("made up").toString("base64") })
    : client.Fetch.failRequest({ requestId, errorReason: "BlockedByClient" }));
  const got = await evaluate(client, "(async () => [await (await fetch('/api/made')).text(), await fetch('/api/none').catch((e) => e.name)])()", { awaitPromise: true });
  assert.deepEqual(got, ["made up", "TypeError"]);
  await client.Fetch.disable();
});

check("cookies", "Network.setCookie, getCookies, deleteCookies", async ({ client: { Network } }) => {
  assert.equal((await Network.setCookie({ name: "taste", value: "sweet", url: app })).success, true);
  await truth("document.cookie.includes('taste=sweet')", true);
  assert.equal((await Network.getCookies()).cookies.find((each) => each.name === "taste").value, "sweet");
  await Network.deleteCookies({ name: "taste", url: app });
  await truth("document.cookie.includes('taste')", false);
});

check("response bodies", "Network.getResponseBody", async ({ client }) => {
  await client.Network.enable();
  let id;
  client.Network.loadingFinished(({ requestId }) => { id ??= requestId; });
  await evaluate(client, "fetch('/api/echo', { method: 'POST', body: 'words' }).then((r) => r.text())", { awaitPromise: true });
  await until(async () => assert.ok(id));
  assert.equal(JSON.parse((await client.Network.getResponseBody({ requestId: id })).body).body, "words");
});

check("storage", "DOMStorage.setDOMStorageItem and getDOMStorageItems", async ({ client: { DOMStorage } }) => {
  const storageId = { securityOrigin: app, isLocalStorage: true };
  await DOMStorage.setDOMStorageItem({ storageId, key: "shelf", value: "full" });
  await truth("localStorage.getItem('shelf')", "full");
  assert.ok((await DOMStorage.getDOMStorageItems({ storageId })).entries.some(([key, stored]) => key === "shelf" && stored === "full"));
  await DOMStorage.removeDOMStorageItem({ storageId, key: "shelf" });
});

check("screenshot", "Page.captureScreenshot with a clip", async ({ client }) => {
  const { data } = await client.Page.captureScreenshot({ clip: { x: 800, y: 10, width: 300, height: 60, scale: 1 } });
  assert.deepEqual(isPNG(Buffer.from(data, "base64")), [300, 60]);
});

check("element screenshot", "a clip of an element's box", async ({ client }) => {
  const { model } = await client.DOM.getBoxModel({ nodeId: await node(client, "#pad") });
  const [x, y] = model.border;
  const { data } = await client.Page.captureScreenshot({ clip: { x, y, width: model.width, height: model.height, scale: 1 } });
  assert.deepEqual(isPNG(Buffer.from(data, "base64")), [model.width, model.height]);
});

check("profiling", "Profiler.startPreciseCoverage", async ({ client: { Profiler } }) => {
  await Profiler.enable();
  await Profiler.startPreciseCoverage({ callCount: true });
  assert.ok((await Profiler.takePreciseCoverage()).result.length >= 0);
}, {
  result: "cannot",
  reason: "Page script cannot measure which code runs.",
  run: async ({ client: { Profiler } }) => assert.rejects(Profiler.enable(), /Profiler\.enable/),
});

check("pdf", "Page.printToPDF", async ({ client }) => {
  const { data } = await client.Page.printToPDF();
  assert.equal(Buffer.from(data, "base64").subarray(0, 5).toString(), "%PDF-");
}, {
  result: "cannot",
  reason: "Page script can open the print dialog, but not print to a file.",
  run: async ({ client }) => assert.rejects(client.Page.printToPDF(), /Page\.printToPDF/),
});

check("frames", "a child frame in the tree and in the document", async ({ client }) => {
  await go(client, `${app}/frames.html`);
  const { frameTree } = await client.Page.getFrameTree();
  assert.deepEqual(frameTree.childFrames.map((each) => each.frame.url), [`${app}/child.html`]);
  const { root } = await client.DOM.getDocument({ depth: -1, pierce: true });
  const { nodeId } = await client.DOM.querySelector({ nodeId: root.nodeId, selector: "#inner" });
  const { node: inner } = await client.DOM.describeNode({ nodeId, depth: -1, pierce: true });
  assert.equal(inner.frameId, frameTree.childFrames[0].frame.id);
  assert.match(JSON.stringify(inner.contentDocument), /"nodeValue":"Inner page"/);
});

check("accessibility", "Accessibility.getFullAXTree", async ({ client }) => {
  const { nodes } = await client.Accessibility.getFullAXTree();
  const found = nodes.map((each) => `${each.role?.value} ${each.name?.value}`);
  for (const want of ["RootWebArea Field book", "button Add one", "combobox Plan"]) assert.ok(found.includes(want), want);
});

check("DOM nodes", "attributes and events of changes", async ({ client }) => {
  const nodeId = await node(client, "#heading");
  const { attributes } = await client.DOM.getAttributes({ nodeId });
  assert.deepEqual(attributes, ["id", "heading", "title", "The book"]);
  const changed = client.DOM.attributeModified();
  await client.DOM.setAttributeValue({ nodeId, name: "lang", value: "en" });
  const { nodeId: same, name, value: now } = await changed;
  assert.deepEqual([same, name, now], [nodeId, "lang", "en"]);
  await truth("document.getElementById('heading').lang", "en");
});

check("viewport", "Emulation.setDeviceMetricsOverride", async ({ client }) => {
  await client.Emulation.setDeviceMetricsOverride({ width: 700, height: 500, deviceScaleFactor: 1, mobile: false });
  await truth("[innerWidth, innerHeight]", [700, 500]);
  await client.Emulation.clearDeviceMetricsOverride();
  await truth("innerWidth !== 700", true);
});

check("locators", "DOM.querySelectorAll and performSearch", async ({ client: { DOM } }) => {
  const { root } = await DOM.getDocument();
  const { nodeIds } = await DOM.querySelectorAll({ nodeId: root.nodeId, selector: "#list li" });
  assert.equal(nodeIds.length, 3);
  const { searchId, resultCount } = await DOM.performSearch({ query: "//button[text()='Add one']" });
  const found = await DOM.getSearchResults({ searchId, fromIndex: 0, toIndex: resultCount });
  const { node: button } = await DOM.describeNode({ nodeId: found.nodeIds[0] });
  assert.deepEqual([resultCount, button.attributes[button.attributes.indexOf("id") + 1]], [1, "plus"]);
});

check("set content", "Page.setDocumentContent", async ({ client }) => {
  const { frameTree } = await client.Page.getFrameTree();
  await client.Page.setDocumentContent({ frameId: frameTree.frame.id, html: "<p id=set>Set</p>" });
  assert.equal(await evaluate(client, "document.getElementById('set').textContent"), "Set");
});

check("emulation", "Emulation.setEmulatedMedia", async ({ client }) => {
  const dark = () => evaluate(client, "matchMedia('(prefers-color-scheme: dark)').matches");
  await client.Emulation.setEmulatedMedia({ features: [{ name: "prefers-color-scheme", value: "dark" }] });
  assert.equal(await dark(), true);
  await client.Emulation.setEmulatedMedia({ features: [] });
  assert.equal(await dark(), false);
});

run("chrome-remote-interface");
