// A blank page of the Host's is of an opaque origin, which a document below it cannot have listed. That
// document pairs with it by a secret of the Host page's, which goes to nobody else.
const script = document.createElement("script");
script.src = APP + "/host.js";
await new Promise((r) => ((script.onload = r), document.head.append(script)));
const host = new CdpHub.Host({ agentUrl: APP + "/agent.js" });
const heard = [];
addEventListener("message", (e) => heard.push(e.data));
const settled = () => new Promise((r) => setTimeout(r, 700)); // two hellos' time
const blank = document.createElement("iframe");
document.body.append(blank);
host.pair(blank, { targetId: "blank", origins: [APP] });
await until("paired", () => host.targets()[0]?.connected);
const client = host.attach("blank");
const contexts = [];
client.on("Runtime.executionContextCreated", ({ context }) => contexts.push(context));
await client.send("Page.enable");
await client.send("Runtime.enable");
const evaluate = async (expression, contextId) =>
  (await client.send("Runtime.evaluate", { expression, contextId, returnByValue: true, awaitPromise: true })).result
    .value;
const embed = (src, more = "") =>
  evaluate(
    `{ const f = document.createElement("iframe"); ${more}; f.src = ${JSON.stringify(src)}; document.body.replaceChildren(f) }`,
  );
const page = (from, html, bare) => from + "/p?" + new URLSearchParams({ html, ...(bare && { bare: 1 }) });
const spy = `addEventListener("message", (e) => e.data?.icdp && top.postMessage({ spied: e.data, ports: e.ports.length }, "*"), true);`;
const spied = () => heard.filter((m) => m?.spied && m.spied.icdp !== "probe").map((m) => m.spied.icdp);

// It asks for nothing, as far as clients are told: its script is the Host's.
const asked = [];
client.on("Network.requestWillBeSent", ({ request }) => asked.push(request.url));
await client.send("Network.enable");
await client.send("Page.navigate", { url: "about:blank" });
await evaluate("new Promise((r) => setTimeout(r, 300))");
is(asked, [], "requests of a blank page");
contexts.length = 0;

// One of the app, with a child of its own.
await embed(page(APP, "<p>inside</p><iframe src='/deep'></iframe>"));
const inside = await until("a context", () => contexts.find((c) => c.origin === APP));
is(await evaluate("document.body.innerText.trim()", inside.id), "inside");
const { frameTree } = await client.send("Page.getFrameTree");
is(
  frameTree.childFrames.map((c) => [c.frame.parentId, c.childFrames?.length]),
  [["blank", 1]],
);
is(
  await until("a script below", () =>
    contexts.find((c) => c.origin === APP && c.auxData.frameId === frameTree.childFrames[0].childFrames[0].frame.id),
  ).then((c) => evaluate("location.pathname", c.id)),
  "/deep",
);

// The page that client fills hears nothing of it.
await evaluate(`window.all = []; addEventListener("message", (e) => all.push(e.data)); 1`);
await embed(page(APP, "<p>again</p>"));
await until("again", () => contexts.filter((c) => c.origin === APP && c.auxData.isDefault).length > 2);
is(await evaluate("JSON.stringify(all)"), "[]", "what scripts of the blank page hear");

// One of another origin asks, and knocks.
const ask = `${spy} for (const icdp of ["ask", "knock"]) { parent.postMessage({ icdp, v: 1 }, "*"); top.postMessage({ icdp, v: 1 }, "*"); } top.postMessage("asked", "*");`;
await embed(page(OTHER, `<script>${ask}<\/script>`, true));
await until("asked", () => heard.includes("asked"));
await settled();
is(spied(), [], "another origin");
// So does one of no origin.
heard.length = 0;
await embed("data:text/html," + encodeURIComponent(`<script>${ask}<\/script>`));
await until("asked", () => heard.includes("asked"));
await settled();
is(spied(), [], "an opaque origin");

// One between the blank page and the app, of no origin: it guesses, and passes on what it hears.
heard.length = 0;
const between = `<script>
  addEventListener("message", (e) => {
    if (e.data?.icdp !== "knock") return;
    top.postMessage("knocked", "*");
    parent.postMessage(e.data, "*");
    for (const key of [undefined, null, "", "0".repeat(32), {}, ["x"]]) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (m) => top.postMessage({ spied: m.data }, "*");
      e.source.postMessage({ icdp: "admit", v: 1, key }, "*", [port2]);
    }
  });
  ${spy.replace("e.data?.icdp", 'e.data?.icdp && e.data.icdp !== "knock"')}
<\/script><iframe src="${page(APP, "").replaceAll("&", "&amp;")}"></iframe>`;
await embed("data:text/html," + encodeURIComponent(between));
await until("knocked", () => heard.includes("knocked"));
await settled();
is(spied(), [], "a page of no origin around the app");

// A script of a page of the Host's making that has found its key.
heard.length = 0;
await client.send("Page.navigate", { url: "data:text/html,<p>x" });
await until("paired", () => host.targets()[0].url.startsWith("data:"));
await evaluate(`{
  const [, key] = /data-key%3D%22(\\w+)/.exec(location.href);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (e) => top.postMessage({ spied: { ...e.data, proof: e.data.proof ?? "none" } }, "*");
  parent.postMessage({ icdp: "hello", v: 1, title: "", url: "data:text/html,<p>x", docId: "forged", base: 5, features: ["sessions"], key }, "*", [port2]);
}`);
is(
  (await until("a welcome", () => heard.find((m) => m?.spied))).spied.proof,
  "none",
  "a script that has found the key",
);
