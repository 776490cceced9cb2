// What a dedicated worker asks for, in a session with the worker.
const attached = () => message("a worker", (e) => e.icdp === "workerattached");
await visit("/app");
await cdp("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
const origin = await value("location.origin");
const script = `onmessage = async (e) => postMessage((await (await fetch("${origin}/net/echo", { method: "POST", body: e.data })).json()).body);
  self.start = () => { self.inner = new Worker(URL.createObjectURL(new Blob(["0"]))) }`;
await value(
  `void (window.w = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}]))),
    window.ask = (text) => new Promise((r) => { w.onmessage = (e) => r(e.data); w.postMessage(text) }))`,
);
const { sessionId } = await attached();
const one = (method, params) => cdp(method, params, sessionId);

// Its requests, with both bodies.
await one("Network.enable");
is(await value("ask('one')"), "one");
const { requestId, request } = await event("Network.requestWillBeSent");
is([request.url, request.method, request.postData], [`${origin}/net/echo`, "POST", "one"]);
is((await event("Network.responseReceived")).response.status, 200);
await event("Network.loadingFinished");
is((await one("Network.getRequestPostData", { requestId })).postData, "one");
is(JSON.parse((await one("Network.getResponseBody", { requestId })).body).body, "one");
await fails(one("Network.getResponseBody", { requestId: "none" }), "No resource with given identifier found");
await one("Network.disable");
events.length = 0;
is(await value("ask('two')"), "two");
is(
  events.filter((e) => e.method?.startsWith("Network.") && e.sessionId === sessionId),
  [],
);

// A worker inside it.
await one("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
await one("Runtime.evaluate", { expression: "start()" });
is((await attached()).parent, sessionId);
