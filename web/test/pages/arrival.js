// How a document came, as a proxy before the app tells of it.
const hop = (path, status, headers) => ({
  url: APP + path,
  method: "GET",
  sent: { accept: "*/*" },
  status,
  statusText: "S" + status,
  headers,
});
const response = JSON.stringify({
  ...hop("/end", 404, { "content-type": "text/html; charset=utf-8", "x-a": "1" }),
  redirects: [hop("/start", 302, { location: "/mid" }), hop("/mid", 301, { location: "/end" })],
});
await visit("/first");
for (const domain of ["Page", "Network"]) await cdp(`${domain}.enable`);
state.sessions[0].domains = ["Page", "Network"];
events.length = 0;
await visit("/end", { response });
await event("Network.loadingFinished");
const told = events
  .filter((e) => e.method?.startsWith("Network.") && e.params.requestId === "LOADER2")
  .map(({ method, params: p }) =>
    [
      method.slice(8),
      p.requestId,
      p.request?.url ?? p.response?.url ?? p.statusCode ?? "",
      p.redirectResponse?.status ?? p.response?.status ?? 0,
    ]
      .join(" ")
      .replaceAll(APP, ""),
  );
is(
  told.slice(-9),
  [
    "requestWillBeSentExtraInfo LOADER2  0",
    "responseReceivedExtraInfo LOADER2 302 0",
    "requestWillBeSent LOADER2 /mid 302",
    "requestWillBeSentExtraInfo LOADER2  0",
    "responseReceivedExtraInfo LOADER2 301 0",
    "requestWillBeSent LOADER2 /end 301",
    "requestWillBeSentExtraInfo LOADER2  0",
    "responseReceivedExtraInfo LOADER2 404 0",
    "responseReceived LOADER2 /end 404",
  ],
  "the story",
);
const { response: r } = await event("Network.responseReceived");
is([r.statusText, r.headers["x-a"], r.mimeType, r.charset], ["S404", "1", "text/html", "utf-8"], "response");

// A child frame's, which the agent around it tells of.
await visit("/around", { response });
events.length = 0;
await value(
  `document.body.append(Object.assign(document.createElement("iframe"), { src: ${JSON.stringify("/child?" + new URLSearchParams({ response }))} }))`,
);
for (;;) {
  const { type, response: c } = await event("Network.responseReceived");
  if (type !== "Document") continue;
  is([c.status, c.headers["x-a"]], [404, "1"], "child");
  break;
}
