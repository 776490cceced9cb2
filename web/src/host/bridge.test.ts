/// <reference types="node" />
// The wire to a relay, version 1 and extended, and coming back to it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FEATURES } from "./features";
import { methods } from "./browser";
import { World, settle, freshClock, tick } from "./fakes";

beforeEach(freshClock);

test("ready lists the Pairings; later ones get a message each", () => {
  const w = new World(["Target.createTarget"]);
  w.pair("T");
  const relay = w.relay();
  assert.deepEqual(relay.take(), [
    {
      kind: "ready",
      v: 1,
      targets: [{ targetId: "T", title: "", url: "http://app/" }],
      handles: ["Target.createTarget", ...Object.keys(methods)],
      features: FEATURES,
      hostId: "H",
      browser: { product: "Chrome/1.0", userAgent: "Mozilla/5.0" },
    },
  ]);
  w.pair("U");
  w.hello("doc1", "http://app/u", "U");
  w.core.receive({ do: "unpair", targetId: "U" });
  assert.deepEqual(relay.take(), [
    { kind: "targetCreated", target: { targetId: "U", title: "", url: "http://app/" } },
    { kind: "targetInfoChanged", target: { targetId: "U", title: "App", url: "http://app/u" } },
    { kind: "targetDestroyed", targetId: "U" },
  ]);
});

test("the hub's base goes to the agent", () => {
  const w = World.paired();
  w.core.receive({ do: "connect", url: "wss://hub.example/hub/a1/icdp/host?x" });
  w.hello("doc1");
  assert.equal(w.welcomes()[0].welcome.base, "https://hub.example/hub/a1");
});

test("the key for dialogs goes to the agent, with the first session or with the welcome", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const relay = w.relay(["sessions", "dialog"]);
  relay.say({ kind: "attached", sessionId: "S1", targetId: "T", dialogKey: "K" });
  assert.deepEqual(agent.got, [{ icdp: "attached", sessionId: "S1", base: "http://hub:9223", key: "K" }]);
  w.hello("doc2");
  assert.equal(w.welcomes().at(-1)?.welcome.key, "K");
});

test("a script of a frame is left at the relay, where that takes scripts", async () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const put = { icdp: "evalput", key: "K", source: "1" };
  const refused = { icdp: "evalok", key: "K", refused: true };
  agent.say(put);
  await settle();
  assert.deepEqual(agent.got.splice(0), [refused], "no relay");
  const relay = w.relay(["sessions", "eval"]);
  relay.take();
  agent.say(put);
  assert.deepEqual(relay.take(), [{ kind: "evalput", key: "K", source: "1" }]);
  relay.say({ kind: "evalok", key: "K" });
  await settle();
  assert.deepEqual(agent.got.splice(0), [{ icdp: "evalok", key: "K" }]);
  agent.say(put);
  tick(3_000);
  await settle();
  assert.deepEqual(agent.got, [refused], "a relay that refuses says nothing");
});

test("an extended relay: each session its own, in order", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const relay = w.relay(["sessions"]);
  relay.take();
  agent.say({ method: "Page.x", params: {} });
  assert.deepEqual(relay.take(), [], "no Client is attached");
  relay.say({ kind: "attached", sessionId: "S1", targetId: "T" });
  relay.say({ kind: "attached", sessionId: "S2", targetId: "T" });
  const base = "http://hub:9223";
  assert.deepEqual(agent.got.splice(0), [
    { icdp: "attached", sessionId: "S1", base },
    { icdp: "attached", sessionId: "S2", base },
  ]);
  relay.say({ kind: "command", sessionId: "S1", targetId: "T", id: 41, method: "Runtime.enable", params: { a: 1 } });
  relay.say({ kind: "command", sessionId: "S2", targetId: "T", id: 42, method: "Runtime.enable" });
  assert.deepEqual(
    agent.got.map((m) => [m.method, m.sessionId, m.params]),
    [
      ["Runtime.enable", "S1", { a: 1 }],
      ["Runtime.enable", "S2", {}],
    ],
  );
  agent.say({ method: "Runtime.executionContextCreated", params: {}, sessionId: "S2" });
  agent.answer("Runtime.enable");
  agent.answer("Runtime.enable", { error: { code: -32000, message: "no" } });
  agent.say({ method: "Page.x", params: {} });
  assert.deepEqual(relay.take(), [
    { kind: "event", targetId: "T", method: "Runtime.executionContextCreated", params: {}, sessionId: "S2" },
    { kind: "response", sessionId: "S1", id: 41, result: {} },
    { kind: "response", sessionId: "S2", id: 42, error: { code: -32000, message: "no" } },
    { kind: "event", targetId: "T", method: "Page.x", params: {} },
  ]);
  relay.say({ kind: "detached", sessionId: "S1", targetId: "T" });
  assert.deepEqual(agent.got.pop(), { icdp: "detached", sessionId: "S1" });
});

