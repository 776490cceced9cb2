/// <reference types="node" />
// A Host page whose relay has, or prefers, another.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { World, freshClock, tick } from "./fakes";

beforeEach(freshClock);

test("replaced by a newer Host: it stays away", () => {
  const w = new World();
  w.relay().onclose?.({ code: 1008, reason: "replaced by a newer host" });
  tick(600_000);
  assert.equal(w.sockets.length, 1);
  const last = w.posted.filter((m) => m.do === "relay").pop();
  assert.deepEqual(last, { do: "relay", state: "replaced", reason: "replaced by a newer host" });
  w.core.receive({ do: "connect", url: "ws://hub/icdp/host" });
  assert.equal(w.sockets.length, 2, "until the application asks for it again");
});

test("replaced at a relay that offers it: on standby until the relay is free", () => {
  const w = World.paired();
  w.relay(["sessions", "standby"]).onclose?.({ code: 4500, reason: "replaced" });
  tick(250);
  const standby = w.sockets[1];
  assert.equal(standby.url, "ws://hub:9223/icdp/host?standby=");
  standby.onopen?.();
  standby.say({ kind: "standby", free: false });
  tick(600_000);
  w.pair("U");
  assert.deepEqual(standby.take(), [], "it owes nothing before the relay is free");
  assert.equal(w.states.at(-1)?.[0], "replaced");
  standby.say({ kind: "standby", free: true });
  assert.deepEqual(
    standby.take().map((m) => [m.kind, m.targets.length]),
    [["ready", 2]],
  );
  assert.equal(w.states.at(-1)?.[0], "connected");
  standby.onclose?.({ code: 1006, reason: "" });
  tick(1_000);
  assert.equal(w.sockets[2].url, "ws://hub:9223/icdp/host", "a lost connection is resumed");
});

test("on standby another Host may be faster, and the relay may go", () => {
  const w = new World();
  w.core.receive({ do: "connect", url: "ws://hub:9223/icdp/host", standby: true });
  const states = (): string[] => w.states.splice(0).map(([state]) => state);
  w.sockets[0].onopen?.();
  w.sockets[0].say({ kind: "standby", free: true });
  w.sockets[0].say({ kind: "accepted", features: ["sessions", "standby"] });
  w.sockets[0].onclose?.({ code: 4500, reason: "faster" });
  assert.deepEqual(states(), ["connecting", "connected", "replaced"]);
  tick(250);
  w.sockets[1].onopen?.();
  w.sockets[1].say({ kind: "standby", free: false });
  assert.deepEqual(states(), []);
  w.sockets[1].onclose?.({ code: 1006, reason: "" });
  tick(15_000);
  assert.match(w.sockets[2].url, /standby/);
  w.sockets[2].onopen?.();
  w.sockets[2].say({ kind: "standby", free: false });
  assert.deepEqual(states(), ["waiting", "connecting", "replaced"]);
});

test("takeOver replaces the other Host, and does nothing for the one that has the relay", () => {
  const w = new World();
  w.core.receive({ do: "takeOver" });
  w.core.receive({ do: "connect", url: "ws://hub:9223/icdp/host", standby: true });
  w.sockets[0].onopen?.();
  w.sockets[0].say({ kind: "standby", free: false });
  w.core.receive({ do: "takeOver" });
  assert.equal(w.sockets[0].closed, true);
  assert.equal(w.sockets[1].url, "ws://hub:9223/icdp/host");
  w.sockets[1].onopen?.();
  assert.equal(w.sockets[1].take()[0].kind, "ready");
  w.core.receive({ do: "takeOver" });
  assert.equal(w.sockets.length, 2);
});

test("the close code alone says that it was replaced", () => {
  for (const [code, reason, sockets] of [
    [4500, "", 1],
    [4500, "in other words", 1],
    [1008, "", 1],
    [4302, "token revoked", 2],
    [4502, "replaced", 2],
  ] as const) {
    const w = new World();
    w.relay().onclose?.({ code, reason });
    tick(10_000);
    assert.equal(w.sockets.length, sockets, `${code} ${reason}`);
  }
});
