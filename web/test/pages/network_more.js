// Sockets, event streams, beacons, resources of elements, child frames.
await visit("/app", { html: "<p>" });
await cdp("Network.enable");
await cdp("Log.enable");

// WebSocket
const socket = APP.replace("http", "ws") + "/net/socket";
is(
  await value(`new Promise((done) => {
  const w = window.w = new WebSocket("${socket}", "one"), got = [];
  w.onopen = () => { w.send("hié"); w.send(new Uint8Array([1, 2])); w.send(new Blob(["q"])); w.send("last"); };
  w.onmessage = async (e) => { got.push(typeof e.data); if (e.data === "last") w.close(); };
  w.onclose = () => done([got, w.protocol, w instanceof WebSocket, w.constructor === WebSocket, WebSocket.OPEN, Object.keys(w), WebSocket.name]);
})`),
  [["string", "object", "object", "string"], "one", true, true, 1, [], "WebSocket"],
);
const made = await event("Network.webSocketCreated");
is(made.url, socket);
is((await event("Network.webSocketWillSendHandshakeRequest")).request.headers["Sec-WebSocket-Protocol"], "one");
const shaken = (await event("Network.webSocketHandshakeResponseReceived")).response;
is([shaken.status, shaken.statusText, shaken.headers["Sec-WebSocket-Protocol"]], [101, "Switching Protocols", "one"]);
for (const [way, mask] of [
  ["Sent", true],
  ["Received", false],
]) {
  for (const [opcode, payloadData] of [
    [1, "hié"],
    [2, "AQI="],
    [2, "cQ=="],
    [1, "last"],
  ]) {
    const f = await event("Network.webSocketFrame" + way);
    is([f.requestId, f.response], [made.requestId, { opcode, mask, payloadData }]);
  }
}
is((await event("Network.webSocketClosed")).requestId, made.requestId);
is(
  await value(
    `new Promise((done) => { const w = new (class Mine extends WebSocket { get mine() { return 1; } })("${socket.replace("socket", "nothing")}"); w.onclose = () => done(w.mine); })`,
  ),
  1,
);
is((await event("Network.webSocketFrameError")).errorMessage.startsWith("Error in connection establishment"), true);
await event("Network.webSocketClosed");
is(await value(`(() => { try { new WebSocket("ftp://x"); } catch (e) { return e.name; } })()`), "SyntaxError");
is(await value(`(() => { try { WebSocket("ws://x"); } catch (e) { return e.name; } })()`), "TypeError");
is(
  await value(
    `(() => { const w = new WebSocket("${socket}"); try { w.send("x"); } catch (e) { return e.name; } finally { w.close(); } })()`,
  ),
  "InvalidStateError",
);

// EventSource
events.length = 0;
is(
  await value(`new Promise((done) => { const e = window.es = new EventSource("/net/events"), got = [];
  e.onmessage = (m) => got.push(m.data); e.addEventListener("ping", (m) => { got.push(m.data); setTimeout(() => { e.close(); done([got, e instanceof EventSource, EventSource.CLOSED]); }, 30); }); })`),
  [["one", "two"], true, 2],
);
const stream = await event("Network.requestWillBeSent");
is([stream.type, stream.request.headers.Accept], ["EventSource", "text/event-stream"]);
is((await event("Network.responseReceived")).response.mimeType, "text/event-stream");
for (const [eventName, data] of [
  ["message", "one"],
  ["ping", "two"],
]) {
  const m = await event("Network.eventSourceMessageReceived");
  is([m.requestId, m.eventName, m.eventId, m.data], [stream.requestId, eventName, "7", data]);
}
is((await event("Network.loadingFailed")).errorText, "net::ERR_ABORTED");
is(
  await value(
    `new Promise((done) => { new EventSource("/net/status?n=404").onerror = (e) => done(e.target.readyState); })`,
  ),
  2,
);
is((await event("Network.loadingFailed")).type, "EventSource");

// A beacon
events.length = 0;
is(await value(`navigator.sendBeacon("/net/status?n=200", "beep")`), true);
const beacon = await event("Network.requestWillBeSent");
is([beacon.type, beacon.request.method, beacon.request.postData], ["Ping", "POST", "beep"]);
is((await event("Network.responseReceived")).response.status, 200);
is((await event("Network.loadingFinished")).requestId, beacon.requestId);

// Elements
const story = async (expression, last = "loadingFinished") => {
  events.length = 0;
  await value(expression);
  const sent = await event("Network.requestWillBeSent");
  const end = await event("Network." + last);
  is(end.requestId, sent.requestId);
  return { sent, end, came: events.find((e) => e.method === "Network.responseReceived")?.params };
};
const add = (tag, props) =>
  `document.body.append(Object.assign(document.createElement("${tag}"), ${JSON.stringify(props)})), 0`;
