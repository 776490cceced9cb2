import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST, Sender } from "./sender";
import type { Session } from "./session";
import { Text } from "./text";

const session = { id: "S", targetId: "T" } as Session;
/** An object of one text, which has this many bytes in all. */
const object = (bytes: number, letter = "x"): Text =>
  new Text(`{"a":"${letter.repeat((bytes - 8) / Buffer.byteLength(letter))}"}`);

function sender(): { to: Sender; sent: string[] } {
  const sent: string[] = [];
  const to = new Sender((text) => void sent.push(text));
  to.accept(["sessions", "payloadLast"]);
  return { to, sent };
}

test("an answer that is too long is an error for its caller", () => {
  const { to, sent } = sender();
  to.answer("S", "T", 7, { result: object(LONGEST + 8) });
  to.answer("S", "T", 8, { result: object(LONGEST + 8, "€") });
  to.answer("S", "T", 9, { result: object(LONGEST - 1000) });
  const [ascii, wide] = sent.splice(0, 2).map((m) => JSON.parse(m));
  assert.deepEqual([ascii.id, ascii.error.code, wide.id], [7, -32000, 8]);
  assert.match(ascii.error.message, /The answer has 160 MiB, and at most 160 MiB are sent/);
  assert.match(wide.error.message, /The answer has 160 MiB/);
  assert.ok(sent[0].startsWith('{"kind":"response","sessionId":"S","id":9,"result":{"a":"xx'));
});

test("the next hub gets neither chunks nor unread text before it has accepted them", () => {
  const { to, sent } = sender();
  to.accept(["sessions", "payloadLast", "chunks"]);
  to.ended(true);
  assert.deepEqual([...to.accepted], ["sessions"]);
  to.answer("S", "T", 7, { result: object(1 << 20) });
  assert.equal(sent.length, 1);
});

test("an event that is too long is named in the log", () => {
  const { to, sent } = sender();
  to.event(session, "Runtime.consoleAPICalled", object(LONGEST + 8));
  const { method, sessionId, params } = JSON.parse(sent[0]);
  assert.deepEqual([method, sessionId, params.entry.level], ["Log.entryAdded", "S", "error"]);
  assert.match(params.entry.text, /^An event Runtime.consoleAPICalled is left out, as it has 160 MiB/);
});
