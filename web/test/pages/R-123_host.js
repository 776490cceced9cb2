// A Host answers those of its frames alone that it has listed, and believes of
// each only what its origin says.
const script = document.createElement("script");
script.src = APP + "/host.js";
await new Promise((r) => ((script.onload = r), document.head.append(script)));
const host = new CdpHub.Host({ agentUrl: APP + "/agent.js" });
const heard = [];
addEventListener("message", (e) => heard.push(e.data));
const target = (id) => host.targets().find((t) => t.targetId === id);
const connected = (id) => target(id)?.connected === true;
const show = (id, src, origins) => {
  const iframe = document.createElement("iframe");
  iframe.src = src;
  document.body.append(iframe);
  host.pair(iframe, { targetId: id, origins });
  return iframe;
};
const settled = () => new Promise((r) => setTimeout(r, 500));
const page = (html, bare = "1") => APP + "/p?" + new URLSearchParams({ html, ...(bare && { bare }) });
const hello = (more) =>
  `({ icdp: "hello", v: 1, title: "Forged", url: location.href, docId: "forged", base: 5, features: ["sessions", "state"], ...${JSON.stringify(more)} })`;
const forged = (more, to = "parent", transfer = "") => `<script>
  onmessage = (e) => { if (e.ports.length) { window.port = e.ports[0]; top.postMessage({ stolen: e.data.icdp }, "*"); } };
  ${to}.postMessage(${hello(more)}, "*"${transfer});
  top.postMessage("said", "*");
<\/script>`;
const said = () => until("said", () => heard.includes("said"));
const none = async (id, what) => {
  await said();
  await settled();
  is([connected(id), target(id).title, heard.filter((m) => m?.stolen)], [false, "", []], what);
  host.unpair(id);
  heard.length = 0;
};

// An origin that is not listed; the Host's own counts as any other.
for (const [i, origins] of [["http://elsewhere.example"], [], [origin], [APP + "0"], ["null"], ["*"]].entries()) {
  show("unlisted" + i, page(forged({})), origins);
  await none("unlisted" + i, "an unlisted origin: " + origins);
}
// A child frame of the listed origin, in the name of the document around it.
show("child", page(`<iframe src="${page(forged({}, "top")).replaceAll("&", "&amp;")}"></iframe>`), [APP]);
await none("child", "a child frame");
// Documents of an opaque origin that the Host has not made.
const opaque = [
  forged({}),
  forged({ key: "0".repeat(32) }),
  forged({ key: "" }),
  forged({ key: "__proto__", url: "about:blank" }),
];
for (const [i, html] of opaque.entries()) {
  show("opaque" + i, "data:text/html," + encodeURIComponent(html), [APP]);
  await none("opaque" + i, "an opaque document");
}

// What it says of itself must be of its origin.
for (const url of ["https://bank.example/", "http://127.0.0.1/", OTHER + "/", "", "no address"]) {
  show("liar", page(forged({ url })), [APP]);
  await none("liar", "a listed origin that says it is " + url);
}
const honest = show("honest", page(forged({})), [APP]);
await until("paired", () => connected("honest"));
const tell = `<script>addEventListener("message", (e) => port.postMessage(e.data))<\/script>`;
host.unpair("honest");
honest.remove();
const teller = show("teller", page(tell + forged({})), [APP]);
await until("paired", () => connected("teller"));
const session = host.attach("teller");
const events = [];
for (const m of ["Page.frameNavigated", "Page.navigatedWithinDocument", "Target.attachedToTarget", "Fine.event"])
  session.on(m, (p) => events.push([m, p]));
const say = (m) => teller.contentWindow.postMessage(typeof m === "string" ? m : JSON.stringify(m), "*");
say({ icdp: "info", title: "Bank", url: "https://bank.example/" });
say({ method: "Page.frameNavigated", params: { frame: { id: "teller", url: "https://bank.example/" } } });
say({ method: "Page.navigatedWithinDocument", params: { frameId: "teller", url: "https://bank.example/x" } });
say({ method: "Target.attachedToTarget", params: { sessionId: "S", targetInfo: {} } });
say({ method: "Fine.event", params: { n: 1 } });
await until("an event", () => events.length > 0);
await until("a title", () => target("teller").title === "Bank");
is([target("teller").url.startsWith(APP), events], [true, [["Fine.event", { n: 1 }]]], "addresses of another origin");

// Without an agent a reload goes by that address.
for (const url of ["about:srcdoc", "javascript:top.taken=1"]) say({ icdp: "info", title: "Bank", url });
say({ icdp: "bye" });
await until("gone", () => !connected("teller"));
const refused = await session.send("Page.reload").then(
  () => "",
  (e) => e.message,
);
await settled();
is(
  [refused, typeof taken, teller.contentDocument],
  [
    `Navigation to about:srcdoc is not allowed for this Target: it may show ${APP}; for more, start cdphub with --also-proxy ORIGIN, or add the origin to those of pair()`,
    "undefined",
    null,
  ],
  "a reload",
);
host.unpair("teller");

// A blank document, and what takes its place.
const blank = document.createElement("iframe");
document.body.append(blank);
host.pair(blank, { targetId: "blank", origins: [APP] });
await until("paired", () => connected("blank"));
is([blank.contentDocument, target("blank").url], [null, "about:blank"]);
const client = host.attach("blank");
const evaluate = async (expression) =>
  (await client.send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
is(
  await evaluate(
    "[origin, location.href, document.URL, document.compatMode, document.documentElement.outerHTML].join()",
  ),
  "null,about:blank,about:blank,BackCompat,<html><head></head><body></body></html>",
);
is(await evaluate("try { parent.document } catch (e) { e.name }"), "SecurityError");
for (const key of [{}, { key: "0".repeat(32) }, { key: "toString" }]) {
  heard.length = 0;
  const next = "data:text/html," + encodeURIComponent(forged({ url: "about:blank", ...key }));
  await evaluate(`setTimeout(() => { location = ${JSON.stringify(next)} }), 1`);
  await said();
  await settled();
  is([connected("blank"), heard.filter((m) => m?.stolen)], [false, []], "a document after the blank one");
  await client.send("Page.navigate", { url: "about:blank" });
  is(await evaluate("origin + location.href"), "nullabout:blank", "which is blank again");
}
