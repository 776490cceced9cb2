// An agent answers those of its parents alone that it has listed.
const heard = [];
addEventListener("message", (e) => heard.push(e));
const said = (name) => heard.some((e) => e.data === name || e.data?.icdp === name);
const evaluate = (id) =>
  JSON.stringify({ id, method: "Runtime.evaluate", params: { expression: "window.taken = 1" }, sessionId: "S" });
const session = { sessionId: "S", domains: [], lifecycle: false, scripts: [], bindings: [], fileChooser: false };
const welcome = {
  icdp: "welcome",
  v: 1,
  frameId: "F",
  loaderId: "L",
  navigated: false,
  state: { sessions: [session] },
};

// A page that has listed another origin: it says nothing, and takes nothing.
const echo =
  "<script>onmessage = (e) => parent.postMessage('heard ' + e.data.icdp, '*'); onload = () => parent.postMessage('loaded', '*')<\/script>";
for (const parents of [
  "http://elsewhere.example",
  "null",
  origin + "0",
  origin.replace("http", "https"),
  "http://127.0.0.1",
]) {
  heard.length = 0;
  frame.src = APP + "/unlisted?" + new URLSearchParams({ parents, html: echo });
  await until("loaded", () => said("loaded"));
  const { port1, port2 } = new MessageChannel();
  const answers = [];
  port1.onmessage = (e) => answers.push(e.data);
  frame.contentWindow.postMessage({ icdp: "probe", v: 1 }, "*");
  frame.contentWindow.postMessage({ icdp: "rebase", v: 1 }, "*");
  frame.contentWindow.postMessage(welcome, "*", [port2]);
  await until("heard", () => said("heard welcome"));
  port1.postMessage(evaluate(1));
  await new Promise((r) => setTimeout(r, 700)); // two hellos' time
  is([said("hello"), answers], [false, []], "a page that lists " + parents);
}

// A listed origin that is not above: a child frame, and a window beside.
heard.length = 0;
const attack = (target) => `<script>
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => top.postMessage("taken", "*");
  ${target}.postMessage({ icdp: "probe", v: 1 }, "*");
  ${target}.postMessage(${JSON.stringify(welcome)}, "*", [port2]);
  port1.postMessage(${JSON.stringify(evaluate(1))});
  onmessage = (e) => e.data.icdp === "probe" || top.postMessage("answered", "*");
  setTimeout(() => top.postMessage("attacked", "*"), 500);
<\/script>`;
const bare = (html) => OTHER + "/child?" + new URLSearchParams({ bare: 1, html });
await visit("/main", { html: `<iframe src="${bare(attack("parent")).replaceAll("&", "&amp;")}"></iframe>` });
await until("attacked", () => said("attacked"));
is(
  [said("taken"), said("answered"), await value("typeof taken"), known !== ""],
  [false, false, "undefined", true],
  "a child frame of a listed origin",
);
heard.length = 0;
const beside = document.createElement("iframe");
beside.src = bare(attack("parent.frames[0]"));
document.body.append(beside);
await until("attacked", () => said("attacked"));
is(
  [said("taken"), said("answered"), await value("typeof taken")],
  [false, false, "undefined"],
  "a window beside, of a listed origin",
);
is(await value("1 + 1"), 2, "the channel that it has is still the Host's");
