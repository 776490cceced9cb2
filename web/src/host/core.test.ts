/// <reference types="node" />
// Targets, sessions, documents and the queue, without a browser.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { World, settle, freshClock, tick } from "./fakes";

const GONE = "Cannot find context with specified id";

beforeEach(freshClock);

test("an extended agent is welcomed with ids and state, and answers by session", () => {
  const w = World.paired("A", "B");
  w.send("A", 1, "Page.enable");
  const agent = w.hello("doc1")!;
  const welcome = w.welcomes()[0].welcome;
  assert.equal(welcome.frameId, "T");
  assert.match(welcome.loaderId!, /^[0-9A-F]{32}$/);
  assert.equal(welcome.navigated, false);
  assert.deepEqual(
    welcome.state!.sessions.map((s) => s.sessionId),
    ["A", "B"],
  );

  assert.deepEqual(agent.got, [{ id: 1, method: "Page.enable", params: {}, sessionId: "A" }]);
  agent.answer("Page.enable");
  agent.say({ method: "Page.loadEventFired", params: {}, sessionId: "B" });
  agent.say({ method: "Page.frameNavigated", params: {} });
  assert.deepEqual(w.told("A"), ["1:{}", "Page.frameNavigated"]);
  assert.deepEqual(w.told("B"), ["Page.loadEventFired", "Page.frameNavigated"]);
});

test("a repeated hello with the same docId changes nothing", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  assert.equal(w.hello("doc1"), undefined);
  assert.equal(agent.closed, false);
});

test("each new document gets a new loader and the recorded state", () => {
  const w = World.paired("A");
  const first = w.hello("doc1")!;
  const script = { source: "1", worldName: "util" };
  for (const [method, params] of [
    ["Page.enable", {}],
    ["Runtime.enable", {}],
    ["Log.enable", {}],
    ["Log.disable", {}],
    ["Page.setLifecycleEventsEnabled", { enabled: true }],
    ["Page.addScriptToEvaluateOnNewDocument", script],
    ["Page.addScriptToEvaluateOnNewDocument", { source: "2" }],
    ["Runtime.addBinding", { name: "b", executionContextName: "util" }],
    ["Page.setInterceptFileChooserDialog", { enabled: true }],
    ["Emulation.setFocusEmulationEnabled", { enabled: true }],
    ["Fetch.enable", { patterns: [] }],
  ] as const)
    w.send("A", 1, method, params);
  const ids = first.got.filter((m) => m.params.source).map((m) => m.params.identifier);
  assert.match(ids[0], /^[0-9A-F]{16}$/);
  assert.notEqual(ids[0], ids[1]);
  w.send("A", 2, "Page.removeScriptToEvaluateOnNewDocument", { identifier: ids[1] });

  first.say({ icdp: "bye" });
  w.hello("doc2");
  const [one, two] = w.welcomes().map((m) => m.welcome);
  assert.equal(two.navigated, true);
  assert.notEqual(one.loaderId, two.loaderId);
  assert.deepEqual(JSON.parse(JSON.stringify(two.state!.sessions)), [
    {
      sessionId: "A",
      domains: ["Page", "Runtime"],
      lifecycle: true,
      scripts: [{ identifier: ids[0], ...script }],
      bindings: [{ name: "b", worldName: "util" }],
      fileChooser: true,
      focus: true,
      fetch: { patterns: [] },
    },
  ]);
});

test("when a document goes, commands fail, what the state carries over succeeds", () => {
  const w = World.paired("A");
  const agent = w.hello("doc1")!;
  w.send("A", 1, "Runtime.enable");
  agent.answer("Runtime.enable");
  w.send("A", 2, "Runtime.evaluate", { expression: "1" });
  w.send("A", 3, "Network.enable");
  w.send("A", 4, "Page.reload");
  agent.say({ icdp: "bye" });
  assert.deepEqual(w.told("A"), ["1:{}", "Runtime.executionContextsCleared", `2:${GONE}`, "3:{}", "4:{}"]);
  agent.say({ id: 2, result: { late: true } });
  assert.equal(w.told("A").length, 5, "an answer of the old document is dropped");
});

