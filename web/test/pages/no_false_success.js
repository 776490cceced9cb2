// What page script cannot do is refused when it is asked for, and answered when nothing is.
await visit("/small", { html: "<p>text" });
const refused = (method, params, why) =>
  fails(cdp(method, params), `${method} is not possible in an embedded frame: ${why}`);
for (const [method, asked, why, neutral] of [
  ["Input.setIgnoreInputEvents", { ignore: true }, "the browser's own input reaches the page first", { ignore: false }],
  ["Network.setBypassServiceWorker", { bypass: true }, "service workers belong to the browser", { bypass: false }],
  ["Runtime.setAsyncCallStackDepth", { maxDepth: 32 }, "the engine decides what stacks have", { maxDepth: 0 }],
  ["Runtime.setCustomObjectFormatterEnabled", { enabled: true }, "needs the browser process", { enabled: false }],
  [
    "Performance.setTimeDomain",
    { timeDomain: "threadTicks" },
    "page script has one clock",
    { timeDomain: "timeTicks" },
  ],
  ["Runtime.setMaxCallStackSizeToCapture", { size: 1 }, "the engine decides what stacks have"],
  ["Runtime.globalLexicalScopeNames", {}, "page script cannot list what let, const and class declare"],
  ["HeapProfiler.takeHeapSnapshot", {}, "needs the browser process"],
  ["DOM.undo", {}, "page script keeps no history of what commands change"],
  ["DOM.redo", {}, "page script keeps no history of what commands change"],
  ["DOM.markUndoableState", {}, "page script keeps no history of what commands change"],
]) {
  await refused(method, asked, why);
  if (neutral) is(await cdp(method, neutral), {}, method);
}

// Script sees touch points, in the next document, too.
const points = await value("navigator.maxTouchPoints");
await cdp("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
is(await value("navigator.maxTouchPoints"), 5);
await visit("/next", { html: "<script>early = navigator.maxTouchPoints<\/script>" });
is(await value("early"), 5);
await cdp("Emulation.setTouchEmulationEnabled", { enabled: true });
is(await value("navigator.maxTouchPoints"), 1);
await cdp("Emulation.setTouchEmulationEnabled", { enabled: false });
is(await value("navigator.maxTouchPoints"), points);

// The manifest that the document names.
is(await cdp("Page.getAppManifest"), { url: "", errors: [] });
await value("document.head.insertAdjacentHTML('beforeend', '<link rel=manifest href=/data.json>')");
is(await cdp("Page.getAppManifest"), { url: `${APP}/data.json`, errors: [], data: '{"answer":42}' });
await value("document.querySelector('link').href = '/nowhere?status=404'");
is(await cdp("Page.getAppManifest"), {
  url: `${APP}/nowhere?status=404`,
  errors: [
    { message: `Manifest fetch from ${APP}/nowhere?status=404 failed: status 404`, critical: 1, line: 0, column: 0 },
  ],
});
