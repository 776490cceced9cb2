/// <reference types="node" />
// Sessions with the workers of a page, inside those of the page.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type FakeAgent, type FakeSocket, World, freshClock } from "./fakes";

beforeEach(freshClock);

const N = "A".repeat(32);
const W = "B".repeat(32);
const begun = { icdp: "workerattached", parent: "S1", sessionId: N, targetId: W, url: "blob:x" };

/** A Target with a session that attaches to workers. */
function driven(features = ["sessions", "nested", "resume"]): { w: World; agent: FakeAgent; relay: FakeSocket } {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  const relay = w.relay(features);
  relay.say({ kind: "attached", sessionId: "S1", targetId: "T" });
  const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  relay.say({ kind: "command", sessionId: "S1", targetId: "T", id: 1, method: "Target.setAutoAttach", params });
  agent.answer("Target.setAutoAttach");
  relay.take();
  return { w, agent, relay };
}

test("a worker's session begins, has commands and events, and ends", () => {
  const { w, agent, relay } = driven();
  agent.say(begun);
  const targetInfo = {
    targetId: W,
    type: "worker",
    title: "blob:x",
    url: "blob:x",
    attached: true,
    canAccessOpener: false,
  };
  assert.deepEqual(relay.take(), [
    {
      kind: "event",
      targetId: "T",
      sessionId: "S1",
      method: "Target.attachedToTarget",
      params: { sessionId: N, targetInfo, waitingForDebugger: false },
      opens: { sessionId: N, targetId: W, type: "worker" },
    },
  ]);
  relay.say({ kind: "command", sessionId: N, targetId: W, id: 2, method: "Page.bringToFront", params: {} });
  assert.equal(agent.got.at(-1)?.sessionId, N, "the Host answers nothing in the place of a worker");
  agent.answer("Page.bringToFront", { error: { code: -32601, message: "no" } });
  agent.say({ method: "Runtime.consoleAPICalled", params: {}, sessionId: N });
  agent.say({ icdp: "workerdetached", sessionId: N });
  assert.deepEqual(
    relay.take().map((m) => [m.kind, m.sessionId, m.method ?? m.error.message, m.closes]),
    [
      ["response", N, "no", undefined],
      ["event", N, "Runtime.consoleAPICalled", undefined],
      ["event", "S1", "Target.detachedFromTarget", N],
    ],
  );
  agent.say(begun);
  relay.take();
  w.hello("doc2");
  assert.equal(relay.take().find((m) => m.closes)?.closes, N, "the document goes");
});

test("a Client ends a worker's session by itself, and with the page's session", () => {
  for (const sessionId of [N, "S1"]) {
    const { agent, relay } = driven();
    agent.say(begun);
    relay.say({ kind: "detached", sessionId });
    const ended = agent.got.filter((m) => m.icdp === "detached").map((m) => m.sessionId);
    assert.deepEqual(ended, sessionId === N ? [N] : [N, "S1"]);
  }
});

test("a new document attaches by itself, and a Host that comes back attaches again", () => {
  const { w, agent, relay } = driven();
  agent.say(begun);
  const next = w.hello("doc2")!;
  assert.equal(w.welcomes().at(-1)?.welcome.state?.sessions[0].autoAttach?.autoAttach, true);
  next.say(begun);
  relay.onclose?.({ code: 1006, reason: "" });
  assert.deepEqual(next.got.at(-1), { icdp: "detached", sessionId: N });
});

test("a message does not make a session of a worker that is not there, nor of another's name", () => {
  const { agent, relay } = driven();
  for (const bad of [{ parent: "S2" }, { sessionId: "x" }, { targetId: "T" }]) agent.say({ ...begun, ...bad });
  assert.deepEqual(relay.take(), []);
  const old = driven(["sessions"]);
  old.agent.say(begun);
  assert.deepEqual(old.relay.take(), []);
  assert.deepEqual(old.agent.got.at(-1), { icdp: "detached", sessionId: N });
});
