// Requests that no event announces: Clients intercept them all the same.
hub.proxy = HUB;
state.sessions[0].domains = ["Network", "Page"];

let noCache = false;
const say = async (list) => {
  await proxySays(list);
  await cdp("Network.setCacheDisabled", { cacheDisabled: (noCache = !noCache) });
};

// A child frame that is blank has no navigate events: its request alone tells that it navigates, by whichever way.
await visit("/app", { html: "<iframe></iframe><iframe name=second></iframe>" });
await cdp("Page.enable");
await cdp("Fetch.enable");
const { frameTree } = await cdp("Page.getFrameTree");
const ids = frameTree.childFrames.map((f) => f.frame.id);
const asks = (path) =>
  message(path, (e) => e.method === "Network.requestWillBeSent" && e.params.request.url === APP + path);
for (const [i, way] of [
  [0, "document.querySelector('iframe').src = '/net/slow?0'"],
  [1, "frames.second.location = '/net/slow?1'"],
]) {
  await cdp("Runtime.evaluate", { expression: `void (${way})` });
  await say([proxyRequest("/net/slow?" + i, { dest: "iframe", mode: "navigate", held: true })]);
  const { params: asked } = await asks("/net/slow?" + i);
  is([asked.frameId, asked.type], [ids[i], "Document"], way);
  const held = ({ params }) => params?.networkId === asked.requestId;
  const { params: paused } = await message("the pause of " + way, held);
  is([paused.frameId, paused.resourceType], [ids[i], "Document"], way);
}
// The browser asks by itself whether script may send a request (CORS preflight).
await say([proxyRequest("/asked", { method: "OPTIONS", dest: "empty", mode: "cors", held: true })]);
const { params: preflight } = await asks("/asked");
is([preflight.type, preflight.initiator.type, preflight.frameId], ["Preflight", "preflight", "MAIN"]);
const ofPreflight = ({ method, params }) =>
  method === "Fetch.requestPaused" && params.networkId === preflight.requestId;
const { params: askedFor } = await message("the pause of a preflight", ofPreflight);
is([askedFor.resourceType, askedFor.request.method], ["Preflight", "OPTIONS"]);
await cdp("Fetch.disable");

// What keeps the document does not end a navigation that is under way.
for (const within of [
  "history.pushState(1, '', '/pushed')",
  "history.replaceState(1, '', '/put')",
  "location.hash = 'h'",
]) {
  events.length = 0;
  await cdp("Runtime.evaluate", { expression: `location.href = "/net/slow?" + Math.random(); ${within}` });
  const { requestId } = await event("Network.requestWillBeSent");
  await value("new Promise((r) => setTimeout(r, 50))");
  const ended = events.filter((e) => e.method === "Network.loadingFailed" || e.icdp === "navabort");
  is(ended, [], within);
  await cdp("Page.stopLoading");
  is((await event("Network.loadingFailed")).requestId, requestId);
}