test("input that a document goes for has success", () => {
  const w = World.paired("A");
  const agent = w.hello("doc1")!;
  w.send("A", 1, "Input.dispatchMouseEvent", { type: "mouseReleased", x: 1, y: 1 });
  w.send("A", 2, "Input.dispatchKeyEvent", { type: "keyDown", key: "Enter" });
  w.send("A", 3, "Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  w.send("A", 4, "Input.insertText", { text: "x" });
  agent.say({ icdp: "bye" });
  assert.deepEqual(w.told("A"), ["1:{}", "2:{}", "3:{}", `4:${GONE}`]);
});

test("commands wait in order while a document changes, for 9 s at most", () => {
  const w = World.paired("A");
  const agent = w.hello("doc1")!;
  agent.say({ icdp: "bye" });
  w.send("A", 1, "DOM.getDocument");
  tick(8_999);
  w.send("A", 2, "DOM.enable");
  assert.deepEqual(w.told("A"), []);
  tick(1);
  const absent =
    "Target is not connected: no Frame Agent in the current document. Page.navigate to http://app/ leads back.";
  assert.deepEqual(w.told("A"), [`1:${absent}`]);
  w.send("A", 3, "Runtime.getIsolateId");
  assert.deepEqual(w.told("A"), [`1:${absent}`, `3:${absent}`], "no document is there to be silent");
  const next = w.hello("doc2")!;
  assert.deepEqual(next.methods(), ["DOM.enable"]);
});

test("with no document under way commands fail at once", () => {
  const w = World.paired("A");
  w.load();
  w.send("A", 1, "DOM.getDocument");
  tick(1_500);
  w.send("A", 2, "DOM.getDocument");
  const text = "Target is not connected: the Frame Agent has not paired yet. No Frame Agent has answered in the frame";
  assert.deepEqual(
    w.told("A").map((answer) => answer.slice(0, text.length + 2)),
    [`1:${text}`, `2:${text}`],
  );
  assert.deepEqual(w.hello("late")!.methods(), [], "the Target is usable all the same");
  w.send("A", 3, "DOM.enable");
  assert.equal(w.told("A").length, 2);
});

test("a document that the Host makes may take longer: its first load is before its agent", () => {
  const w = World.paired("A");
  w.load(true);
  w.send("A", 1, "DOM.enable");
  tick(8_000);
  assert.deepEqual(w.told("A"), []);
  assert.deepEqual(w.hello("doc1")!.methods(), ["DOM.enable"]);
});

test("a load event of a document that is still there means nothing", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  w.load();
  tick(60_000);
  assert.equal(agent.closed, false);
});

test("the agent gets the end of a session, which then gets nothing more", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  w.attach("A");
  w.send("A", 1, "Runtime.evaluate");
  w.core.receive({ do: "detach", sessionId: "A" });
  assert.deepEqual(agent.methods(), ["attached", "Runtime.evaluate", "detached"]);
  agent.answer("Runtime.evaluate");
  assert.deepEqual(w.told("A"), []);
});

test("a version 1 agent: plain welcome, fan-out, enables counted", () => {
  const w = World.paired("A", "B");
  const agent = w.hello()!;
  assert.deepEqual(w.welcomes()[0].welcome, { icdp: "welcome", v: 1 });
  assert.deepEqual(agent.got, [], "it gets no control messages");
  w.send("A", 1, "Network.enable");
  w.send("B", 1, "Network.enable");
  w.send("A", 2, "Network.disable");
  assert.deepEqual(agent.methods(), ["Network.enable", "Network.enable"]);
  assert.deepEqual(w.told("A"), ["2:{}"], "the Host answers while B holds the domain");
  agent.say({ method: "Network.dataReceived", params: { n: 1 } });
  assert.deepEqual(w.told("B"), ["Network.dataReceived"]);
  w.core.receive({ do: "detach", sessionId: "B" });
  assert.deepEqual(agent.methods(), ["Network.enable", "Network.enable", "Network.disable"]);
});

test("a version 1 hello over an open channel is a new document", () => {
  const w = World.paired("A");
  const first = w.hello()!;
  w.send("A", 1, "Page.enable");
  const second = w.hello()!;
  assert.equal(first.closed, true);
  assert.deepEqual(w.told("A"), [`1:${GONE}`], "its state cannot be carried over");
  w.send("A", 2, "Page.enable");
  second.answer("Page.enable");
  assert.deepEqual(w.told("A")[1], "2:{}");
});

test("unpairing answers everything and ends the sessions", () => {
  const w = World.paired("A");
  w.hello("doc1");
  w.send("A", 1, "Runtime.evaluate");
  w.core.receive({ do: "unpair", targetId: "T" });
  assert.deepEqual(w.told("A"), ["1:Target destroyed: the page has been closed; attach to another target"]);
  assert.ok(w.posted.some((m) => m.do === "ended" && m.sessionId === "A"));
});

test("pairing the same targetId again is a remount: sessions stay", () => {
  const w = World.paired("A");
  const first = w.hello("doc1")!;
  w.pair();
  assert.equal(first.closed, true);
  w.send("A", 1, "DOM.enable");
  assert.deepEqual(w.hello("doc2")!.methods(), ["DOM.enable"]);
});

