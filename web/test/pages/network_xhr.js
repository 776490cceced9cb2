// XMLHttpRequest: what clients hear of it, what they make of it, and that the
// page cannot tell a response made up from one of a server.
await visit("/app", { html: "<p>" });
await cdp("Network.enable");
// run(method, url, body, how) logs each event of a request with what the page sees then.
await value(`window.run = (method, url, body, how = {}) => new Promise((done) => {
  const x = new XMLHttpRequest(), log = [];
  const see = (name) => (e) => {
    let text; try { text = x.responseText.length > 0; } catch (err) { text = err.name; }
    log.push([name, e.type, x.readyState, x.status, text, x.getAllResponseHeaders().length > 0, e.loaded ?? 0].join(" "));
    if (how.at === name + " " + e.type + x.readyState) how.act(x);
    if (name === "xhr" && e.type === "loadend") setTimeout(() => done({ log, status: x.status, text: x.statusText, url: x.responseURL,
      response: how.plain ? x.response : undefined, x }), 20);
  };
  for (const t of ["loadstart", "progress", "load", "loadend", "error", "abort", "timeout", "readystatechange"]) {
    x.addEventListener(t, see("xhr")); if (t !== "readystatechange" && body !== undefined) x.upload.addEventListener(t, see("upload"));
  }
  x.open(method, url);
  for (const [n, v] of Object.entries(how.headers ?? {})) x.setRequestHeader(n, v);
  if (how.mime) x.overrideMimeType(how.mime);
  if (how.type) x.responseType = how.type;
  if (how.timeout) x.timeout = how.timeout;
  how.before?.(x);
  x.send(body);
  window.last = x;
}); 0`);
const run = (args) =>
  value(`run(${args}).then(({ log, status, text, url, response }) => ({ log, status, text, url, response }))`);

// Native requests are told of.
events.length = 0;
const echo = JSON.parse((await run(`"POST", "/net/echo", "xé", { plain: true, headers: { "X-A": "1" } }`)).response);
is([echo.body, echo.headers["X-A"]], ["xé", "1"]);
const sent = await event("Network.requestWillBeSent");
is([sent.type, sent.request.method, sent.request.postData, sent.request.headers["X-A"]], ["XHR", "POST", "xé", "1"]);
is((await event("Network.responseReceived")).response.headers["x-echo"], "yes");
is((await event("Network.loadingFinished")).requestId, sent.requestId);
is(JSON.parse((await cdp("Network.getResponseBody", { requestId: sent.requestId })).body), echo);
const form = JSON.parse(
  (
    await run(
      `"POST", "/net/echo", (() => { const f = new FormData(); f.append("a", "é"); return f; })(), { plain: true }`,
    )
  ).response,
);
is((await event("Network.requestWillBeSent")).request.postData, form.body);
is(form.headers["Content-Type"].startsWith("multipart/form-data; boundary=----WebKitFormBoundary"), true);
for (const [how, type] of [
  [`{ timeout: 30 }`, "timeout"],
  [`{ at: "xhr readystatechange1", before: (x) => setTimeout(() => x.abort(), 30) }`, "abort"],
]) {
  events.length = 0;
  const r = await run(`"GET", "/net/slow", undefined, ${how}`);
  is(
    r.log.some((l) => l.startsWith("xhr " + type)),
    true,
    type,
  );
  const end = await event("Network.loadingFailed");
  is([end.errorText, end.canceled, end.type], ["net::ERR_ABORTED", true, "XHR"]);
}
events.length = 0;
is(
  await value(
    `(() => { const x = new XMLHttpRequest(); x.open("GET", "/data.json", false); x.send(); return [x.status, x.response]; })()`,
  ),
  [200, `{"answer":42}`],
);
const answered = (await event("Network.responseReceived")).response;
is(answered.status, 200);
is((await event("Network.loadingFinished")).encodedDataLength - head(answered), 13);

// What a client makes up is played as the browser plays the same from a server.
const native = {};
const cases = {
  plain: `"GET", "/net/status?n=200&type=text/plain&body=hello", undefined, { plain: true }`,
  empty: `"GET", "/net/status?n=200&type=text/plain&body=", undefined, { plain: true }`,
  gone: `"GET", "/net/status?n=404&type=text/plain&body=hello", undefined, { plain: true }`,
  upload: `"POST", "/net/status?n=200&type=text/plain&body=hello", "up", { plain: true }`,
  none: `"GET", "/net/status?n=204&type=text/plain&body=", undefined, { plain: true }`,
  json: `"GET", "/net/status?n=200&type=application/json&body=%7B%22a%22:1%7D", undefined, { plain: true, type: "json" }`,
  notjson: `"GET", "/net/status?n=200&type=application/json&body=x", undefined, { plain: true, type: "json" }`,
  abort2: `"GET", "/net/status?n=200&type=text/plain&body=hello", undefined, { at: "xhr readystatechange2", act: (x) => x.abort() }`,
};
for (const [name, args] of Object.entries(cases)) native[name] = await run(args);
await cdp("Fetch.enable");
const answer = async (act) => {
  const p = await event("Fetch.requestPaused");
  await act(p);
  return p;
};
const made = (p) => {
  const q = new URL(p.request.url).searchParams;
  return cdp("Fetch.fulfillRequest", {
    requestId: p.requestId,
    responseCode: Number(q.get("n")),
    body: btoa(q.get("body") ?? ""),
    responseHeaders: [
      { name: "Content-Type", value: q.get("type") },
      { name: "Content-Length", value: String(q.get("body").length) },
    ],
  });
};
for (const [name, args] of Object.entries(cases)) {
  const [r] = await Promise.all([run(args), answer(made)]);
  is(r.log, native[name].log, name + ": events");
  is(
    [r.status, r.text, r.url, r.response],
    [native[name].status, native[name].text, native[name].url, native[name].response],
    name,
  );
}
