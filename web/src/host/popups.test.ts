/// <reference types="node" />
// Windows that frames open.

import type { Ask } from "../wire/core";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { World, freshClock, settle } from "./fakes";

beforeEach(freshClock);

/** A World whose page makes a Pairing "P" for each window, with its asks. */
function opening(noopener = false): { w: World; asks: Ask[] } {
  const w = new World(["Target.createTarget", "Target.closeTarget"]);
  const asks: Ask[] = [];
  w.carryOut = (ask) => {
    asks.push(ask);
    if (ask.what !== "create") return {};
    const target = { targetId: "P", title: "", url: "about:blank", openerId: ask.openerId };
    w.core.receive({ do: "pair", target, origins: ["http://app"], opened: { openId: "1.1", noopener } });
    return { targetId: "P" };
  };
  w.pair();
  return { w, asks };
}

const open = { icdp: "open", url: "http://app/p", openId: "1.1", name: "n" };

test("a window becomes a Target that knows its opener", async () => {
  const { w, asks } = opening();
  const agent = w.hello("doc1")!;
  assert.equal(w.welcomes()[0].welcome.popups, true);
  const relay = w.relay(["sessions"]);
  relay.take();
  agent.say(open);
  await settle();
  assert.deepEqual(asks, [
    {
      what: "create",
      params: { url: "http://app/p" },
      openerId: "T",
      popup: { openId: "1.1", name: "n", noopener: undefined },
    },
  ]);
  assert.deepEqual(relay.take(), [
    { kind: "targetCreated", target: { targetId: "P", title: "", url: "about:blank", openerId: "T" } },
  ]);
  const popup = w.hello("doc2", "http://app/p", "P")!;
  const { opened, opener } = w.welcomes().at(-1)!.welcome;
  assert.deepEqual([opened, opener], [true, true]);
  assert.deepEqual(agent.got.splice(0), [{ icdp: "popup", openId: "1.1", url: "http://app/p" }]);

  agent.say({ icdp: "popup", openId: "1.1", message: { data: 1, targetOrigin: "*", origin: "http://forged" } });
  await settle();
  assert.deepEqual(popup.got.splice(0), [
    { icdp: "popup", message: { data: 1, targetOrigin: "*", origin: "http://app" } },
  ]);
  popup.say({ icdp: "opener", message: { data: 2, targetOrigin: "http://app" } });
  assert.deepEqual(agent.got.splice(0), [
    { icdp: "popup", openId: "1.1", message: { data: 2, targetOrigin: "http://app", origin: "http://app" } },
  ]);
  asks.length = 0;
  popup.say({ icdp: "close" });
  await settle();
  assert.deepEqual(asks.splice(0), [{ what: "close", targetId: "P" }]);
  w.core.receive({ do: "unpair", targetId: "P" });
  assert.deepEqual(agent.got.splice(0), [{ icdp: "popup", openId: "1.1", closed: true }]);
});

test("a window is led elsewhere as soon as it is there, but not where its Pairing may not go", async () => {
  const { w } = opening();
  const agent = w.hello("doc1")!;
  agent.say(open);
  for (const url of ["http://app/q", "http://elsewhere/"]) agent.say({ icdp: "popup", openId: "1.1", url });
  await settle();
  assert.deepEqual(w.navigations(), [{ do: "navigate", targetId: "P", url: "http://app/q" }]);
});

test("noopener: neither reaches the other", async () => {
  const { w } = opening(true);
  const agent = w.hello("doc1")!;
  agent.say({ ...open, noopener: true });
  await settle();
  const popup = w.hello("doc2", "http://app/p", "P")!;
  assert.equal(w.welcomes().at(-1)!.welcome.opener, false);
  agent.got.length = 0;
  popup.say({ icdp: "opener", message: { data: 1, targetOrigin: "*" } });
  agent.say({ icdp: "popup", openId: "1.1", close: true });
  await settle();
  assert.deepEqual([agent.got, popup.got], [[], []]);
});

test("a window that the application does not make is closed, with the reason", async () => {
  const { w } = opening();
  w.carryOut = () => Promise.reject(new Error("no room"));
  const agent = w.hello("doc1")!;
  agent.say(open);
  await settle();
  assert.deepEqual(agent.got, [{ icdp: "popup", openId: "1.1", closed: true, error: "no room" }]);
});

test("only a window that script has opened closes itself", async () => {
  const { w, asks } = opening();
  w.hello("doc1")!.say({ icdp: "close" });
  await settle();
  assert.deepEqual(asks, []);
});

test("a message goes to the origin that it is meant for, in the name of the one that the browser tells", async () => {
  const { w } = opening();
  const agent = w.hello("doc1")!;
  agent.say(open);
  await settle();
  const popup = w.hello("doc2", "http://app/p", "P")!;
  agent.got.length = 0;
  agent.say({ icdp: "info", title: "", url: "http://bank/" });
  for (const targetOrigin of ["http://bank", "http://app/", "null", ""])
    agent.say({ icdp: "popup", openId: "1.1", message: { data: "secret", targetOrigin } });
  agent.say({
    icdp: "popup",
    openId: "1.1",
    message: { data: "of a frame inside", targetOrigin: "*", origin: "null" },
  });
  await settle();
  popup.say({ icdp: "opener", message: { data: "secret", targetOrigin: "http://bank" } });
  assert.deepEqual(popup.got, [
    { icdp: "popup", message: { data: "of a frame inside", targetOrigin: "*", origin: "null" } },
  ]);
  assert.deepEqual(agent.got, []);
});

test("a window is not led to script or to what is no address", async () => {
  const { w } = opening();
  const agent = w.hello("doc1")!;
  agent.say(open);
  for (const url of ["javascript:1", "", "http://", "about:srcdoc", "data:text/html,x"])
    agent.say({ icdp: "popup", openId: "1.1", url });
  await settle();
  assert.deepEqual(w.navigations(), []);
});