for (const [tag, props, type] of [
  ["img", { src: "/net/status?n=200&type=image/svg%2Bxml&body=<svg/>" }, "Image"],
  ["script", { src: "/net/status?n=200&type=text/javascript&body=1" }, "Script"],
  ["link", { rel: "stylesheet", href: "/net/status?n=200&type=text/css&body=p{}" }, "Stylesheet"],
  ["video", { src: "/net/status?n=200&type=video/mp4&body=1" }, "Media"],
]) {
  const s = await story(add(tag, props));
  is(
    [s.sent.type, s.sent.request.method, s.sent.initiator.type, s.came.response.status, s.came.type],
    [type, "GET", "other", 200, type],
  );
  is(s.came.timestamp >= s.sent.timestamp && s.end.timestamp >= s.came.timestamp, true, "times");
  if (tag === "link")
    is(await cdp("Network.getResponseBody", { requestId: s.sent.requestId }), { body: "p{}", base64Encoded: false });
}
let s = await story(
  `document.fonts.add(new FontFace("x", "url(/net/font.woff2)")), [...document.fonts][0].load().catch(() => 0)`,
);
is([s.sent.type, s.came.response.status], ["Font", 404]);
s = await story(add("img", { src: "/net/status?n=404" }));
is([s.sent.type, s.came.response.status], ["Image", 404]);
const entry = (await event("Log.entryAdded")).entry;
is(entry.text.startsWith("Failed to load resource: the server responded with a status of 404"), true);
s = await story(add("script", { src: "/net/drop" }), "loadingFailed");
is([s.sent.type, s.end.errorText], ["Script", "net::ERR_FAILED"]);
is((await event("Log.entryAdded")).entry.text, "Failed to load resource: net::ERR_FAILED");
const other = APP.replace("127.0.0.1", "localhost");
s = await story(add("script", { src: other + "/net/status?n=200&type=text/javascript&body=1" }));
await fails(
  cdp("Network.getResponseBody", { requestId: s.sent.requestId }),
  "Network.getResponseBody is not possible in an embedded frame: page script reads bodies of its own origin only",
);

// A child frame's requests carry its ids.
events.length = 0;
await cdp("Page.enable");
await value(
  `new Promise((done) => { const f = document.createElement("iframe"); f.src = "/child"; f.onload = done; document.body.append(f); }).then(() => 0)`,
);
const child = (await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame;
events.length = 0;
is(await value(`document.querySelector("iframe").contentWindow.fetch("/data.json").then((r) => r.json())`), {
  answer: 42,
});
let within;
do within = await event("Network.requestWillBeSent");
while (within.type !== "Fetch");
is([within.frameId, within.loaderId, within.documentURL], [child.id, child.loaderId, APP + "/child"]);
for (let came; came?.requestId !== within.requestId; is(came.frameId, child.id))
  came = await event("Network.responseReceived");
// What it leaves unfinished ends with it.
await value(`void document.querySelector("iframe").contentWindow.fetch("/net/slow")`);
let left;
do left = await event("Network.requestWillBeSent");
while (left.type !== "Fetch");
events.length = 0;
await value(`document.querySelector("iframe").remove()`);
const end = await event("Network.loadingFailed");
is([end.requestId, end.errorText, end.canceled], [left.requestId, "net::ERR_ABORTED", true]);

// So does what the document leaves, and the policy is named where it blocks.
await value(`void fetch("/net/slow")`);
state.sessions[0].domains = ["Network"];
const gone = visit("/strict", { html: "<p>", csp: "connect-src 'none'" });
is((await event("Network.loadingFailed")).errorText, "net::ERR_ABORTED");
await gone;
events.length = 0;
is(await value(`fetch("/data.json").catch((e) => e.message)`), "Failed to fetch");
const blocked = await event("Network.loadingFailed");
is([blocked.errorText, blocked.blockedReason], ["net::ERR_BLOCKED_BY_CSP", "csp"]);

// Each condition alone is refused; none is granted, and changes nothing.
const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
is(await cdp("Network.emulateNetworkConditions", conditions), {}, "no conditions");
for (const one of [{ offline: true }, { latency: 1 }, { downloadThroughput: 1 }, { uploadThroughput: 1 }]) {
  await fails(
    cdp("Network.emulateNetworkConditions", { ...conditions, ...one }),
    "Network.emulateNetworkConditions is not possible in an embedded frame: the network belongs to the browser",
  );
}