test("viewport and colour scheme are put back when the last holder ends", async () => {
  const w = World.paired();
  const asks: string[] = [];
  w.carryOut = (a) => {
    asks.push("width" in a ? `${a.what} ${a.width}x${a.height}` : "scheme" in a ? `${a.what} ${a.scheme}` : a.what);
    return {};
  };
  w.attach("A");
  w.attach("B");
  w.send("A", 1, "Emulation.setDeviceMetricsOverride", { width: 800, height: 600 });
  w.send("B", 1, "Emulation.setDeviceMetricsOverride", { width: 400, height: 300 });
  const features = [
    { name: "prefers-color-scheme", value: "dark" },
    { name: "forced-colors", value: "none" },
  ];
  w.send("A", 2, "Emulation.setEmulatedMedia", { media: "", features });
  w.send("A", 3, "Emulation.setEmulatedMedia", { media: "print" });
  w.send("A", 4, "Emulation.setDeviceMetricsOverride", { width: 500, height: 400 });
  await settle();
  w.core.receive({ do: "detach", sessionId: "B" });
  w.core.receive({ do: "detach", sessionId: "A" });
  await settle();
  assert.deepEqual(asks, [
    "resize 800x600",
    "resize 400x300",
    "scheme dark",
    "resize 500x400",
    "resize 500x400",
    "unsize",
    "scheme ",
  ]);
  assert.deepEqual(w.told("A").sort(), [
    "1:{}",
    "2:{}",
    "3:Emulation.setEmulatedMedia is not possible in an embedded frame: print media needs the browser process",
    "4:{}",
  ]);
});

test("a size ends, and a target is brought to the front, by command", async () => {
  const w = World.paired();
  const asks: string[] = [];
  w.carryOut = (a) => {
    asks.push(a.what);
    return {};
  };
  w.attach("A");
  w.send("A", 1, "Emulation.setDeviceMetricsOverride", { width: 800, height: 600 });
  w.send("A", 2, "Emulation.clearDeviceMetricsOverride", {});
  w.send("A", 3, "Page.bringToFront", {});
  await settle();
  assert.deepEqual(asks, ["resize", "unsize", "reveal"]);
});

test("title and URL follow the document", async () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  agent.say({ icdp: "info", title: "Later", url: "http://app/#x" });
  await settle();
  const last = w.posted.filter((m) => m.do === "targets").pop();
  assert.deepEqual(last, {
    do: "targets",
    targets: [{ targetId: "T", title: "Later", url: "http://app/#x", connected: true, reason: "", left: "" }],
  });
});

test("a hostile agent's messages are dropped", () => {
  const w = World.paired("A");
  const agent = w.hello("doc1")!;
  for (const m of [
    "",
    "null",
    "[]",
    "5",
    "{",
    '{"id":1}',
    '{"method":5}',
    '{"id":"x","result":{}}',
    '{"icdp":"nonsense"}',
    '{"icdp":"info","title":5,"url":null}',
    '{"icdp":"nav","loaderId":{},"url":"http://app/"}',
    '{"method":"X.y","params":{},"sessionId":"B"}',
  ])
    agent.postMessage(m);
  agent.say({ method: "X.y", params: "text" });
  assert.deepEqual(w.messages("A"), [{ method: "X.y", params: {} }]);
  agent.say({ icdp: "bye" });
  w.hello("doc2");
  assert.match(w.welcomes().pop()!.welcome.loaderId!, /^[0-9A-F]{32}$/);
});

test("Page.close is answered before the Target goes, or refused without a hook", async () => {
  const w = new World(["Target.closeTarget"]);
  w.pair();
  w.attach("A");
  w.carryOut = (ask) => {
    assert.deepEqual(ask, { what: "close", targetId: "T" });
    w.core.receive({ do: "unpair", targetId: "T" });
    return {};
  };
  w.send("A", 1, "Page.close");
  await settle();
  assert.deepEqual(w.told("A"), ["1:{}"]);
  const plain = World.paired("A");
  plain.send("A", 1, "Page.close");
  assert.deepEqual(plain.told("A"), [
    "1:Page.close is not possible in an embedded frame: this Host page closes no Targets",
  ]);
});

test("Page.close of a document with an agent: the agent says when", async () => {
  const w = new World(["Target.closeTarget"]);
  w.pair();
  w.attach("A");
  const agent = w.hello("doc1")!;
  const asks: unknown[] = [];
  w.carryOut = (ask) => (asks.push(ask), {});
  agent.say({ icdp: "close" });
  await settle();
  assert.deepEqual(asks, [], "the page was not opened by script, and no Client closes it");
  w.send("A", 1, "Page.close");
  assert.deepEqual(w.told("A"), ["1:{}"]);
  agent.answer("Page.close");
  tick(10_000);
  await settle();
  assert.deepEqual(asks, [], "the page asks first");
  agent.say({ icdp: "close" });
  await settle();
  assert.deepEqual(asks, [{ what: "close", targetId: "T" }]);
  w.send("A", 2, "Page.close");
  tick(2_000);
  await settle();
  assert.equal(asks.length, 2, "a stuck document is closed all the same");
});

