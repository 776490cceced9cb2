/// <reference types="node" />
// Files that frames download: parts, turns, and every way in which a download ends.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { PART } from "./downloads";
import { type FakeAgent, type FakeSocket, freshClock, type Loose, tick, World } from "./fakes";

beforeEach(() => {
  freshClock();
});

/** A World whose hub takes downloads, and the agent of its frame. */
function downloading(): { w: World; hub: FakeSocket; agent: FakeAgent } {
  const w = new World();
  w.pair();
  const hub = w.relay(["sessions", "downloads"]);
  const agent = w.hello("doc1")!;
  hub.take();
  return { w, hub, agent };
}

const begin = (agent: FakeAgent, guid: string): void =>
  agent.say({ icdp: "download", guid, frameId: "T", url: "http://app/a", suggestedFilename: "a.txt" });
const read = (agent: FakeAgent, guid: string, bytes?: number): void =>
  agent.near.onmessage?.({
    data: { icdp: "downloaded", guid, ...(bytes !== undefined && { content: new ArrayBuffer(bytes) }) },
  });
const taken = (hub: FakeSocket, guid: string, more = true): void => hub.say({ kind: "downloadTaken", guid, more });
/** What the hub has got: kind, guid, and the size of a part or a file. */
const got = (hub: FakeSocket): string[] =>
  hub
    .take()
    .filter((m) => m.guid)
    .map(({ kind, guid, data, totalBytes }: Loose) =>
      [kind, guid, data ? atob(data).length : totalBytes].join(" ").trim(),
    );

test("a file goes in parts, the next one when the hub has taken the one before", () => {
  const { hub, agent } = downloading();
  begin(agent, "G");
  assert.deepEqual(hub.take(), [
    { kind: "downloadBegins", targetId: "T", frameId: "T", guid: "G", url: "http://app/a", suggestedFilename: "a.txt" },
  ]);
  read(agent, "G", PART + 1);
  assert.deepEqual(got(hub), []);
  taken(hub, "G");
  assert.deepEqual(got(hub), [`downloadPart G ${PART}`]);
  taken(hub, "G");
  assert.deepEqual(got(hub), ["downloadPart G 1"]);
  taken(hub, "G");
  assert.deepEqual(got(hub), [`downloadEnds G ${PART + 1}`]);
});

test("files take turns, and other messages go between their parts", () => {
  const { hub, agent } = downloading();
  for (const guid of ["G", "H"]) {
    begin(agent, guid);
    read(agent, guid, 2 * PART);
    taken(hub, guid);
  }
  hub.say({ kind: "attached", sessionId: "S", targetId: "T" });
  agent.say({ method: "Page.loadEventFired", params: {}, sessionId: "S" });
  assert.ok(hub.got.some((m) => m.method === "Page.loadEventFired"));
  const parts = got(hub);
  for (let i = 0; i < 4; i++) {
    taken(
      hub,
      parts
        .filter((p) => p.startsWith("downloadPart"))
        .at(-1)!
        .split(" ")[1],
    );
    parts.push(...got(hub));
  }
  assert.deepEqual(
    parts.filter((p) => /Part|Ends/.test(p)).map((p) => p.split(" ").slice(0, 2).join(" ")),
    ["downloadPart G", "downloadPart H", "downloadPart G", "downloadPart H", "downloadEnds G", "downloadEnds H"],
  );
});

test("a file that no Client wants, that cannot be read, or that is empty, has no parts", () => {
  const { hub, agent } = downloading();
  for (const guid of ["unwanted", "unread", "empty"]) begin(agent, guid);
  got(hub);
  taken(hub, "unwanted", false);
  read(agent, "unwanted", PART);
  assert.deepEqual(got(hub), [`downloadEnds unwanted ${PART}`]);
  read(agent, "unread");
  assert.deepEqual(got(hub), ["downloadEnds unread"]);
  read(agent, "empty", 0);
  taken(hub, "empty");
  assert.deepEqual(got(hub), ["downloadEnds empty 0"]);
});

test("a hub that wants no more of a file gets its end", () => {
  const { hub, agent } = downloading();
  begin(agent, "G");
  read(agent, "G", 3 * PART);
  taken(hub, "G");
  taken(hub, "G", false);
  assert.deepEqual(got(hub), ["downloadBegins G", `downloadPart G ${PART}`, `downloadEnds G ${3 * PART}`]);
});

test("a navigation cancels what has not been read, and what has been read goes on", () => {
  const { w, hub, agent } = downloading();
  for (const guid of ["G", "H"]) begin(agent, guid);
  read(agent, "G", PART);
  taken(hub, "G");
  got(hub);
  agent.say({ icdp: "bye" });
  assert.deepEqual(got(hub), ["downloadEnds H"]);
  w.hello("doc2");
  taken(hub, "G");
  assert.deepEqual(got(hub), [`downloadEnds G ${PART}`]);
});

test("the end of a Target or of the connection frees its files", () => {
  const { w, hub, agent } = downloading();
  w.pair("U");
  const other = w.hello("doc2", "http://app/", "U")!;
  begin(agent, "G");
  read(agent, "G", 2 * PART);
  taken(hub, "G");
  begin(other, "H");
  read(other, "H", PART);
  taken(hub, "H");
  read(other, "G", 1); // not its own
  got(hub);
  w.core.receive({ do: "unpair", targetId: "T" });
  assert.deepEqual(got(hub), [`downloadPart H ${PART}`]);
  hub.onclose?.({ code: 1006, reason: "" });
  begin(other, "I"); // no hub takes it
  tick(10_000);
  const next = w.sockets.at(-1)!;
  next.onopen?.();
  next.say({ kind: "accepted", features: ["sessions"] });
  begin(other, "J");
  read(other, "J", 1);
  assert.deepEqual(got(next), []);
});

test("a page cannot begin downloads without end, nor with what is no text", () => {
  const { hub, agent } = downloading();
  for (let i = 0; i < 200; i++) begin(agent, `G${i}`);
  begin(agent, "G0");
  assert.equal(got(hub).length, 100);
  agent.say({ icdp: "download", guid: 5, frameId: "T", url: "", suggestedFilename: "" });
  agent.near.onmessage?.({ data: null });
  agent.near.onmessage?.({ data: { icdp: "downloaded", guid: "unknown", content: new ArrayBuffer(1) } });
  assert.deepEqual(got(hub), []);
});
