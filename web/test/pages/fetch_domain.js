// The Fetch domain: what a client decides of fetch and XMLHttpRequest.
await visit("/app", { html: "<p>" });
await cdp("Network.enable");
const paused = async (act, session = "S1") => {
  const p = await event("Fetch.requestPaused");
  return (
    (await act?.(p, (method, more = {}) => cdp("Fetch." + method, { requestId: p.requestId, ...more }, session))) ?? p
  );
};
const both = async (expression, ...acts) => {
  events.length = 0;
  const result = value(expression);
  for (const act of acts) await paused(act);
  return result;
};
const ask = (
  url,
  init = "{}",
) => `fetch("${url}", ${init}).then(async (r) => ({ status: r.status, text: r.statusText, url: r.url, type: r.type, redirected: r.redirected,
  headers: Object.fromEntries(r.headers), body: await r.text() })).catch((e) => e.name + ": " + e.message)`;
const xhr = (
  url,
  how = "",
  body = "null",
  method = "GET",
) => `new Promise((done) => { const x = new XMLHttpRequest(); x.open("${method}", "${url}"); ${how};
  x.onloadend = () => done({ status: x.status, url: x.responseURL, body: x.responseType ? x.response : x.responseText, header: x.getResponseHeader("x-made") }); x.send(${body}); })`;
const entries = (o) => Object.entries(o).map(([name, value]) => ({ name, value }));

// Patterns: address, type, stage; none and an empty list.
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*/net/ec?o*" }, { urlPattern: "*", resourceType: "Image" }] });
is((await value(ask("/data.json"))).status, 200, "no pattern matches");
let p = await new Promise((r) => void both(ask("/net/echo?a=1"), (q, go) => (r(q), go("continueRequest"))));
const sent = await event("Network.requestWillBeSent");
is(
  [p.networkId, p.frameId, p.resourceType, p.request.method, p.request.url],
  [sent.requestId, "MAIN", "XHR", "GET", APP + "/net/echo?a=1"],
);
is([p.responseStatusCode, p.responseErrorReason], [undefined, undefined]);
await cdp("Fetch.enable", { patterns: [] });
is((await value(ask("/net/echo"))).status, 200, "an empty list");

// Continue with changes, which the page does not see.
await cdp("Fetch.enable");
let r = await both(ask("/nowhere", `{ method: "POST", body: "old", headers: { "X-A": "1", "X-B": "2" } }`), (_p, go) =>
  go("continueRequest", {
    url: APP + "/net/echo?changed",
    method: "PUT",
    postData: btoa("new"),
    headers: entries({ "X-A": "3", "Content-Type": "text/y" }),
  }),
);
let echo = JSON.parse(r.body);
is(
  [echo.path, echo.method, echo.body, echo.headers["X-A"], echo.headers["X-B"], echo.headers["Content-Type"]],
  ["/net/echo?changed", "PUT", "new", "3", undefined, "text/y"],
);
is([r.url, r.redirected, r.type], [APP + "/nowhere", false, "basic"]);
r = await both(xhr("/nowhere", `x.setRequestHeader("X-A", "1")`, `"old"`, "POST"), (_p, go) =>
  go("continueRequest", {
    url: APP + "/net/echo?changed",
    method: "PUT",
    postData: btoa("new"),
    headers: entries({ "X-A": "3", "Content-Type": "text/y" }),
  }),
);
echo = JSON.parse(r.body);
is(
  [echo.path, echo.method, echo.body, echo.headers["X-A"], echo.headers["Content-Type"], r.url],
  ["/net/echo?changed", "PUT", "new", "3", "text/y", APP + "/nowhere"],
);
// The headers that a client was told of may come back, others of the browser may not be set.
r = await both(ask("/net/echo"), async (q, go) => {
  await fails(
    go("continueRequest", { headers: entries({ ...q.request.headers, Cookie: "a=1" }) }),
    "Fetch.continueRequest is not possible in an embedded frame: request headers belong to the browser (Cookie)",
  );
  await fails(
    go("continueRequest", { postData: btoa("x") }),
    "Fetch.continueRequest is not possible in an embedded frame: page script sends no body with GET or HEAD",
  );
  await go("continueRequest", { headers: entries({ ...q.request.headers, "x-more": "1" }) });
});
is(JSON.parse(r.body).headers["X-More"], "1");