test("an event for several sessions goes to the relay once, if it takes such", () => {
  for (const features of [["sessions", "sessionIds"], ["sessions"]]) {
    const w = World.paired();
    const relay = w.relay(features);
    for (const sessionId of ["S1", "S2", "S3"]) relay.say({ kind: "attached", sessionId, targetId: "T" });
    w.attach("L");
    const agent = w.hello("doc1")!;
    assert.equal(w.welcomes()[0].welcome.sessionIds, true);
    relay.take();
    const say = (sessionIds: unknown, method = "Page.x"): void => agent.say({ method, params: { a: 1 }, sessionIds });
    say(["S3", "L", "S1", "S3", "S9"]);
    const plain = { kind: "event", targetId: "T", method: "Page.x", params: { a: 1 } };
    const both =
      features.length === 2
        ? [{ ...plain, sessionIds: ["S3", "S1"] }]
        : [
            { ...plain, sessionId: "S3" },
            { ...plain, sessionId: "S1" },
          ];
    assert.deepEqual(relay.take(), both);
    assert.deepEqual(w.told("L"), ["Page.x"]);
    say(["S2"]);
    assert.deepEqual(relay.take(), [{ ...plain, sessionId: "S2" }]);
    relay.say({ kind: "detached", sessionId: "S1", targetId: "T" });
    for (const bad of [[], ["S1"], [7, null, {}], "S2", {}, null]) say(bad);
    say(["S2", "S3"], "Browser.x");
    assert.deepEqual(relay.take(), []);
    agent.say({ method: "Page.x", params: { a: 1 }, sessionId: "S2", sessionIds: ["S3"] });
    assert.deepEqual(relay.take(), [{ ...plain, sessionId: "S2" }]);
  }
});

test("an agent of version 1 hears nothing of events for several sessions", () => {
  const w = World.paired();
  w.hello();
  assert.deepEqual(w.welcomes()[0].welcome, { icdp: "welcome", v: 1 });
});

test("a version 1 relay: its sessions are one to the agent, events are plain", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const relay = w.relay();
  relay.take();
  w.attach("L");
  for (const [sessionId, id] of [
    ["1", 5],
    ["2", 6],
  ] as const) {
    relay.say({ kind: "command", sessionId, targetId: "T", id, method: "Network.enable", params: {} });
  }
  agent.say({ method: "Network.x", params: {}, sessionId: "relay" });
  agent.say({ method: "Network.y", params: {}, sessionId: "L" });
  assert.deepEqual(relay.take(), [{ kind: "event", targetId: "T", method: "Network.x", params: {} }]);
  assert.deepEqual(w.told("L"), ["Network.y"]);
  relay.say({ kind: "command", sessionId: "1", targetId: "T", id: 7, method: "Network.disable", params: {} });
  assert.deepEqual(relay.take(), [{ kind: "response", sessionId: "1", id: 7, result: {} }]);
  relay.say({ kind: "detached", sessionId: "1", targetId: "T" });
  relay.say({ kind: "detached", sessionId: "2", targetId: "T" });
  assert.deepEqual(agent.methods(), ["attached", "attached", "Network.enable", "Network.enable", "detached"]);
});

