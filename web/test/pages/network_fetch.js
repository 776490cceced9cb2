// fetch: what clients hear of it, and that the page notices nothing.
await visit("/app", { html: "<p>" });
await cdp("Network.enable");
await cdp("Log.enable");
const story = async (expression, last = "loadingFinished") => {
  events.length = 0;
  const result = await value(expression);
  const sent = await event("Network.requestWillBeSent");
  const end = await event("Network." + last);
  is(end.requestId, sent.requestId, "one story");
  const came = events.find((e) => e.method === "Network.responseReceived")?.params;
  return { result, sent, came, end, request: sent.request, response: came?.response };
};

// A plain one.
let s = await story(`fetch("/net/echo#frag", { headers: { "X-A": "1" } }).then((r) => r.json())`);
is(s.sent.type, "Fetch");
is(s.request.url, APP + "/net/echo");
is(s.request.urlFragment, "#frag");
is(s.request.method, "GET");
is(s.request.headers["x-a"], "1");
is(s.request.headers["User-Agent"], s.result.headers["User-Agent"]);
is(s.request.headers.Referer, s.result.headers.Referer);
is([s.sent.frameId, s.sent.loaderId, s.sent.documentURL.split("?")[0]], ["MAIN", "LOADER1", APP + "/app"]);
is(
  [s.response.status, s.response.statusText, s.response.mimeType, s.response.headers["x-echo"]],
  [200, "OK", "application/json", "yes"],
);
is([s.came.hasExtraInfo, s.sent.redirectHasExtraInfo], [false, false]);
is(s.response.timing.receiveHeadersEnd >= 0 && s.response.timing.requestTime <= s.came.timestamp, true, "timing");
const body = await cdp("Network.getResponseBody", { requestId: s.sent.requestId });
is(JSON.parse(body.body), s.result);

// Bodies of requests.
const sends = async (js) => {
  const t = await story(`fetch("/net/echo", { method: "POST", body: ${js} }).then((r) => r.json())`);
  return { got: t.result.body, type: t.result.headers["Content-Type"], ...t };
};
for (const [js, type] of [
  [`"xé"`, "text/plain;charset=UTF-8"],
  [`new URLSearchParams({ a: "b c" })`, "application/x-www-form-urlencoded;charset=UTF-8"],
  [`new TextEncoder().encode("bytes")`, undefined],
  [`new TextEncoder().encode("buffer").buffer`, undefined],
  [`(() => { const f = new FormData(); f.append('a"b', "1\\n2"); f.append("é", "ü"); return f; })()`, null],
]) {
  const t = await sends(js);
  is(t.request.postData, t.got, js);
  is(t.request.hasPostData, true);
  is(
    new TextDecoder().decode(Uint8Array.from(atob(t.request.postDataEntries[0].bytes), (c) => c.charCodeAt(0))),
    t.got,
  );
  is(t.request.headers["content-type"], t.type, "the type sent");
  if (type !== null) is(t.type, type);
  is((await cdp("Network.getRequestPostData", { requestId: t.sent.requestId })).postData, t.got);
}
s = await sends(`new Blob(["blob"], { type: "text/x" })`);
is([s.got, s.type, s.request.hasPostData, s.request.postData], ["blob", "text/x", true, "blob"]);
is((await cdp("Network.getRequestPostData", { requestId: s.sent.requestId })).postData, "blob");
s = await story(`fetch(new Request("/net/echo", { method: "PUT", body: "in a Request" })).then((r) => r.json())`);
is([s.result.body, s.request.postData, s.request.method], ["in a Request", "in a Request", "PUT"]);
s = await story(
  `fetch(new Request("/net/echo", { method: "PUT", body: "cloned" }).clone(), { headers: { a: "b" } }).then((r) => r.json())`,
);
is([s.result.body, s.request.postData, s.result.headers.A], ["cloned", "cloned", "b"]);
is(
  await value(
    `(() => { class R extends Request {} const r = new R("/x"); return [r instanceof R, r instanceof Request, r.constructor === R, new Request("/y").constructor === Request]; })()`,
  ),
  [true, true, true, true],
);

