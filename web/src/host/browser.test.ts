/// <reference types="node" />
// Browser-level methods that the Host answers.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ANSWER_MS } from "./browser";
import { type Loose, type FakeAgent, World, freshClock, settle, tick } from "./fakes";

beforeEach(freshClock);

/** Two apps of different sites whose agents answer commands by `reply`. */
function apps(w: World, reply: (url: string, method: string, params: Loose) => Loose): FakeAgent[] {
  return ["http://a.example/", "http://b.example/"].map((url, i) => {
    const id = `T${i}`;
    w.pair(id);
    const agent = w.hello(`doc${i}`, url, id)!;
    agent.onCommand = (m) => agent.say({ id: m.id, sessionId: m.sessionId, ...reply(url, m.method, m.params) });
    return agent;
  });
}

async function request(w: World, method: string, params: Loose = {}): Promise<Loose> {
  const relay = w.sockets.at(-1) ?? w.relay(["sessions", "handles+"]);
  relay.take();
  relay.say({ kind: "browserRequest", id: 9, method, params });
  await settle();
  await settle();
  const [answer] = relay.take().filter((m: Loose) => m.kind === "browserResult");
  return answer;
}

const cookie = (name: string, domain: string): Loose => ({ name, value: "1", domain, path: "/" });

test("cookies are those that any document sees, each once", async () => {
  const w = new World();
  apps(w, (url) => ({
    result: { cookies: [cookie("shared", ".example"), cookie("own", new URL(url).hostname)] },
  }));
  const { result } = await request(w, "Storage.getCookies");
  assert.deepEqual(
    result.cookies.map((c: Loose) => `${c.name} ${c.domain}`),
    ["shared .example", "own a.example", "own b.example"],
  );
});

test("a cookie is set by a document of its site, and refused without one", async () => {
  const w = new World();
  const set: string[] = [];
  apps(w, (url, _m, params) => {
    set.push(`${url} ${params.cookies[0].name}`);
    return { result: {} };
  });
  assert.deepEqual(
    await request(w, "Storage.setCookies", {
      cookies: [cookie("x", "b.example"), { name: "y", value: "", url: "http://a.example/p" }],
    }),
    {
      kind: "browserResult",
      id: 9,
      result: {},
    },
  );
  assert.deepEqual(set, ["http://b.example/ x", "http://a.example/ y"]);
  const { error } = await request(w, "Storage.setCookies", { cookies: [cookie("x", "c.example")] });
  assert.match(error.message, /c\.example is not possible in an embedded frame: no frame of that site is open/);
});

test("what every document refuses is refused; what one can do is done", async () => {
  const w = new World();
  let failing = ["http://a.example/"];
  apps(w, (url) => (failing.includes(url) ? { error: { code: -32000, message: "no" } } : { result: { cookies: [] } }));
  assert.deepEqual((await request(w, "Storage.clearCookies")).result, {});
  failing = ["http://a.example/", "http://b.example/"];
  assert.equal((await request(w, "Storage.clearCookies")).error.message, "no");
});

test("the cookies of the other pages arrive without a page that does not answer", async () => {
  const w = new World();
  const [stuck] = apps(w, (url) => ({ result: { cookies: [cookie("c", new URL(url).hostname)] } }));
  stuck.onCommand = () => {};
  const late = async (method: string, params: Loose = {}): Promise<Loose> => {
    assert.equal(await request(w, method, params), undefined);
    tick(ANSWER_MS);
    await settle();
    const [answer] = w.sockets
      .at(-1)!
      .take()
      .filter((m: Loose) => m.kind === "browserResult");
    return answer;
  };
  const { result } = await late("Storage.getCookies");
  assert.deepEqual([result.cookies.map((c: Loose) => c.domain), result.unanswered], [["b.example"], ["T0"]]);
  const why = /^No answer within 2000 ms: the page is busy or stuck at target T0 \(http:\/\/a\.example\/\)/;
  assert.match((await late("Storage.clearCookies")).error.message, why);
  assert.match((await late("Storage.setCookies", { cookies: [cookie("x", "a.example")] })).error.message, why);
  assert.equal(w.core.targets.get("T0")?.sessions.size, 0);
});

