// Child frames whose documents come from elsewhere than a server, and those that are kept apart.
const lifecycle = (frameId, name) =>
  until(name, () =>
    events.find((e) => e.method === "Page.lifecycleEvent" && e.params.frameId === frameId && e.params.name === name),
  );
const evaluateIn = async (frameId, expression) => {
  const { executionContextId } = await cdp("Page.createIsolatedWorld", { frameId, worldName: "util" });
  const r = await cdp("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
    awaitPromise: true,
  });
  if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception.description);
  return r.result.value;
};
/** Asks until the answer is `want`: the document may still be on its way, and a context may go with the one before. */
const settles = async (frameId, expression, want) => {
  let seen;
  for (const end = Date.now() + 5000; seen !== want && Date.now() < end; )
    seen = await evaluateIn(frameId, expression).catch((e) => e.message);
  is(seen, want, expression);
};
/** Inserts what a markup says and waits for the load of its frame. */
const insert = async (html) => {
  events.length = 0;
  await value(`box.innerHTML = ${JSON.stringify(html)}; 1`);
  const { frameId } = (await until("attached", () => events.find((e) => e.method === "Page.frameAttached"))).params;
  await lifecycle(frameId, "load");
  return frameId;
};
const urlOf = async (frameId) =>
  (await cdp("Page.getFrameTree")).frameTree.childFrames.find((c) => c.frame.id === frameId).frame.url;

await visit("/kinds", { html: "<div id=box></div><div style='height:4000px'></div><div id=low></div>" });
for (const d of ["Page", "Runtime", "Network", "Log"]) await cdp(d + ".enable");
await cdp("Page.setLifecycleEventsEnabled", { enabled: true });

// A script that makes the document, a blob, data.
const scripted = await insert(`<iframe src="javascript:'<p>made'"></iframe>`);
await settles(scripted, "document.body.textContent", "made");
const blob = await value("u = URL.createObjectURL(new Blob(['<p>blob'], { type: 'text/html' }))");
const fromBlob = await insert(`<iframe src="${blob}"></iframe>`);
is([await evaluateIn(fromBlob, "document.body.textContent"), await urlOf(fromBlob)], ["blob", blob]);
const fromData = await insert("<iframe src='data:text/html,data'></iframe>");
is(await urlOf(fromData), "data:text/html,data");
await settles(fromData, "document.body.textContent + document.scripts.length", "data0");
// An agent does not come into a later one, nor into what is no HTML.
for (const [kind, given] of [
  ["text/html", "document.querySelector('[src^=data]').src = 'data:text/html,later'"],
  ["text/plain", "box.innerHTML = '<iframe src=data:text/plain,data></iframe>'"],
]) {
  events.length = 0;
  await value(given);
  await until("word of " + kind, () =>
    events.some((e) => e.method === "Log.entryAdded" && e.params.entry.text.includes(`into the iframe data:${kind}`)),
  );
}

// Kept apart, though of the same origin: without an agent out of reach, with one not.
const bare = await insert("<iframe sandbox=allow-scripts src='/apart?bare=1'></iframe>");
await fails(evaluateIn(bare, "1"), "Cannot find context with specified id");
is((await cdp("Page.navigate", { frameId: bare, url: APP + "/apart?bare=2" })).errorText, undefined);
const apart = await insert("<iframe sandbox=allow-scripts src='/apart'></iframe>");
await settles(apart, "location.pathname + origin", "/apartnull");

// Lazy ones wait to be seen, and are blank until then.
events.length = 0;
await value("low.innerHTML = '<iframe loading=lazy src=/late></iframe>'; 1");
const lazy = (await until("attached", () => events.find((e) => e.method === "Page.frameAttached"))).params.frameId;
await lifecycle(lazy, "load");
is(await urlOf(lazy), "about:blank");
events.length = 0;
await value("low.scrollIntoView(); 1");
const shown = await until("navigated", () =>
  events.find((e) => e.method === "Page.frameNavigated" && e.params.frame.id === lazy),
);
is(shown.params.frame.url, APP + "/late");
const loader = shown.params.frame.loaderId;
is(
  events
    .filter((e) => e.params.requestId === loader)
    .map((e) => e.method.slice(8))
    .slice(0, 2),
  ["requestWillBeSent", "responseReceived"],
);

// A request of a child names the child.
events.length = 0;
await value("scrollTo(0, 0); 1");
is(await evaluateIn(lazy, "fetch('/data.json').then((r) => r.text())"), '{"answer":42}');
is(
  (await until("the fetch", () => events.find((e) => e.params.type === "Fetch" && e.params.request))).params.frameId,
  lazy,
);

