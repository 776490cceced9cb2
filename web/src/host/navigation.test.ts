/// <reference types="node" />
// Page.navigate and the documents it brings.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { FakeAgent } from "./fakes";
import { World, freshClock, tick } from "./fakes";

beforeEach(freshClock);

/** A Target with one document and a session with Page and Network. */
function start(): { w: World; agent: FakeAgent } {
  const w = new World();
  w.pair("T", ["http://app", "http://other"]);
  w.attach("A");
  const agent = w.hello("doc1", "http://app/one?q#top")!;
  for (const d of ["Page", "Network", "Runtime"]) {
    w.send("A", 0, `${d}.enable`);
    agent.answer(`${d}.enable`);
  }
  w.posted.splice(0);
  agent.got.splice(0);
  return { w, agent };
}

test("the events of the start, the answer at the new document's hello, one loader throughout", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.navigate", { url: "/two" });
  const [started, , request] = w.messages("A").map((m) => m.params);
  const { loaderId } = started;
  assert.match(loaderId, /^[0-9A-F]{32}$/);
  assert.deepEqual(
    [started.url, request.requestId, request.loaderId, request.type],
    ["http://app/two", loaderId, loaderId, "Document"],
  );
  assert.deepEqual(agent.got[0].params, { url: "http://app/two", loaderId });
  agent.answer("Page.navigate");
  agent.say({ icdp: "nav", loaderId: "AGENTS", url: "http://app/two" });
  agent.say({ icdp: "bye" });
  const next = w.hello("doc2", "http://app/two")!;
  assert.equal(w.welcomes()[0].welcome.loaderId, loaderId);
  next.say({ method: "Page.frameNavigated", params: {}, sessionId: "A" });
  assert.deepEqual(w.told("A"), [
    "Page.frameStartedNavigating",
    "Page.frameStartedLoading",
    "Network.requestWillBeSent",
    "Runtime.executionContextsCleared",
    `1:${JSON.stringify({ frameId: "T", loaderId })}`,
    "Page.frameNavigated",
  ]);
});

test("a document that is stuck is led away after 2 s", () => {
  const { w } = start();
  w.send("A", 1, "Page.navigate", { url: "/two" });
  tick(1_900);
  const led = (): string[] => w.navigations().map((m) => m.url);
  assert.deepEqual(led(), [], "slow is not stuck");
  tick(200);
  assert.deepEqual(led(), ["http://app/two"]);
  w.hello("doc2", "http://app/two");
  assert.match(w.told("A").pop()!, /^1:.*loaderId/);
});

test("a blank page that comes late does not take the place of the app", () => {
  const w = World.paired("A");
  const blank = w.hello("doc1", "about:blank", "T", "null")!;
  const led = (): string[] => w.navigations().map((m) => m.url);
  w.send("A", 1, "Page.reload");
  assert.deepEqual(led(), ["about:blank"]);
  w.send("A", 2, "Page.navigate", { url: "http://app/two" });
  blank.say({ icdp: "bye" });
  assert.deepEqual(led(), ["about:blank", "http://app/two"], "its agent has gone and leads nowhere");
  for (const doc of ["doc2", "doc3"]) assert.equal(w.hello(doc, "about:blank", "T", "null"), undefined);
  assert.deepEqual(led(), ["about:blank", "http://app/two", "http://app/two"], "once more");
  assert.deepEqual(w.told("A"), ["1:{}"]);
  w.hello("doc4", "http://app/two");
  assert.match(w.told("A").pop()!, /^2:.*loaderId/);
});

test("a document that is stuck is loaded again after 2 s, and one that answers by itself", () => {
  for (const stuck of [true, false]) {
    const { w, agent } = start();
    w.send("A", 1, "Page.reload");
    if (!stuck) agent.answer("Page.reload");
    tick(2_100);
    const led = w.navigations().map((m) => m.url);
    assert.deepEqual(led, stuck ? ["http://app/one?q#top"] : []);
    w.hello("doc2", "http://app/one?q#top");
    assert.deepEqual(
      w.told("A").filter((m) => m.startsWith("1:")),
      ["1:{}"],
      "one answer",
    );
  }
});

test("a screenshot is of the next document where its own goes first", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.captureScreenshot", { format: "png" });
  agent.say({ icdp: "bye" });
  assert.deepEqual(
    w.told("A").filter((m) => m.startsWith("1:")),
    [],
  );
  const next = w.hello("doc2", "http://app/two")!;
  next.answer("Page.captureScreenshot", { result: { data: "AA==" } });
  assert.equal(w.told("A").pop(), '1:{"data":"AA=="}');
});

test("a URL that differs only by its fragment keeps the document", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.navigate", { url: "#bottom" });
  agent.answer("Page.navigate", { result: { frameId: "X", loaderId: "Y" } });
  w.send("A", 2, "Page.navigate", { url: "http://app/one?q" });
  assert.equal(w.told("A")[0], '1:{"frameId":"T"}');
  assert.equal(w.told("A")[1], "Page.frameStartedNavigating", "without a fragment it is a new document");
});