test("sessions made for a moment leave nothing behind", async () => {
  const w = new World();
  const [agent] = apps(w, () => ({ result: { cookies: [] } }));
  await request(w, "Storage.getCookies");
  assert.deepEqual(
    agent.got.map((m) => m.icdp ?? m.method),
    ["attached", "Storage.getCookies", "detached"],
  );
  assert.equal(w.core.targets.get("T0")?.sessions.size, 0);
});

test("the window, and what is not there", async () => {
  const w = new World();
  apps(w, () => ({}));
  w.carryOut = (ask) => (ask.what === "window" ? { left: 1, top: 2, width: 3, height: 4, windowState: "normal" } : {});
  assert.deepEqual((await request(w, "Browser.getWindowForTarget", { targetId: "T0" })).result, {
    windowId: 1,
    bounds: { left: 1, top: 2, width: 3, height: 4, windowState: "normal" },
  });
  assert.deepEqual((await request(w, "Browser.getWindowBounds", { windowId: 1 })).result, {
    bounds: { left: 1, top: 2, width: 3, height: 4, windowState: "normal" },
  });
  const asked: string[] = [];
  w.carryOut = (ask) => (asked.push(ask.what), {});
  assert.deepEqual((await request(w, "Target.activateTarget", { targetId: "T0" })).result, {});
  assert.deepEqual(asked, ["reveal"]);
  assert.match((await request(w, "Target.activateTarget", { targetId: "T9" })).error.message, /No target/);
  assert.match((await request(w, "Browser.crash")).error.message, /Method not found: Browser\.crash/);
});

test("createTarget answers once the new Pairing has connected", async () => {
  const w = new World(["Target.createTarget", "Target.closeTarget"]);
  const relay = w.relay(["sessions"]);
  relay.take();
  w.carryOut = (ask) => {
    assert.deepEqual(ask, { what: "create", params: { url: "http://app/n" } });
    w.pair("N");
    return { targetId: "N" };
  };
  relay.say({ kind: "browserRequest", id: 3, method: "Target.createTarget", params: { url: "http://app/n" } });
  await settle();
  assert.deepEqual(
    relay.take().map((m) => m.kind),
    ["targetCreated"],
  );
  w.hello("doc1", "http://app/n", "N");
  await settle();
  assert.deepEqual(
    relay.take().map((m) => (m.kind === "browserResult" ? m : m.kind)),
    ["targetInfoChanged", { kind: "browserResult", id: 3, result: { targetId: "N" } }],
  );
});

test("createTarget undoes a Pairing that does not connect: in 20 s, or 1.5 s after it has loaded", async () => {
  for (const loads of [false, true]) {
    const w = new World(["Target.createTarget", "Target.closeTarget"]);
    const relay = w.relay(["sessions"]);
    w.carryOut = (ask) => {
      if (ask.what === "create") w.pair("N");
      else if (ask.what === "close") w.core.receive({ do: "unpair", targetId: ask.targetId });
      return { targetId: "N" };
    };
    relay.say({ kind: "browserRequest", id: 3, method: "Target.createTarget", params: { url: "http://app/n" } });
    await settle();
    if (loads) w.core.receive({ do: "load", targetId: "N" });
    relay.take();
    tick(loads ? 1_499 : 19_999);
    await settle();
    assert.deepEqual(relay.take(), []);
    tick(1);
    await settle();
    const [gone, answer] = relay.take() as { kind: string; error?: { message: string } }[];
    assert.equal(gone.kind, "targetDestroyed");
    assert.match(answer.error!.message, /^The new Target's Frame Agent did not connect: No Frame Agent has answered/);
  }
});

test("createTarget fails when its Target is closed meanwhile", async () => {
  const w = new World(["Target.createTarget"]);
  const relay = w.relay(["sessions"]);
  w.carryOut = (ask) => {
    if (ask.what === "create") w.pair("N");
    return { targetId: "N" };
  };
  relay.say({ kind: "browserRequest", id: 3, method: "Target.createTarget", params: { url: "http://app/n" } });
  await settle();
  w.core.receive({ do: "unpair", targetId: "N" });
  await settle();
  const message = "The new Target's Frame Agent did not connect: it has been closed";
  assert.deepEqual(relay.take().pop(), { kind: "browserResult", id: 3, error: { code: -32000, message } });
});
