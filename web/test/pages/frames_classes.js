// The nodes of a child frame are of its own window's classes, whoever saw them first.
const own = "[...document.querySelectorAll('*')].every((e) => e instanceof Element) && document instanceof Document";
await visit("/classes");
for (const domain of ["Page", "Runtime", "DOM"]) await cdp(domain + ".enable");
for (const bare of ["", "1"]) {
  const child = "/child?" + new URLSearchParams({ bare, html: "<main><p>a</p><div id=h></div></main>" });
  await visit("/classes?" + new URLSearchParams({ html: `<iframe src="${child}"></iframe>` }));
  await cdp("Page.enable");
  while ((await value("document.readyState")) !== "complete");
  await cdp("DOM.getDocument", { depth: -1, pierce: true });
  const { frameTree } = await cdp("Page.getFrameTree");
  const { executionContextId: contextId } = await cdp("Page.createIsolatedWorld", {
    frameId: frameTree.childFrames[0].frame.id,
    worldName: "w",
  });
  const inside = async (expression) =>
    (await cdp("Runtime.evaluate", { contextId, expression, returnByValue: true })).result.value;
  is(await inside(own), true, `at first, bare ${bare}`);
  await inside(
    "h.attachShadow({ mode: 'open' }); h.innerHTML = '<b>x</b>'; document.body.insertAdjacentHTML('beforeend', '<section><i>y</i></section>'); h.title = 'z'",
  );
  await new Promise((done) => setTimeout(done, 100));
  is(await inside(own), true, `after changes, bare ${bare}`);
}