test("a document that stands for a lost one: contexts, the way back, and errors with advice", async () => {
  const w = World.paired("A");
  const agent = w.hello("doc1")!;
  for (const [i, method] of ["Page.enable", "Runtime.enable", "Log.enable"].entries()) {
    w.send("A", i + 1, method);
    agent.answer(method);
  }
  w.send("A", 4, "Page.addScriptToEvaluateOnNewDocument", { source: "", worldName: "util" });
  const told = w.told("A").length;
  w.core.receive({ do: "left", origin: "https://login.example" });
  w.load(); // which may come before the end of the document
  agent.say({ icdp: "bye" });
  tick(500);
  assert.deepEqual(
    w
      .told("A")
      .slice(told)
      .filter((m) => !m.startsWith("4:")),
    [
      "Runtime.executionContextsCleared",
      "Page.frameNavigated",
      "Runtime.executionContextCreated",
      "Runtime.executionContextCreated",
      "Page.domContentEventFired",
      "Page.loadEventFired",
      "Page.frameStoppedLoading",
      "Log.entryAdded",
    ],
  );
  const contexts = w.messages("A").filter((m) => m.method === "Runtime.executionContextCreated");
  assert.deepEqual(
    contexts.map((m) => m.params.context.name),
    ["", "util"],
  );
  const advice =
    /^Target is not connected: .*has left the app for https:\/\/login.example.*--also-proxy https:\/\/login.example .*Page.navigate to http:\/\/app\/ leads back\.$/;
  assert.match(w.messages("A").pop()!.params.entry.text, advice);
  w.send("A", 5, "Runtime.evaluate", { expression: "1" });
  assert.match(w.answer("A", 5)!.result.exceptionDetails.exception.description, /^Error: Target is not connected: /);
  w.send("A", 6, "DOM.getDocument");
  assert.match(w.answer("A", 6)!.error.message, advice);
  w.send("A", 7, "Page.getFrameTree");
  assert.equal(w.answer("A", 7)!.result.frameTree.frame.url, "chrome-error://chromewebdata/");
  w.send("A", 8, "Page.createIsolatedWorld", { frameId: "T", worldName: "other" });
  assert.equal(typeof w.answer("A", 8)!.result.executionContextId, "number");
  w.send("A", 9, "Page.navigate", { url: "http://app/two" });
  const before = w.told("A").length;
  const next = w.hello("doc2", "http://app/two")!;
  assert.equal(w.told("A")[before], "Runtime.executionContextsCleared");
  assert.equal(w.answer("A", 9)!.result.errorText, undefined);
  assert.deepEqual(
    w
      .welcomes()
      .pop()!
      .welcome.state!.sessions[0].scripts.map((s) => s.worldName),
    ["util"],
  );
  assert.equal(next.got.length, 0);
});

test("the Host page leads a lost frame back, and only that", () => {
  const w = World.paired();
  w.hello("doc1", "http://app/one")!.say({ icdp: "bye" });
  w.load();
  tick(1_500);
  w.core.receive({ do: "back", targetId: "T" });
  assert.deepEqual(w.navigations().pop(), { do: "navigate", targetId: "T", url: "http://app/one" });
  w.hello("doc2", "http://app/one");
  w.core.receive({ do: "back", targetId: "T" });
  assert.equal(w.navigations().length, 1);
});

test("why no agent answers, and the way back", async () => {
  const w = World.paired("A");
  const reason = async (): Promise<string> => {
    await settle();
    return w.posted.flatMap((m) => (m.do === "targets" ? m.targets : [])).pop()!.reason;
  };
  assert.equal(await reason(), "");
  w.core.receive({ do: "stranger", targetId: "T", origin: "http://other" });
  const strange =
    "The frame shows a document of http://other, which is not among the origins that this Host page pairs (http://app): add it to the origins of pair(), or as &origin=http://other to the address of the shell";
  assert.equal(await reason(), strange);
  w.load();
  tick(1_500);
  const silent =
    "No Frame Agent has answered in the frame: load agent.js in its document, or open the app through cdphub proxy; if the agent is there, add http://host to its data-parents";
  assert.equal(await reason(), silent);
  w.send("A", 1, "DOM.getDocument");
  assert.deepEqual(w.messages("A").pop(), {
    id: 1,
    error: {
      code: -32000,
      message: `Target is not connected: the Frame Agent has not paired yet. ${silent}. Page.navigate to http://app/ leads back.`,
    },
  });
  w.hello("doc1");
  assert.equal(await reason(), "");
});