// Fulfil.
r = await both(ask("/made#up"), (_p, go) =>
  go("fulfillRequest", {
    responseCode: 201,
    responsePhrase: "Made",
    responseHeaders: entries({ "Content-Type": "text/plain", "X-Made": "yes", "Set-Cookie": "made=1" }),
    body: btoa("hello"),
  }),
);
is(
  [r.status, r.text, r.url, r.type, r.redirected, r.headers["x-made"], r.body],
  [201, "Made", APP + "/made", "basic", false, "yes", "hello"],
);
is(await value("document.cookie"), "made=1");
is((await event("Network.responseReceived")).response.status, 201);
const id = (await event("Network.loadingFinished")).requestId;
is(await cdp("Network.getResponseBody", { requestId: id }), { body: "hello", base64Encoded: false });
for (const [type, want, look] of [
  ["", "<a>é</a>", "x"],
  ["text", "<a>é</a>", "x"],
  ["arraybuffer", [60, 97, 62, 195, 169, 60, 47, 97, 62], "[...new Uint8Array(x)]"],
  ["blob", ["application/xml", 9], "[x.type, x.size]"],
  ["document", ["a", "é"], "[x.documentElement.localName, x.documentElement.textContent]"],
  ["json", null, "x"],
]) {
  r = await both(
    xhr("/made", `x.responseType = "${type}"`) +
      `.then((r) => { const x = r.body; return [r.status, ${look}, r.header]; })`,
    (_p, go) =>
      go("fulfillRequest", {
        responseCode: 200,
        responseHeaders: entries({ "Content-Type": "application/xml", "X-Made": "yes" }),
        body: btoa("<a>\xc3\xa9</a>"),
      }),
  );
  is(r, [200, want, "yes"], "responseType " + type);
}
r = await both(xhr("/made", `x.overrideMimeType("text/plain; charset=latin1")`), (_p, go) =>
  go("fulfillRequest", { responseCode: 200, body: btoa("\xe9") }),
);
is(r.body, "é", "overrideMimeType");

// Fail.
for (const make of [ask, xhr]) {
  for (const [reason, text, canceled] of [
    ["ConnectionRefused", "net::ERR_CONNECTION_REFUSED", false],
    ["Aborted", "net::ERR_ABORTED", true],
  ]) {
    r = await both(make("/made"), (_p, go) => go("failRequest", { errorReason: reason }));
    is(r.status ?? r, make === ask ? "TypeError: Failed to fetch" : 0, reason);
    const end = await event("Network.loadingFailed");
    is([end.errorText, end.canceled], [text, canceled]);
  }
}
r = await both(ask("/made"), async (_p, go) => {
  await fails(go("failRequest", { errorReason: "Nope" }), "Unknown errorReason");
  await fails(go("getResponseBody"), "Can only get response body on HeadersReceived pattern matched requests.");
  await fails(go("continueResponse", {}), "Invalid state for continueInterceptedRequest");
  await fails(
    go("continueWithAuth", {}),
    "Fetch.continueWithAuth is not possible in an embedded frame: authentication belongs to the browser",
  );
  await fails(go("fulfillRequest", { responseCode: 1000 }), "Invalid http status code or phrase");
  await go("failRequest", { errorReason: "BlockedByClient" });
  await fails(go("continueRequest"), "Invalid InterceptionId.");
});
// Chromium 156 pauses no request for a data: address.
events.length = 0;
is((await value(ask("data:text/plain,here"))).body, "here");
is(await value(xhr("data:text/plain,here")).then((x) => x.body), "here");
is(
  events.filter((e) => e.method === "Fetch.requestPaused"),
  [],
);
// The page gives up what is paused.
r = await both(
  `(() => { const c = new AbortController(); setTimeout(() => c.abort(), 50); return fetch("/made", { signal: c.signal }).catch((e) => e.name); })()`,
);
is(r, "AbortError");
is((await event("Network.loadingFailed")).errorText, "net::ERR_ABORTED");
await paused((_p, go) => fails(go("continueRequest"), "Invalid InterceptionId."));
for (const [how, want] of [
  ["x.abort()", "abort"],
  ["0", "timeout"],
]) {
  is(
    await both(`new Promise((done) => { const x = new XMLHttpRequest(), log = []; x.open("GET", "/made"); ${how === "0" ? "x.timeout = 50" : ""};
    for (const t of ["loadstart", "abort", "timeout", "error", "loadend", "readystatechange"]) x.addEventListener(t, () => log.push(t + x.readyState));
    x.send(); setTimeout(() => { try { x.send(); } catch (e) { log.push(e.name); } ${how}; setTimeout(() => done([...log, x.readyState]), 60); }, 10); })`),
    ["loadstart1", "InvalidStateError", "readystatechange4", want + "4", "loadend4", want === "abort" ? 0 : 4],
    how,
  );
}
events.length = 0;
// The page hears once that a request starts, wherever it listens.
r = await both(
  `new Promise((done) => { const x = new XMLHttpRequest(), log = [], note = (e) => log.push(e.isTrusted);
    x.addEventListener("loadstart", note); x.open("GET", "/data.json"); x.addEventListener("loadstart", note, true); x.onloadstart = note;
    x.onloadend = () => done([log.length, x.constructor === XMLHttpRequest, x instanceof XMLHttpRequest, new (class extends XMLHttpRequest {})().readyState]); x.send(); })`,
  (_q, go) => go("continueRequest"),
);
is(r, [3, true, true, 0]);
events.length = 0;
// A request that is aborted before it begins is none.
is(await value(`fetch("/made", { signal: AbortSignal.abort("why") }).catch((e) => e)`), "why");
is(
  events.filter((e) => /^(Network|Fetch)/.test(e.method)),
  [],
);

