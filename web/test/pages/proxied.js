// What a proxy says of requests later than the page learns of them.
hub.proxy = HUB;
state.sessions[0].domains = ["Network", "Page"];

// An element has failed long before the proxy tells of its request.
await proxySays(
  [proxyRequest("/net/drop", { dest: "style" }), { what: "failed", id: "1", error: "net::ERR_EMPTY_RESPONSE" }],
  800,
);
await visit("/app", { html: "<link rel=stylesheet href=/net/drop>" });
const ofDrop = ({ method, params }) => method === "Network.requestWillBeSent" && params.request.url.endsWith("/drop");
is((await event("Network.loadingFailed")).errorText, "net::ERR_EMPTY_RESPONSE");
await cdp("Runtime.evaluate", { expression: "new Promise((r) => setTimeout(r, 600))", awaitPromise: true });
is(events.filter(ofDrop).length, 1, "reports of one request");

// The proxy does not know that a request is for the document of the main frame.
let noCache = false;
const say = async (list) => {
  await proxySays(list);
  await cdp("Network.setCacheDisabled", { cacheDisabled: (noCache = !noCache) });
};
for (const held of [true, false]) {
  events.length = 0;
  await cdp(held ? "Fetch.enable" : "Fetch.disable");
  await cdp("Runtime.evaluate", { expression: "void (location.href = '/held.js')" });
  const { requestId } = await event("Network.requestWillBeSent");
  await say([proxyRequest("/held.js", { dest: "iframe", mode: "navigate", held })]);
  if (held) {
    const paused = await event("Fetch.requestPaused");
    is([paused.networkId, paused.frameId, paused.resourceType], [requestId, "MAIN", "Document"]);
  }
  await say([{ what: "failed", id: "1", error: "net::ERR_ABORTED", url: APP + "/held.js", download: "a.txt" }]);
  is((await event("Network.loadingFailed")).requestId, requestId, "the download ends the navigation");
  await event("Page.frameStoppedLoading");
  await cdp("Page.stopLoading");
}