test("a version 1 agent behind a version 1 relay", () => {
  const w = World.paired();
  const agent = w.hello()!;
  const relay = w.relay();
  relay.take();
  agent.say({ method: "Page.loadEventFired", params: {} });
  assert.deepEqual(
    relay.take(),
    [{ kind: "event", targetId: "T", method: "Page.loadEventFired", params: {} }],
    "the relay has not listed the attached sessions, so all is sent",
  );
  relay.say({ kind: "command", sessionId: "1", targetId: "T", id: 5, method: "X.y", params: {} });
  agent.answer("X.y", { error: { code: -32000, message: "Method not found: X.y" } });
  assert.deepEqual(relay.take(), [
    { kind: "response", sessionId: "1", id: 5, error: { code: -32000, message: "Method not found: X.y" } },
  ]);
});

test("commands for a Target that is gone are answered", () => {
  const w = new World();
  const relay = w.relay(["sessions"]);
  relay.take();
  relay.say({ kind: "command", sessionId: "S", targetId: "none", id: 1, method: "X.y" });
  assert.deepEqual(relay.take(), [
    {
      kind: "response",
      sessionId: "S",
      id: 1,
      error: { code: -32000, message: "Target destroyed: the page has been closed; attach to another target" },
    },
  ]);
});

test("coming back: waits double up to 15 s, each within its half", () => {
  const w = new World();
  w.relay();
  const waits: number[] = [];
  for (let i = 0; i < 9; i++) {
    const from = Date.now();
    w.sockets[w.sockets.length - 1].onclose?.({ code: 1006, reason: "" });
    const sockets = w.sockets.length;
    while (w.sockets.length === sockets && Date.now() - from < 60_000) tick(1);
    waits.push(Date.now() - from);
  }
  const full = [250, 500, 1000, 2000, 4000, 8000, 15000, 15000, 15000];
  waits.forEach((ms, i) => {
    assert.ok(ms >= full[i] / 2 && ms <= full[i] + 1, `wait ${i} was ${ms} of ${full[i]}`);
  });
  assert.ok(new Set(waits.slice(-3)).size > 1, "the waits are spread");
});

test("a hub that no longer takes the token is asked again, ever more slowly", () => {
  const w = new World();
  w.core.receive({ do: "connect", url: "ws://hub:9223/icdp/host", token: "T0K3N" });
  w.sockets[0].onopen?.();
  tick(10_000);
  w.sockets[0].onclose?.({ code: 1008, reason: "token revoked" });
  assert.equal(w.states.at(-1)?.[0], "waiting");
  for (let i = 1; i < 8; i++) {
    tick(15_000);
    assert.equal(w.sockets.length, i + 1);
    w.sockets[i].onclose?.({ code: 1006, reason: "" }); // a browser tells no status of a refused handshake
  }
  tick(7_000);
  assert.equal(w.sockets.length, 8, "the wait has grown");
  assert.deepEqual(new Set(w.sockets.map((s) => s.token)), new Set(["T0K3N"]));
});

test("after a good connection the first wait is short again", () => {
  const w = new World();
  w.relay();
  for (let i = 0; i < 5; i++) {
    w.sockets[w.sockets.length - 1].onclose?.({ code: 1006, reason: "" });
    tick(15_000);
  }
  const last = w.sockets[w.sockets.length - 1];
  last.onopen?.();
  tick(5_000);
  last.onclose?.({ code: 1006, reason: "" });
  const before = w.sockets.length;
  tick(250);
  assert.equal(w.sockets.length, before + 1);
});

test("a lost connection ends its sessions; the next one starts without them", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const relay = w.relay(["sessions"]);
  relay.say({ kind: "attached", sessionId: "S1", targetId: "T" });
  relay.say({ kind: "command", sessionId: "S1", targetId: "T", id: 1, method: "X.y" });
  relay.onclose?.({ code: 1006, reason: "" });
  assert.deepEqual(agent.methods(), ["attached", "X.y", "detached"]);
  tick(250);
  const next = w.sockets[1];
  next.onopen?.();
  agent.answer("X.y");
  assert.deepEqual(
    next.take().map((m) => m.kind),
    ["ready"],
  );
});

