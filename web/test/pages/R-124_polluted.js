// A page that bends what its agent is made of harms itself alone: the Host
// page, the other frames and their sessions do not notice.
const script = document.createElement("script");
script.src = APP + "/host.js";
await new Promise((r) => ((script.onload = r), document.head.append(script)));
const asked = [];
const host = new CdpHub.Host({
  agentUrl: APP + "/agent.js",
  createTarget: (p) => {
    asked.push(p.url);
    throw new Error("no room");
  },
});
const heard = [];
addEventListener("message", (e) => heard.push(e.data));
const connected = (id) => host.targets().find((t) => t.targetId === id)?.connected === true;
const show = (id, query) => {
  const iframe = document.createElement("iframe");
  iframe.src = APP + "/p?" + new URLSearchParams(query);
  document.body.append(iframe);
  host.pair(iframe, { targetId: id, origins: [APP] });
  return iframe;
};
// It takes the port as the agent posts to it, and then posts what it likes.
const bent = `<script>
  const post = MessagePort.prototype.postMessage;
  const say = (port, m) => post.call(port, typeof m === "string" ? m : JSON.stringify(m));
  MessagePort.prototype.postMessage = function (...args) { window.port = this; return post.apply(this, args); };
  Object.prototype.sessionId = "B"; Object.prototype.toJSON = () => ({ method: "Forged.event", params: {} });
  Object.prototype.port = Object.prototype.key = Object.prototype.origin = "forged";
  Array.prototype.includes = () => true; Array.prototype.find = () => undefined; Array.prototype.map = () => [];
  Map.prototype.get = () => undefined; JSON.parse = () => ({}); JSON.stringify = () => "{}"; Function.prototype.call = undefined;
  String.prototype.startsWith = () => true; RegExp.prototype.test = () => true; Reflect.apply = () => undefined; Promise.prototype.then = undefined;
  addEventListener("message", (e) => { if (e.data.say) Reflect.apply === undefined || post.apply(window.port, [e.data.say]); });
  onload = () => parent.postMessage("loaded", "*");
<\/script>`;
const good = show("B", { html: "<p>good</p>" });
const bad = show("A", { html: bent });
await until("paired", () => connected("B"));
await until("loaded", () => heard.includes("loaded"));
const b = host.attach("B");
const a = host.attach("A");
a.send("Runtime.enable").catch(() => {});
a.send("Runtime.evaluate", { expression: "1" }).catch(() => {});
const events = [];
for (const m of ["Forged.event", "Runtime.bindingCalled", "Target.attachedToTarget"]) b.on(m, (p) => events.push(p));
await new Promise((r) => setTimeout(r, 500));
const say = (m) => bad.contentWindow.postMessage({ say: typeof m === "string" ? m : JSON.stringify(m) }, "*");
for (const sessionId of ["B", b.sessionId, "local", ""]) {
  say({ method: "Forged.event", params: {}, sessionId });
  for (let id = 0; id < 20; id++) say({ id, result: { result: { type: "string", value: "forged" } }, sessionId });
}
say('{"__proto__":{"polluted":1},"method":"Forged.event","params":{"__proto__":{"polluted":1}}}');
say('{"icdp":"info","title":"x","url":"x","__proto__":{"polluted":1}}');
say('{"icdp":"__proto__"}');
say('{"icdp":"constructor"}');
say('{"id":1,"error":{"__proto__":{"polluted":1}}}');
for (const m of [
  "",
  "null",
  "[]",
  "1",
  '"x"',
  "{",
  '{"method":7}',
  '{"method":"X","params":7}',
  '{"icdp":"nav","loaderId":1,"url":2}',
])
  say(m);
say({ icdp: "open", url: "javascript:top.taken=1", openId: "1.1" });
say({ icdp: "open", url: "data:text/html,x", openId: "1.2" });
say({ icdp: "open", url: "about:srcdoc", openId: "1.3" });
say({ icdp: "popup", openId: "1.1", url: "javascript:top.taken=1" });
say({ icdp: "popup", openId: "B", close: true });
say({ icdp: "open", url: "about:blank", openId: "1.4" });
const evaluate = async (expression) =>
  (await b.send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
is(await evaluate("document.body.textContent"), "good", "the other frame");
await new Promise((r) => setTimeout(r, 300));
is(
  [events, typeof taken, typeof polluted, {}.polluted, asked.filter((u) => u !== "about:blank")],
  [[], "undefined", "undefined", undefined, []],
);
is([connected("B"), good.contentDocument, bad.contentDocument], [true, null, null]);

// It can be left for another page, which is none the worse.
host.unpair("A");
bad.src = APP + "/p?html=after";
host.pair(bad, { targetId: "A2", origins: [APP] });
await until("paired", () => connected("A2"));
is(
  (
    await host
      .attach("A2")
      .send("Runtime.evaluate", { expression: "document.body.textContent + ({}).sessionId", returnByValue: true })
  ).result.value,
  "afterundefined",
);
