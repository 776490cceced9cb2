// A document of a data: address is of the Host's making. Its address has the agent, and nothing that Clients have set;
// their scripts run before its own all the same, also when a Client reloads it.
const script = document.createElement("script");
script.src = APP + "/host.js";
await new Promise((r) => ((script.onload = r), document.head.append(script)));
const host = new CdpHub.Host({ agentUrl: APP + "/agent.js" });
const blank = document.createElement("iframe");
document.body.append(blank);
host.pair(blank, { targetId: "blank", origins: [APP] });
await until("paired", () => host.targets()[0]?.connected);
const client = host.attach("blank");
await client.send("Page.enable");
await client.send("Runtime.enable");
await client.send("Network.enable");
const evaluate = async (expression) =>
  (await client.send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
await client.send("Page.addScriptToEvaluateOnNewDocument", { source: "window.early = 'private'" });
await client.send("Runtime.addBinding", { name: "tell" });

const seen = "[typeof seen === 'undefined' ? null : seen, /private|bindings/.test(unescape(location.href))]";
const body = "<script>var seen = [typeof early, typeof tell]<\/script><p>x";
const loaded = async (what, go) => {
  const load = new Promise((r) => client.on("Page.loadEventFired", r));
  await go();
  await load;
  is(await evaluate(seen), [["string", "function"], false], what);
};
for (const from of ["about:blank", "data:text/html,<p>y", APP + "/p"]) {
  if (from !== "about:blank") await client.send("Page.navigate", { url: from });
  await loaded("after " + from, () => client.send("Page.navigate", { url: "data:text/html," + body }));
}
await loaded("reloaded", () => client.send("Page.reload"));
is(host.targets()[0].url, "data:text/html," + body);