// The response stage.
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*", requestStage: "Response" }] });
for (const make of [ask, xhr]) {
  r = await both(make("/data.json"), async (q, go) => {
    is(
      [q.responseStatusCode, q.responseStatusText, q.responseHeaders.find((h) => h.name === "content-type").value],
      [200, "OK", "application/json"],
    );
    is(await go("getResponseBody"), { body: btoa(`{"answer":42}`), base64Encoded: true });
    await go("continueResponse", {});
  });
  is([r.status, r.body], [200, `{"answer":42}`]);
  r = await both(make("/data.json"), (_q, go) =>
    go("continueResponse", { responseCode: 299, responseHeaders: entries({ "X-Made": "2" }) }),
  );
  is([r.status, r.body, r.header ?? r.headers["x-made"], r.url], [299, `{"answer":42}`, "2", APP + "/data.json"]);
  r = await both(make("/data.json"), (_q, go) => go("fulfillRequest", { responseCode: 200, body: btoa("else") }));
  is(r.body, "else");
  r = await both(make("/net/drop"), (q, go) => (is(q.responseErrorReason, "Failed"), go("continueRequest")));
  is(r.status ?? r, make === ask ? "TypeError: Failed to fetch" : 0);
}
await cdp("Fetch.enable");
r = await both(
  ask("/data.json"),
  (_p, go) => go("continueRequest", { interceptResponse: true }),
  (q, go) => (is(q.responseStatusCode, 200), go("continueRequest")),
);
is(r.body, `{"answer":42}`);

// Two sessions: the first to enable sees a request first and its response last.
attach("S2");
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*" }, { urlPattern: "*", requestStage: "Response" }] }, "S2");
const order = [];
const note = (what, session, method, more) => async (q, go) => {
  order.push([what, new URL(q.request.url).pathname, q.responseStatusCode ?? 0]);
  await cdp("Fetch." + method, { requestId: q.requestId, ...more }, session);
};
r = await both(
  ask("/a"),
  note("first", "S1", "continueRequest", { url: APP + "/b", interceptResponse: true }),
  note("second", "S2", "continueRequest", { url: APP + "/net/status?n=404&type=text/plain" }),
  note("second", "S2", "fulfillRequest", { responseCode: 410 }),
  note("first", "S1", "continueResponse", { responseCode: 418, responseHeaders: [] }),
);
is(order, [
  ["first", "/a", 0],
  ["second", "/b", 0],
  ["second", "/net/status", 404],
  ["first", "/b", 410],
]);
is([r.status, r.url], [418, APP + "/a"]);