test("the second of two answers the first as aborted", () => {
  const { w } = start();
  w.send("A", 1, "Page.navigate", { url: "/two" });
  w.send("A", 2, "Page.navigate", { url: "/three" });
  const first = w.answer("A", 1)!;
  assert.equal(first.result.errorText, "net::ERR_ABORTED");
  w.hello("doc2", "http://app/three");
  const [b, a] = [2, 1].map((id) => w.answer("A", id)!.result.loaderId);
  assert.notEqual(a, b);
  assert.equal(w.welcomes()[0].welcome.loaderId, b);
});

test("a document without agent: the reason 1.5 s after its load event, and the next navigation recovers", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.navigate", { url: "http://other/" });
  agent.say({ icdp: "bye" });
  w.load();
  tick(1_499);
  assert.equal(w.answer("A", 1), undefined);
  tick(1);
  assert.equal(w.answer("A", 1)!.result.errorText, "net::ERR_FAILED (no Frame Agent answered in the new document)");
  const told = w.told("A");
  const failed = told.indexOf("Network.loadingFailed");
  assert.deepEqual(told.slice(failed, failed + 2), ["Network.loadingFailed", "Page.frameStoppedLoading"]);
  w.send("A", 2, "Page.navigate", { url: "http://app/two" });
  assert.deepEqual(w.posted[w.posted.length - 1], { do: "navigate", targetId: "T", url: "http://app/two" });
  w.hello("doc2", "http://app/two");
  assert.equal(w.answer("A", 2)!.result.errorText, undefined);
});

test("a link to a page without an agent: its failure has the loader that the page announced", () => {
  const { w, agent } = start();
  agent.say({ icdp: "nav", loaderId: "L1", url: "https://untrusted/" });
  agent.say({ icdp: "bye" });
  w.load();
  tick(1_500);
  assert.deepEqual(w.told("A").slice(0, 3), [
    "Runtime.executionContextsCleared",
    "Network.loadingFailed",
    "Page.frameStoppedLoading",
  ]);
  const { requestId } = w.messages("A").find((m) => m.method === "Network.loadingFailed")!.params;
  assert.equal(requestId, "L1");
});

test("nothing comes in 5 min", () => {
  const { w } = start();
  w.send("A", 1, "Page.navigate", { url: "/slow" });
  tick(299_999);
  assert.equal(w.answer("A", 1), undefined);
  tick(1);
  assert.equal(w.answer("A", 1)!.result.errorText, "net::ERR_TIMED_OUT");
});

const MORE =
  ": it may show http://app, http://other; for more, start cdphub with --also-proxy ORIGIN, or add the origin to those of pair()";

test("refused: origins that the Pairing does not name, script and broken URLs", () => {
  const { w, agent } = start();
  const urls = ["https://evil.example/x", "javascript:alert(1)", "about:srcdoc", "http://", 5];
  urls.forEach((url, i) => {
    w.send("A", i, "Page.navigate", { url });
  });
  assert.deepEqual(w.told("A"), [
    `0:Navigation to https://evil.example is not allowed for this Target${MORE}`,
    `1:Navigation to javascript:alert(1) is not allowed for this Target${MORE}`,
    `2:Navigation to about:srcdoc is not allowed for this Target${MORE}`,
    "3:Cannot navigate to invalid URL",
    "4:Cannot navigate to invalid URL",
  ]);
  assert.deepEqual(agent.got, []);
});

test("the page's own navigation brings its loader, unless retracted", () => {
  const { w, agent } = start();
  agent.say({ icdp: "nav", loaderId: "L1", url: "http://app/file.zip" });
  agent.say({ icdp: "navabort" });
  agent.say({ icdp: "nav", loaderId: "L2", url: "http://app/two" });
  agent.say({ icdp: "bye" });
  w.hello("doc2", "http://app/two");
  assert.equal(w.welcomes()[0].welcome.loaderId, "L2");
  assert.deepEqual(w.told("A"), ["Runtime.executionContextsCleared"], "its start was the agent's to tell");
});

test("a document without an announced navigation: its events from the start", () => {
  const { w, agent } = start();
  agent.say({ icdp: "bye" });
  w.hello("doc2", "http://app/two");
  assert.deepEqual(w.told("A").slice(1), [
    "Page.frameStartedNavigating",
    "Page.frameStartedLoading",
    "Network.requestWillBeSent",
  ]);
});

test("a download answers the navigation as aborted", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.navigate", { url: "/file.zip" });
  agent.say({ icdp: "navabort" });
  assert.equal(w.answer("A", 1)!.result.errorText, "net::ERR_ABORTED");
  assert.equal(agent.closed, false);
});

test("the end of a navigation that a client has replaced is not that of the client's", () => {
  const { w, agent } = start();
  agent.say({ icdp: "nav", loaderId: "L1", url: "http://app/one" });
  w.send("A", 1, "Page.navigate", { url: "/two" });
  agent.say({ icdp: "navabort", loaderId: "L1" });
  assert.equal(w.answer("A", 1), undefined);
  w.hello("doc2", "http://app/two");
  assert.equal(w.answer("A", 1)!.result.errorText, undefined);
});