// An old frameset.
events.length = 0;
await value(
  "d = document; d.open(); d.write('<frameset cols=50%,50%><frame name=l src=/left><frame name=r src=/right></frameset>'); d.close()",
);
await until(
  "both",
  () => events.filter((e) => e.method === "Page.frameNavigated" && e.params.frame.parentId).length === 2,
);
const names = (await cdp("Page.getFrameTree")).frameTree.childFrames.map((c) => c.frame.name);
is(names, ["l", "r"]);
const [left] = (await cdp("Page.getFrameTree")).frameTree.childFrames.map((c) => c.frame.id);
const owned = await cdp("Runtime.evaluate", { expression: "document.querySelector('frame')" });
is((await cdp("DOM.describeNode", owned.result)).node.frameId, left);
await lifecycle(left, "load");
await evaluateIn(
  left,
  '(document.body.innerHTML = \'<button onclick="this.pressed = 1" style="position:fixed;left:30px;top:40px;width:90px;height:30px">b</button>\', innerWidth)',
);
const mouse = (type) => cdp("Input.dispatchMouseEvent", { type, x: 60, y: 55, button: "left", clickCount: 1 });
await mouse("mousePressed");
await mouse("mouseReleased");
is(await evaluateIn(left, "document.querySelector('button').pressed"), 1, "a click in a frame of a set");

// In shadow trees that markup has made.
const inShadow = (id) =>
  `<div><template shadowrootmode=open><p><span><template shadowrootmode=open><iframe id=${id} src=/inner></iframe></template></span></template></div>`;
await visit("/declared", { html: `<div id=late></div>${inShadow("parsed")}` });
const named = async (...want) => {
  let names;
  for (const end = Date.now() + 5000; names?.length !== want.length && Date.now() < end; ) {
    names = (await cdp("Page.getFrameTree")).frameTree.childFrames?.map((c) => c.frame.name);
  }
  is(names, want);
};
await named("parsed");
await value(`late.setHTMLUnsafe(${JSON.stringify(inShadow("later"))}); 1`);
await named("parsed", "later");
await value("d = document; d.open(); d.write(" + JSON.stringify(inShadow("written")) + "); d.close()");
await named("written");

// Frames that come and go with the host of their shadow tree, or that take the place of another in one turn.
await visit("/moved", { html: inShadow("parsed") });
await named("parsed");
await value(
  "h = document.createElement('div'); h.attachShadow({ mode: 'closed' }).innerHTML = '<p><iframe id=apart></iframe></p>'; 1",
);
await named("parsed");
await value("document.body.append(h); 1");
await named("parsed", "apart");
await value("h.remove(); f = document.createElement('iframe'); f.id = 'one'; document.body.append(f); 1");
await named("parsed", "one");
await value("f.replaceWith(Object.assign(document.createElement('iframe'), { id: 'other' })); 1");
await named("parsed", "other");
await value("document.body.lastChild.replaceWith(h); 1");
await named("parsed", "apart");

// An element without a box counts as what it contains; a page may replace innerHeight.
await visit("/contents", {
  html: "<div style='height:3000px'></div><div id=c style='display:contents'>text <b>bold</b></div><p style='height:3000px'></p>",
});
const contents = await cdp("Runtime.evaluate", {
  expression: "Object.defineProperty(window, 'innerHeight', { value: 0 }); c",
});
await cdp("DOM.scrollIntoViewIfNeeded", contents.result);
const { quads } = await cdp("DOM.getContentQuads", contents.result);
is([quads.length, quads[0][1] > 200, quads[0][1] < 400], [2, true, true], quads);

// A document that stops loading before its load event.
await pair("/stops", { html: "<iframe name=slow src='/half?html=<img%20src=/net/slow>'></iframe>" });
for (const d of ["Page", "Runtime"]) await cdp(d + ".enable");
await named("slow");
const [half] = (await cdp("Page.getFrameTree")).frameTree.childFrames.map((c) => c.frame.id);
await settles(half, "document.images.length", 1);
events.length = 0;
await evaluateIn(half, "window.stop()");
is(
  events.filter((e) => e.method === "Page.frameStoppedLoading").map((e) => e.params.frameId),
  [half, "MAIN"],
  "and the one around it has loaded, before the answer",
);

// A frameset, and a frame whose navigation brings nothing.
await visit("/set", { html: "" });
await cdp("Page.enable");
events.length = 0;
await value(
  "s = document.createElement('frameset'), s.innerHTML = '<frame src=/one><frame src=about:blank><frame>', document.body.replaceWith(s), new Promise((r) => setTimeout(r, 500))",
);
const inSet = (name) => events.filter((e) => e.method === name).map((e) => e.params.frameId ?? e.params.frame.id);
const attached = inSet("Page.frameAttached");
is(
  attached.map((id) => inSet("Page.frameNavigated").filter((x) => x === id).length),
  [1, 1, 1],
  "each frame navigates once",
);
await visit("/vain", { html: "<iframe name=vain src='blob:'></iframe>" });
await named("vain");
const [vain] = (await cdp("Page.getFrameTree")).frameTree.childFrames.map((c) => c.frame);
is(vain.url, "about:blank", "of an address that leads nowhere");

// A document that was stopped before its agent was paired is complete, without a load event.
await pair("/stopped", { html: "<script>window.stop()<\/script><p>never" });
for (let state; state !== "complete"; ) state = await value("document.readyState");
events.length = 0;
await cdp("Page.setLifecycleEventsEnabled", { enabled: true });
const reached = events
  .filter((e) => e.method === "Page.lifecycleEvent" && e.params.frameId === "MAIN")
  .map((e) => e.params.name);
is([reached.includes("commit"), reached.includes("load")], [true, false], reached.join());