test("a relay that lets it come back keeps its sessions", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const relay = w.relay(["sessions", "resume"]);
  for (const sessionId of ["S1", "S2"]) relay.say({ kind: "attached", sessionId, targetId: "T" });
  relay.say({ kind: "command", sessionId: "S1", targetId: "T", id: 1, method: "X.y" });
  relay.onclose?.({ code: 1006, reason: "" });
  assert.deepEqual(agent.methods(), ["attached", "attached", "X.y"]);
  tick(250);
  const next = w.sockets[1];
  next.onopen?.();
  agent.answer("X.y"); // of the connection that is gone
  agent.say({ method: "X.happened", params: {}, sessionId: "S1" });
  next.say({ kind: "accepted", features: ["sessions", "resume"] });
  next.say({ kind: "attached", sessionId: "S1", targetId: "T" });
  next.say({ kind: "attached", sessionId: "S3", targetId: "T" });
  next.say({ kind: "resumed" });
  assert.deepEqual(
    agent.got.map((m) => [m.icdp ?? m.method, m.sessionId]),
    [
      ["attached", "S1"],
      ["attached", "S2"],
      ["attached", "S3"],
      ["detached", "S2"],
    ],
  );
  assert.deepEqual(
    next.take().map((m) => [m.kind, m.sessionId]),
    [
      ["ready", undefined],
      ["event", "S1"],
    ],
  );
});

test("sessions end where the relay does not come back, or has forgotten them", () => {
  for (const [features, wait] of [
    [["sessions"], 250],
    [["sessions", "resume"], 40_000],
  ] as const) {
    const w = World.paired();
    const agent = w.hello("doc1")!;
    const relay = w.relay(["sessions", "resume"]);
    relay.say({ kind: "attached", sessionId: "S1", targetId: "T" });
    relay.onclose?.({ code: 1006, reason: "" });
    tick(wait);
    const next = w.sockets[1];
    next.onopen?.();
    next.say({ kind: "accepted", features });
    assert.deepEqual(agent.methods(), ["attached", "detached"]);
  }
});

test("the page answers whether it runs", async () => {
  const w = new World();
  const relay = w.relay(["sessions", "alive"]);
  relay.take();
  const asked: string[] = [];
  w.carryOut = (ask) => (asked.push(ask.what), {});
  relay.say({ kind: "alive", n: 7 });
  await settle();
  assert.deepEqual([asked, relay.take()], [["alive"], [{ kind: "alive", n: 7 }]]);
});

test("disconnect is final", () => {
  const w = new World();
  w.relay().onclose?.({ code: 1006, reason: "" });
  w.core.receive({ do: "disconnect" });
  tick(600_000);
  assert.equal(w.sockets.length, 1);
  assert.equal(w.states.pop()![0], "off");
});

test("what is no JSON or of an unknown kind is ignored", () => {
  const w = new World();
  const relay = w.relay();
  relay.take();
  for (const data of ["{", "null", "5", '{"kind":"later"}', "{}"]) relay.onmessage?.({ data });
  assert.deepEqual(relay.take(), []);
});

test("a relay that refuses the page is asked why, and not too often", async () => {
  const w = new World();
  w.refusal = "The hub needs a token";
  w.core.receive({ do: "connect", url: "ws://hub:9223/icdp/host" });
  const states = (): string[] => w.posted.flatMap((m) => (m.do === "relay" ? [`${m.state} ${m.reason}`] : []));
  w.sockets[0].onclose?.({ code: 1006, reason: "" });
  await settle();
  assert.deepEqual(states(), ["connecting ", "waiting connection lost (1006)", "waiting The hub needs a token"]);
  for (let i = 1; i < 5; i++) {
    tick(15_000);
    w.sockets[i].onclose?.({ code: 1006, reason: "" });
    await settle();
  }
  assert.equal(w.asked, 1, "wrong tokens are counted");
  assert.equal(states().pop(), "waiting The hub needs a token");
  tick(15_000);
  w.sockets[5].onopen?.();
  w.sockets[5].onclose?.({ code: 1006, reason: "" });
  await settle();
  assert.equal(states().pop(), "waiting connection lost (1006)", "it had let the page in");
});
