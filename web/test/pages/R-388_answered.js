// The body of what a Client has answered is what the Client has given: the app is not asked for another one.
hub.proxy = HUB;
state.sessions[0].domains = ["Network", "Page"];
await visit("/app");
await cdp("Fetch.enable");
await proxySays([proxyRequest("/net/style.css", { dest: "style", held: true })]);
await cdp("Network.setCacheDisabled", { cacheDisabled: true });
const { params: paused } = await message(
  "the pause",
  (e) => e.method === "Fetch.requestPaused" && /style/.test(e.params.request.url),
);
await cdp("Fetch.fulfillRequest", { requestId: paused.requestId, responseCode: 404, body: btoa("made up") });
await proxySays([
  { what: "response", id: "1", status: 404, statusText: "Not Found", headers: { "content-type": "text/plain" } },
  { what: "end", id: "1", length: 7 },
]);
await cdp("Network.setCacheDisabled", { cacheDisabled: false });
await message("the end", (e) => e.method === "Network.loadingFinished" && e.params.requestId === paused.networkId);
const { body, base64Encoded } = await cdp("Network.getResponseBody", { requestId: paused.networkId });
is(base64Encoded ? atob(body) : body, "made up");
