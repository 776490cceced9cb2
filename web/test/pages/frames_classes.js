// The nodes of a child frame are of its own window's classes, whoever saw them first.
const own = "[...document.querySelectorAll('*')].every((e) => e instanceof Element) && document instanceof Document";
const late = "void document.body.insertAdjacentHTML('beforeend', '<section><i>z</i></section>')";

/** Opens a page with a child frame; the function that it returns evaluates in that one. */
async function open(bare, html = "<main><p>a</p><div id=h></div></main>", opened = visit) {
  const child = "/child?" + new URLSearchParams({ bare, html });
  await opened("/classes?" + new URLSearchParams({ html: `<iframe src="${child}"></iframe>` }));
  await cdp("Page.enable");
  const frame = await until("a child frame", async () => {
    const { frameTree } = await cdp("Page.getFrameTree");
    return frameTree.childFrames?.map((c) => c.frame).find((f) => f.url.includes("/child"));
  });
  const { executionContextId: contextId } = await cdp("Page.createIsolatedWorld", {
    frameId: frame.id,
    worldName: "w",
  });
  return async (expression) =>
    (await cdp("Runtime.evaluate", { contextId, expression, returnByValue: true })).result.value;
}

await visit("/classes");
for (const domain of ["Page", "Runtime", "DOM"]) await cdp(domain + ".enable");
for (const bare of ["", "1"]) {
  const inside = await open(bare);
  await cdp("DOM.getDocument", { depth: -1, pierce: true });
  is(await inside(own), true, `at first, bare ${bare}`);
  await inside("h.attachShadow({ mode: 'open' }); h.innerHTML = '<b>x</b>'; h.title = 'y'; " + late);
  await new Promise((done) => setTimeout(done, 100));
  is(await inside(own), true, `after changes, bare ${bare}`);
}

// A picture looks at all nodes, and a screencast at every change: here while the parser is in the middle of the document.
const halves = "<p>a</p><script src=/held.js><\/script><section><i>z</i></section>";
for (const screencast of [false, true]) {
  const inside = await open("", halves, pair);
  if (screencast) {
    await cdp("Page.startScreencast", { format: "png" });
    await event("Page.screencastFrame");
    await value("void document.body.append('x')"); // with the next picture it finds the child's document
    await event("Page.screencastFrame");
  } else await cdp("Page.captureScreenshot");
  is(await inside("document.querySelector('i') === null"), true, "half of the document is there");
  await fetch(APP + "/release", { mode: "no-cors" });
  while ((await inside("document.readyState")) !== "complete") await new Promise((done) => setTimeout(done, 50));
  is(await inside(own), true, screencast ? "during a screencast" : "after a picture");
  if (screencast) await cdp("Page.stopScreencast");
}