// Disable and detach release what is paused.
const waiting = value(ask("/data.json"));
await paused(async (q) => {
  await fails(cdp("Fetch.continueRequest", { requestId: q.requestId }, "S2"), "Invalid InterceptionId.");
  return cdp("Fetch.disable");
});
await paused(() => port.postMessage(JSON.stringify({ icdp: "detached", sessionId: "S2" })));
is((await waiting).body, `{"answer":42}`);
await fails(cdp("Fetch.continueRequest", { requestId: "x" }), "Fetch domain is not enabled");
state.sessions.pop();

// A session that ends while its request is under way does not get the response.
attach("S3");
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*" }, { urlPattern: "*", requestStage: "Response" }] }, "S3");
const slow = value(ask("/net/slow"));
await paused((_q, go) => go("continueRequest"), "S3");
port.postMessage(JSON.stringify({ icdp: "detached", sessionId: "S3" }));
is((await slow).status, 200);
state.sessions.pop();

// A new document's first requests wait for its sessions.
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*/early" }] });
state.sessions[0].fetch = { patterns: [{ urlPattern: "*/early" }] };
state.sessions[0].domains = ["Network"];
events.length = 0;
await visit("/next", {
  html: `<script>fetch("/early").then((r) => r.text()).then((t) => (window.got = t));
  const x = new XMLHttpRequest(); x.open("GET", "/early"); x.onload = () => (window.also = x.responseText); x.send(); fetch("/data.json").then((r) => r.text())<\/script>`,
});
for (let i = 0; i < 2; i++)
  await paused((_q, go) => go("fulfillRequest", { responseCode: 200, body: btoa("early bird") }));
for (let i = 0; i < 100 && !(await value("window.got && window.also")); i++);
is(await value("[got, also]"), ["early bird", "early bird"]);
is(
  events
    .filter(
      (e) => e.method === "Network.requestWillBeSent" && e.params.type !== "Document" && e.params.type !== "Script",
    )
    .map((e) => [new URL(e.params.request.url).pathname, e.params.loaderId]),
  [
    ["/early", "LOADER2"],
    ["/early", "LOADER2"],
    ["/data.json", "LOADER2"],
  ],
);

// What nobody can hold back is told of too, or clients would take no note of it; it can only be let go.
for (
  let i = 0;
  i < 100 && !events.some((e) => e.method === "Network.loadingFinished" && e.params.requestId === "LOADER3");
  i++
) {
  if (i === 0) {
    state.sessions[0].fetch = { patterns: [{ urlPattern: "*" }] };
    events.length = 0;
    await visit("/last", { html: "<img src='/net/status?n=200&type=image/svg%2Bxml'>" });
  }
  await new Promise((r) => setTimeout(r, 10));
}
const doc = await event("Fetch.requestPaused");
is(
  [doc.networkId, doc.resourceType, doc.frameId, new URL(doc.request.url).pathname],
  ["LOADER3", "Document", "MAIN", "/last"],
);
await cdp("Fetch.continueRequest", { requestId: doc.requestId, headers: entries(doc.request.headers) });
await fails(cdp("Fetch.continueRequest", { requestId: doc.requestId }), "Invalid InterceptionId.");
do p = await event("Fetch.requestPaused");
while (p.resourceType !== "Image");
await fails(
  cdp("Fetch.failRequest", { requestId: p.requestId, errorReason: "Failed" }),
  "Fetch.failRequest is not possible in an embedded frame: only requests of fetch and of asynchronous XMLHttpRequest can be held back",
);

// A redirect that a client makes up is followed.
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*/from" }] });
const away = (location) => (_q, go) =>
  go("fulfillRequest", { responseCode: 302, responseHeaders: entries({ Location: location }) });
r = await both(ask("/from", `{ method: "POST", body: "x" }`), away("/net/echo"));
is([r.url, r.redirected, JSON.parse(r.body).method], [APP + "/net/echo", true, "GET"]);
await event("Network.requestWillBeSent");
const hop = await event("Network.requestWillBeSent");
is(
  [hop.request.url, hop.request.method, hop.redirectResponse.url, hop.redirectResponse.status],
  [APP + "/net/echo", "GET", APP + "/from", 302],
);
r = await both(xhr("/from"), away("/net/echo"));
is([r.url, JSON.parse(r.body).method], [APP + "/net/echo", "GET"]);
