// What clients seldom ask for, and each answer is what was done.
await visit("/answers", { html: "<p class='a b' title=x>one<\/p><div id=d><i class=c>two<\/i><\/div>" });
const { root } = await cdp("DOM.getDocument", { depth: -1 });
const find = async (selector) => (await cdp("DOM.querySelector", { nodeId: root.nodeId, selector })).nodeId;
const body = () => value("document.body.innerHTML");

// Nodes and styles.
is((await cdp("DOM.collectClassNamesFromSubtree", { nodeId: await find("body") })).classNames, ["a", "b", "c"]);
await cdp("DOM.setAttributesAsText", {
  nodeId: await find("p"),
  text: "style='color: red !important' lang=de",
  name: "title",
});
is(await value("[document.querySelector('p').lang, document.querySelector('p').title]"), ["de", ""]);
const { inlineStyle } = await cdp("CSS.getInlineStylesForNode", { nodeId: await find("p") });
is(
  inlineStyle.cssProperties.map((c) => [c.name, c.value, c.important]),
  [["color", "red !important", true]],
);
await cdp("DOM.setNodeName", { nodeId: await find("i"), name: "b" });
is(await value("document.querySelector('#d').innerHTML"), '<b class="c">two</b>');
await cdp("DOM.moveTo", {
  nodeId: await find("b"),
  targetNodeId: await find("body"),
  insertBeforeNodeId: await find("p"),
});
is(await value("document.body.firstElementChild.localName"), "b");
await cdp("DOM.copyTo", { nodeId: await find("b"), targetNodeId: await find("#d") });
is((await body()).match(/<b class="c">two<\/b>/g).length, 2);
const flat = (await cdp("DOM.getFlattenedDocument", { depth: -1 })).nodes;
is(flat.filter((n) => n.localName === "b").length, 2);
const { backendNodeId } = flat.find((n) => n.localName === "p");
const { nodeIds } = await cdp("DOM.pushNodesByBackendIdsToFrontend", { backendNodeIds: [backendNodeId] });
is((await cdp("DOM.getOuterHTML", { nodeId: nodeIds[0] })).outerHTML.startsWith("<p"), true);

// Storage.
is(await cdp("Storage.getStorageKeyForFrame", { frameId: "MAIN" }), { storageKey: APP + "/" });
const storageId = { securityOrigin: APP, isLocalStorage: true };
await value("localStorage.a = 1, localStorage.b = 2");
await cdp("DOMStorage.removeDOMStorageItem", { storageId, key: "a" });
is(await value("Object.keys(localStorage).filter((k) => k.length === 1)"), ["b"]);
await cdp("DOMStorage.clear", { storageId });
is(await value("localStorage.length"), 0);

// Script.
const compile = (expression) => cdp("Runtime.compileScript", { expression, sourceURL: "", persistScript: false });
is(await compile("window.ran = 1"), {});
is(await value("typeof ran"), "undefined");
is((await compile("1 +")).exceptionDetails.exception.className, "SyntaxError");
await fails(
  cdp("Runtime.compileScript", { expression: "1", sourceURL: "", persistScript: true }),
  "Runtime.compileScript is not possible in an embedded frame: page script cannot keep what is compiled",
);
const evaluate = async (expression, more) => (await cdp("Runtime.evaluate", { expression, ...more })).result;
const promise = await evaluate("Promise.resolve(7)");
is((await cdp("Runtime.awaitPromise", { promiseObjectId: promise.objectId, returnByValue: true })).result.value, 7);
const grouped = await evaluate("({})", { objectGroup: "g" });
await cdp("Runtime.releaseObjectGroup", { objectGroup: "g" });
await fails(cdp("Runtime.getProperties", { objectId: grouped.objectId }), "Could not find object with given id");
const thrown = await evaluate("new Error('seen')");
const { exceptionDetails } = await cdp("Runtime.getExceptionDetails", { errorObjectId: thrown.objectId });
is(exceptionDetails.exception.description.startsWith("Error: seen"), true);
await cdp("Runtime.addBinding", { name: "tell" });
is(await value("typeof tell"), "function");
await cdp("Runtime.removeBinding", { name: "tell" });
is(await value("try { tell('x') } catch {}"), undefined);
const isolate = await cdp("Runtime.getIsolateId");
is([isolate.id.length > 0, await cdp("Runtime.getIsolateId")], [true, isolate]);
const heap = await cdp("Runtime.getHeapUsage").catch(() => undefined);
is(heap === undefined, !(await value("'memory' in performance")));
if (heap) is(heap.usedSize > 0 && heap.totalSize >= heap.usedSize, true);

// What was said before is forgotten, and nothing more is told.
await value("console.log('before')");
await cdp("Runtime.discardConsoleEntries");
await cdp("Runtime.enable");
await value("console.log('during')");
is((await event("Runtime.consoleAPICalled")).args[0].value, "during");
await cdp("Runtime.disable");
await value("console.log('after')");
await value("new Promise((r) => { const i = new Image(); i.onerror = r; i.src = '/gone.png?status=404' })");
await cdp("Log.enable");
is((await event("Log.entryAdded")).entry.url, `${APP}/gone.png?status=404`);
await cdp("Log.disable");
await cdp("Log.clear");
await cdp("Log.enable");
await cdp("Performance.enable");
await cdp("Performance.disable");
is((await cdp("Performance.getMetrics")).metrics, []);
is(
  events.map((e) => e.method).filter((m) => /^Log|^Runtime.console/.test(m)),
  [],
);

// History and loading.
is((await cdp("Page.getResourceTree")).frameTree.frame.url.startsWith(`${APP}/answers`), true);
await value("history.pushState(0, '', '/second')");
const { currentIndex, entries } = await cdp("Page.getNavigationHistory");
is(entries[currentIndex].url, `${APP}/second`);
const back = event("Page.navigatedWithinDocument");
await cdp("Page.enable");
await cdp("Page.navigateToHistoryEntry", { entryId: entries[currentIndex - 1].id });
await back;
is(await value("location.pathname"), "/answers");
await value("void (slow = fetch('/net/slow').then(() => 'came', () => 'stopped'))");
await cdp("Page.stopLoading");
is(await value("slow"), "stopped");
