import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK, NONE, Outbox, type Place, WINDOW } from "./outbox";
import { World } from "./fakes";

const S1: Place = { targetId: "T", sessions: ["S1"] };
const S2: Place = { targetId: "T", sessions: ["S2"] };
const ALL: Place = { targetId: "T" };
const INFO: Place = { targetId: "T", sessions: [NONE] };

/** An outbox whose relay takes chunks when `take` is called, and what it has sent: chunks as "n of the message". */
function outbox(): { box: Outbox; sent: string[]; pieces: string[]; take(): void } {
  const sent: string[] = [];
  const pieces: string[] = [];
  const box = new Outbox((text) => {
    if (!text.startsWith('{"kind":"chunk"')) return void sent.push(text);
    const [head, ...rest] = text.split("\n");
    pieces.push(rest.join("\n"));
    sent.push(JSON.parse(head).last ? "last" : "chunk");
  });
  box.chunked = true;
  return { box, sent, pieces, take: () => box.taken() };
}

const chunks = (n: number): string[] => Array<string>(n).fill("chunk");
const large = (n: number): string => "x".repeat(n * CHUNK);

test("a large message goes in chunks, of which few are under way", () => {
  const { box, sent, pieces, take } = outbox();
  const text = Array.from({ length: 20 }, (_, i) => String(i).padEnd(CHUNK, ".")).join("");
  box.send(text, S1);
  assert.deepEqual(sent, chunks(WINDOW));
  take();
  assert.equal(sent.length, WINDOW + 1);
  for (let i = 0; i < 30; i++) take();
  assert.deepEqual(sent, [...chunks(19), "last"]);
  assert.equal(pieces.join(""), text);
});

test("no chunk ends within a character", () => {
  const { box, pieces, take } = outbox();
  const text = `x${"\u{1F600}".repeat(3 * CHUNK)}`;
  box.send(text, S1);
  for (let i = 0; i < 30; i++) take();
  assert.equal(pieces.join(""), text);
  for (const p of pieces) assert.equal(new TextDecoder().decode(new TextEncoder().encode(p)), p);
});

test("messages of other sessions pass a large one, and those of its own session and of its Target do not", () => {
  const { box, sent, take } = outbox();
  box.send(large(10), S1);
  sent.length = 0;
  box.send("a1", S1);
  box.send("a2", S2);
  box.send("destroyed", ALL);
  box.send("b2", S2); // behind the Target's message
  box.send("other", { targetId: "U", sessions: ["S1"] });
  box.send("alive", {});
  assert.deepEqual(sent.splice(0), ["a2", "other", "alive"]);
  assert.ok(box.holds(S1) && box.holds(S2) && box.holds(ALL) && !box.holds({ targetId: "U" }));
  for (let i = 0; i < 10; i++) take();
  assert.deepEqual(sent.splice(0), ["chunk", "last", "a1", "destroyed", "b2"]);
  assert.ok(!box.holds(S1));
});

test("large messages go one after the other, and each holds its own session", () => {
  const { box, sent, take } = outbox();
  box.send(large(9), S1);
  box.send(large(5), S2);
  box.send("a1", S1);
  box.send("a2", S2);
  take();
  assert.deepEqual(sent.splice(0), [...chunks(8), "last", "a1"]);
  for (let i = 0; i < 20; i++) take();
  assert.deepEqual(sent.splice(0), [...chunks(4), "last", "a2"]);
});

test("what was under way is forgotten with its connection", () => {
  const { box, sent } = outbox();
  box.send(large(20), S1);
  box.send("a1", S1);
  box.clear();
  sent.length = 0;
  box.send(large(20), S1); // the next relay has accepted nothing yet
  box.send("b1", S1);
  assert.deepEqual(
    sent.map((t) => t.length),
    [20 * CHUNK, 2],
  );
  sent.length = 0;
  box.chunked = true; // the one after it has: all goes as at first
  box.send(large(20), S1);
  assert.deepEqual(sent, chunks(WINDOW));
});

/** A Host with two sessions of a relay that has accepted these features, and what it sends: chunks as "chunk". */
function relayed(features: string[]): {
  world: World;
  sent: string[];
  agent: (m: object) => void;
  say: (m: object) => void;
} {
  const world = World.paired();
  const relay = world.relay(features);
  const agent = world.hello("doc1")!;
  const sent: string[] = [];
  relay.send = (m) => void sent.push(m.startsWith('{"kind":"chunk"') ? "chunk" : m.slice(0, 100));
  for (const sessionId of ["S1", "S2"]) relay.say({ kind: "attached", sessionId, targetId: "T" });
  relay.say({ kind: "command", sessionId: "S1", targetId: "T", id: 7, method: "Page.x" });
  return { world, sent, agent: (m) => agent.postMessage(JSON.stringify(m)), say: (m) => relay.say(m) };
}

const features = ["sessions", "sessionIds", "payloadLast", "chunks", "resume"];
const answer = { id: 1, sessionId: "S1", result: { data: large(9) } };
const event = (sessions: string): string => `{"kind":"event","targetId":"T",${sessions},"method":"Page.y","params":{}}`;

test("an event for two sessions goes at once to the one for which nothing waits", () => {
  const { sent, agent, say } = relayed(features);
  agent(answer);
  agent({ method: "Page.y", sessionIds: ["S1", "S2"], params: {} });
  assert.deepEqual(sent.splice(0), [...chunks(WINDOW), event('"sessionIds":["S2"]')]);
  for (let i = 0; i < WINDOW; i++) say({ kind: "chunkTaken" });
  assert.deepEqual(sent.splice(0), [...chunks(2), event('"sessionIds":["S1"]')]);
  agent({ method: "Page.y", sessionIds: ["S1", "S2"], params: {} });
  assert.deepEqual(sent, [event('"sessionIds":["S1","S2"]')]);
});

test("a relay that has not accepted chunks gets large messages whole", () => {
  const { sent, agent } = relayed(features.filter((f) => f !== "chunks"));
  agent(answer);
  assert.deepEqual(
    sent.map((m) => m.slice(0, 40)),
    ['{"kind":"response","sessionId":"S1","id"'],
  );
});

test("a Target that is offered again follows the end of the one before", () => {
  const { world, sent, agent, say } = relayed(features);
  agent(answer);
  world.core.receive({ do: "unpair", targetId: "T" });
  world.pair();
  assert.deepEqual(sent.splice(0), chunks(WINDOW));
  for (let i = 0; i < WINDOW; i++) say({ kind: "chunkTaken" });
  assert.deepEqual(
    sent.map((m) => (m === "chunk" ? m : JSON.parse(m).kind)),
    ["chunk", "chunk", "targetDestroyed", "targetCreated"],
  );
});

test("what a Target is called passes a large message of it, but not the Target itself", () => {
  const { box, sent, take } = outbox();
  box.send(large(10), S1);
  sent.length = 0;
  box.send("changed", INFO);
  box.send("destroyed", ALL);
  box.send("created", ALL);
  box.send("changed again", INFO);
  assert.deepEqual(sent.splice(0), ["changed"]);
  for (let i = 0; i < 10; i++) take();
  assert.deepEqual(sent, ["chunk", "last", "destroyed", "created", "changed again"]);
});
