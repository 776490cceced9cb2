// Dedicated workers with blob: and data: addresses. A session that attaches by
// itself gets a session with each of them.
const from = (icdp) => message(icdp, (e) => e.icdp === icdp);
const blobWorker = (source, more = "{}") =>
  value(`void (window.w = new Worker(window.u = URL.createObjectURL(new Blob([${JSON.stringify(source)}], {type: "text/javascript"})), ${more}),
    URL.revokeObjectURL(u), w.onmessage = (e) => (window.said ??= []).push(e.data))`);
const said = () =>
  value(
    "new Promise((r) => { const t = setInterval(() => window.said?.length && (clearInterval(t), r(said.splice(0))), 10) })",
  );
await visit("/app");

// The page's own messages, the worker's name, and the lines of errors stay as they are.
await blobWorker("postMessage(self.name); onmessage = (e) => postMessage(['echo', e.data])", "{name: 'mine'}");
is(await said(), ["mine"]);
await value("w.postMessage({a: 1})");
is(await said(), [["echo", { a: 1 }]]);
is(
  events.some((e) => e.icdp === "workerattached"),
  false,
  "nobody has asked for it",
);

// A session comes to what is there.
await cdp("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
const { parent, sessionId, targetId, url } = await from("workerattached");
is([parent, url], ["S1", await value("u")]);
is(
  [sessionId, targetId].every((id) => /^[0-9A-F]{32}$/.test(id)),
  true,
);

const one = (method, params) => cdp(method, params, sessionId);
await one("Runtime.enable");
const { context } = await event("Runtime.executionContextCreated");
is(context.name, "");
await event("Inspector.workerScriptLoaded");
is((await one("Runtime.evaluate", { expression: "self.x = 6; x * 7", contextId: context.id })).result.value, 42);
is(
  (await one("Runtime.evaluate", { expression: "Promise.resolve(typeof importScripts)", awaitPromise: true })).result
    .value,
  "function",
);
const { result } = await one("Runtime.evaluate", { expression: "({ n: 1 })" });
is(result.className, "Object");
const called = {
  functionDeclaration: "function (by) { return this.n + by }",
  objectId: result.objectId,
  arguments: [{ value: 2 }],
};
is((await one("Runtime.callFunctionOn", called)).result.value, 3);
is(
  (await one("Runtime.getProperties", { objectId: result.objectId, ownProperties: true })).result.map((p) => p.name),
  ["n"],
);
is(
  (await one("Runtime.evaluate", { expression: "throw new Error('no')" })).exceptionDetails.exception.description.split(
    "\n",
  )[0],
  "Error: no",
);
const kept = async (expression, more) => (await one("Runtime.evaluate", { expression, ...more })).result.objectId;
const seven = { promiseObjectId: await kept("Promise.resolve(7)") };
is((await one("Runtime.awaitPromise", seven)).result.value, 7);
const seen = await one("Runtime.getExceptionDetails", { errorObjectId: await kept("new Error('seen')") });
is(seen.exceptionDetails.exception.description.startsWith("Error: seen"), true);
const grouped = await kept("({})", { objectGroup: "g" });
await one("Runtime.releaseObjectGroup", { objectGroup: "g" });
await one("Runtime.releaseObject", { objectId: result.objectId });
for (const objectId of [grouped, result.objectId])
  await fails(one("Runtime.getProperties", { objectId }), "Could not find object with given id");
is((await one("Runtime.getIsolateId")).id === (await cdp("Runtime.getIsolateId")).id, false);
await one("Runtime.evaluate", { expression: "console.log('forgotten')" });
await event("Runtime.consoleAPICalled");
await one("Runtime.discardConsoleEntries");
await one("Runtime.disable");
await one("Runtime.evaluate", { expression: "console.log('told to nobody')" });
await one("Runtime.discardConsoleEntries");
await one("Runtime.enable");
await event("Runtime.executionContextCreated");
await event("Inspector.workerScriptLoaded");
await one("Runtime.runIfWaitingForDebugger");
await fails(
  one("Page.navigate", { url: "/" }),
  "'Page.navigate' wasn't found in a worker of an embedded frame: only Runtime, Network and Target.setAutoAttach are there",
);

// What it logs and throws, from now on and from before the session.
await one("Runtime.evaluate", {
  expression: "console.log('hello', [1]); setTimeout(() => { throw new TypeError('late') })",
});
is((await event("Runtime.consoleAPICalled")).args[0].value, "hello");
is((await event("Runtime.exceptionThrown")).exceptionDetails.exception.className, "TypeError");
await blobWorker("\nconsole.log('first'); throw new Error('second')");
const two = (await from("workerattached")).sessionId;
await cdp("Runtime.enable", {}, two);
is((await event("Runtime.consoleAPICalled")).args[0].value, "first");
const { exceptionDetails } = await event("Runtime.exceptionThrown");
is(exceptionDetails.lineNumber, 1, "lines are those of the script");

// Ends: by the page, by the worker itself, by the client, with the frame.
await value("w.terminate()");
is((await from("workerdetached")).sessionId, two);
await blobWorker("setTimeout(close, 50)");
const three = (await from("workerattached")).sessionId;
is((await from("workerdetached")).sessionId, three);
await value(
  "void (window.d = new Worker('data:text/javascript,onmessage=(e)=>postMessage(e.data+1)'), d.onmessage = (e) => window.sum = e.data, d.postMessage(1))",
);
const data = await from("workerattached");
is(data.url, "data:text/javascript,onmessage=(e)=>postMessage(e.data+1)");
is((await cdp("Runtime.evaluate", { expression: "self.origin" }, data.sessionId)).result.value, "null");
is(await value("new Promise((r) => { const t = setInterval(() => window.sum && (clearInterval(t), r(sum)), 10) })"), 2);
await value("void (window.b = new Worker('data:text/javascript;base64,' + btoa('self.y = 5'), { type: 'module' }))");
const base64 = await from("workerattached");
is((await cdp("Runtime.evaluate", { expression: "y" }, base64.sessionId)).result.value, 5);
port.postMessage(JSON.stringify({ icdp: "detached", sessionId: base64.sessionId }));
await fails(cdp("Runtime.evaluate", { expression: "1" }, base64.sessionId), "Session with given id not found.");
// Chromium 156 starts one of 50 workers of new frames in vain, without an agent too: an error event, or no event.
await until("a frame's worker has started", () =>
  value(
    `new Promise((r) => {
      window.kid?.remove();
      const f = document.createElement("iframe");
      f.srcdoc = "<script>const w = new Worker('data:text/javascript,postMessage(1)'); w.onmessage = () => parent.started(true); w.onerror = () => parent.started(false)</scr" + "ipt>";
      f.id = "kid";
      window.started = r;
      setTimeout(r, 2000, false);
      document.body.append(f);
    })`,
  ),
);
const inFrame = await from("workerattached");
await value("kid.remove()");
is((await from("workerdetached")).sessionId, inFrame.sessionId);

// A worker of a worker, which that one ends.
await cdp("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }, sessionId);
await cdp("Runtime.evaluate", { expression: "void (self.inner = new Worker('data:text/javascript,'))" }, sessionId);
const ofWorker = await from("workerattached");
is(ofWorker.parent, sessionId);
await cdp("Runtime.evaluate", { expression: "inner.terminate()" }, sessionId);
is((await from("workerdetached")).sessionId, ofWorker.sessionId);

// A filter, and the end of it all.
events.length = 0;
attach("S2");
await cdp(
  "Target.setAutoAttach",
  { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{ type: "worker", exclude: true }, {}] },
  "S2",
);
await cdp("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
is((await from("workerdetached")).sessionId, sessionId);
await value("new Worker('data:text/javascript,'), 0");
await value("new Promise((r) => setTimeout(r, 300))");
is(
  events.filter((e) => e.icdp === "workerattached"),
  [],
);
is(await value("Worker.name + (new Worker('data:,') instanceof Worker)"), "Workertrue");
is(
  await value("(() => { try { new Worker('http://[') } catch (e) { return e.name } })()"),
  "SyntaxError",
  "the browser's own errors",
);

// Where the policy of the page keeps the worker's agent away, the worker runs without it.
await visit("/app", { csp: "connect-src 'none'" });
await blobWorker("postMessage('alone')");
is(await said(), ["alone"]);

// Workers of child frames of another origin are inside the same sessions, whether the frame comes before or after.
const starts = `<script>w = new Worker(URL.createObjectURL(new Blob(["self.here = 7"], {type: "text/javascript"})))<\/script>`;
const child = OTHER + "/child?" + new URLSearchParams({ html: starts });
await visit("/app", { html: `<iframe src="${child}"></iframe>` });
events.length = 0;
await cdp("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
await value(
  `void (later = document.body.appendChild(document.createElement("iframe"))).setAttribute("src", "${child}")`,
);
const inside = [await from("workerattached"), await from("workerattached")];
is(
  inside.map((m) => m.parent),
  ["S1", "S1"],
);
for (const { sessionId } of inside)
  is((await cdp("Runtime.evaluate", { expression: "here" }, sessionId)).result.value, 7);
await value("later.remove()");
const { sessionId: ended } = await from("workerdetached");
await value("document.querySelector('iframe').src = 'about:blank'");
is([ended, (await from("workerdetached")).sessionId].sort(), inside.map((m) => m.sessionId).sort());