test("an agent that refuses leaves it to the iframe", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.navigate", { url: "/two" });
  agent.answer("Page.navigate", { error: { code: -32000, message: "no" } });
  assert.deepEqual(w.posted[w.posted.length - 1], { do: "navigate", targetId: "T", url: "http://app/two" });
});

test("a version 1 agent gives no bye: the load event without a hello ends the wait", () => {
  const w = new World();
  w.pair("T", ["http://app"]);
  w.attach("A");
  w.hello();
  w.send("A", 1, "Page.navigate", { url: "/two" });
  w.load();
  tick(1_500);
  assert.match(w.answer("A", 1)!.result.errorText, /ERR_FAILED/);
});

test("navigating a child frame is the agent's", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.navigate", { url: "/two", frameId: "T.1" });
  assert.deepEqual(agent.got[0].params, { url: "/two", frameId: "T.1" });
  assert.deepEqual(w.told("A"), []);
});

test("reload answers early even if the document goes first; without one the iframe is loaded again", () => {
  const { w, agent } = start();
  w.send("A", 1, "Page.reload");
  agent.say({ icdp: "bye" });
  assert.equal(w.told("A").pop(), "1:{}");
  w.send("A", 2, "Page.reload");
  assert.deepEqual(w.navigations()[0], { do: "navigate", targetId: "T", url: "http://app/one?q#top" });
});

test("from a document of an opaque origin the iframe is led elsewhere, once the agent is ready", () => {
  const w = World.paired();
  const agent = w.hello("doc1", "about:blank", "T", "null")!;
  w.attach("L");
  w.send("L", 1, "Page.navigate", { url: "http://app/two" });
  assert.equal(agent.got.find((m) => m.method === "Page.navigate")!.params.led, true);
  assert.deepEqual(w.navigations(), []);
  agent.answer("Page.navigate");
  assert.deepEqual(w.navigations(), [{ do: "navigate", targetId: "T", url: "http://app/two" }]);
  agent.say({ icdp: "bye" });
  w.hello("doc2", "http://app/two");
  assert.match(w.told("L").at(-1)!, /^1:.*loaderId/);
});

test("an address from an agent does not widen the origins of the Pairing", () => {
  const { w, agent } = start();
  for (const url of ["about:srcdoc", "javascript:1", "http://other.example/", "nothing"]) {
    agent.say({ icdp: "info", title: "", url });
    agent.say({ method: "Page.frameNavigated", params: { frame: { id: "T", url } }, sessionId: "A" });
  }
  agent.say({ icdp: "bye" });
  w.send("A", 1, "Page.reload");
  assert.deepEqual(w.told("A"), [
    "Page.frameNavigated",
    "Runtime.executionContextsCleared",
    `1:Navigation to about:srcdoc is not allowed for this Target${MORE}`,
  ]);
  assert.deepEqual(w.navigations(), []);
});

test("a blank document is made by the Host page", () => {
  const w = World.paired();
  const agent = w.hello("doc1")!;
  w.attach("L");
  w.send("L", 1, "Page.navigate", { url: "about:blank" });
  assert.deepEqual(w.navigations(), [{ do: "navigate", targetId: "T", url: "about:blank" }]);
  assert.deepEqual(
    agent.methods().filter((m) => m === "Page.navigate"),
    [],
  );
  agent.say({ icdp: "bye" });
  w.hello("doc2", "about:blank");
  assert.match(w.told("L").at(-1)!, /^1:.*loaderId/);
});

test("a data: URL is of an opaque origin and gets the agent from the Host page, with nothing that sessions have set", () => {
  const { w, agent } = start();
  const url = "data:text/html,<p>x";
  w.send("A", 1, "Page.navigate", { url });
  assert.deepEqual(agent.got.find((m) => m.method === "Page.navigate")!.params.led, true); // it carries the scripts
  agent.answer("Page.navigate", { result: {} });
  assert.deepEqual(w.posted.at(-1), { do: "navigate", targetId: "T", url });
  agent.say({ icdp: "bye" });
  w.hello("doc2", url);
  assert.match(w.told("A").at(-1)!, /^1:.*loaderId/);
  w.send("A", 2, "Page.navigate", { url: "data:text/plain,x" });
  assert.equal(w.told("A").at(-1), `2:Navigation to data:text/plain,x is not allowed for this Target${MORE}`);
});

test("an origin that has moved is entered where it is now", () => {
  const w = new World();
  w.pair("T", ["http://app"], { "http://localhost:3000": "http://app" });
  const agent = w.hello("doc1")!;
  w.attach("A");
  w.send("A", 1, "Page.navigate", { url: "http://localhost:3000/two?q#f" });
  assert.equal(agent.got.find((m) => m.method === "Page.navigate")!.params.url, "http://app/two?q#f");
});