// Redirects, statuses, other origins.
s = await story(`fetch("/net/redirect").then(async (r) => [r.url, r.redirected, r.type, (await r.json()).answer])`);
is(s.result, [APP + "/data.json", true, "basic", 42]);
is(s.response.url, APP + "/data.json");
const next = events.find((e) => e.method === "Network.requestWillBeSent").params;
is(
  [next.requestId, next.request.url, next.redirectResponse.url, s.request.url],
  [s.sent.requestId, APP + "/data.json", APP + "/net/redirect", APP + "/net/redirect"],
);
s = await story(`fetch("/net/status?n=404").then((r) => r.text())`);
is(s.response.status, 404);
const log = (await event("Log.entryAdded")).entry;
is(
  [log.text, log.source, log.level, log.networkRequestId],
  [
    "Failed to load resource: the server responded with a status of 404 (Not Found)",
    "network",
    "error",
    s.sent.requestId,
  ],
);
s = await story(`fetch("/net/status?n=204").then((r) => r.status)`);
is([s.result, s.response.status], [204, 204]);
const other = APP.replace("127.0.0.1", "localhost");
s = await story(`fetch("${other}/data.json", { mode: "no-cors" }).then((r) => [r.type, r.status])`);
is([s.result, s.response.status], [["opaque", 0], 0]);

// Failures.
s = await story(`fetch("${other}/data.json").catch((e) => e instanceof TypeError && e.message)`, "loadingFailed");
is([s.result, s.end.errorText, s.end.canceled], ["Failed to fetch", "net::ERR_FAILED", false]);
is((await event("Log.entryAdded")).entry.text, "Failed to load resource: net::ERR_FAILED");
s = await story(
  `(() => { const c = new AbortController(); setTimeout(() => c.abort("why"), 30); return fetch("/net/slow", { signal: c.signal }).catch((e) => e); })()`,
  "loadingFailed",
);
is([s.result, s.end.errorText, s.end.canceled], ["why", "net::ERR_ABORTED", true]);
is(
  await value(`fetch("http://").catch((e) => e.message)`),
  "Failed to execute 'fetch' on 'Window': Failed to parse URL from http://",
);
is(await value(`fetch().catch((e) => e.message.includes("1 argument required"))`), true);

// An endless stream reaches the page as it comes, and ends when the page cancels it, in whatever way it reads.
for (const read of [
  `const d = r.body.getReader(); await d.read(); await d.cancel();`,
  `const d = r.body.pipeThrough(new TextDecoderStream()).getReader(); await d.read(); await d.cancel();`,
  `for await (const chunk of r.body) break;`,
]) {
  const before = await value(`fetch("/net/gone").then((r) => r.text())`);
  events.length = 0;
  await value(`fetch("/net/stream").then(async (r) => { ${read} })`);
  const end = await event("Network.loadingFailed");
  is([end.errorText, end.canceled], ["net::ERR_ABORTED", true], read);
  for (let i = 0; i < 250 && (await value(`fetch("/net/gone").then((r) => r.text())`)) === before; i++) {
    await new Promise((done) => setTimeout(done, 20));
  }
  is(
    await value(`fetch("/net/gone").then((r) => r.text())`),
    String(Number(before) + 1),
    "the server noticed: " + read,
  );
}
is(
  await value(`fetch("/data.json").then(async (r) => {
  const c = r.clone(); const reader = c.body.getReader({ mode: "byob" });
  const { value } = await reader.read(new Uint8Array(4));
  return [r.bodyUsed, c.body.locked, value.length, (await r.json()).answer, r.bodyUsed];
})`),
  [false, true, 4, 42, true],
);
const reads = `async (r) => { const b = r.body; const t = await r.text(); return [t.length > 5, b === r.body, b.locked, await r.text().catch((e) => e.name)]; }`;
// biome-ignore lint/security/noGlobalEval: the same text in the test's own page
is(await value(`fetch("/data.json").then(${reads})`), await eval(`fetch("/").then(${reads})`), "as without the agent");
await fails(cdp("Network.getResponseBody", { requestId: "nope" }), "No resource with given identifier found");

// Longer bodies than the agent keeps.
s = await story(
  `fetch(URL.createObjectURL(new Blob([new Uint8Array(21_000_000)]))).then((r) => r.arrayBuffer()).then((b) => b.byteLength)`,
);
is([s.result, s.end.encodedDataLength - head(s.response)], [21_000_000, 21_000_000]);
await fails(
  cdp("Network.getResponseBody", { requestId: s.sent.requestId }),
  "Request content was evicted from inspector cache",
);
// Those that are let go of make room again.
for (const size of [11_000_000, 11_000_000, 3]) {
  s = await story(`fetch(URL.createObjectURL(new Blob([new Uint8Array(${size})]))).then((r) => r.arrayBuffer())`);
}
is((await cdp("Network.getResponseBody", { requestId: s.sent.requestId })).body, "\0\0\0");
await cdp("Network.setExtraHTTPHeaders", { headers: {} });
await fails(
  cdp("Network.setExtraHTTPHeaders", { headers: { a: "b" } }),
  "Network.setExtraHTTPHeaders is not possible in an embedded frame: request headers belong to the browser",
);
