/// <reference types="node" />

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { View, type ViewSocket } from "./view";
import type { PictureMessage, ToView } from "./wire";

class FakeSocket implements ViewSocket {
  binaryType = "";
  readyState = 1;
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly sent: ToView[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  picture(seq: number): void {
    this.say({ kind: "picture", seq, format: "jpeg", width: 800, height: 600 });
    this.onmessage?.({ data: new Blob(["bytes"]) });
  }
}

/** A view whose pictures reach the screen when the test says so. */
function world(answer = 502) {
  const sockets: FakeSocket[] = [];
  const drawn: { message: PictureMessage; done: () => void }[] = [];
  const told: string[] = [];
  const view = new View(
    () => {
      sockets.push(new FakeSocket());
      return sockets[sockets.length - 1]!;
    },
    {
      picture: (message) => new Promise((done) => drawn.push({ message, done })),
      connected: (is) => void told.push(`connected ${is}`),
      gone: (text) => void told.push(`gone ${text}`),
      refused: (text) => void (text && told.push(`refused ${text}`)),
    },
    async () => new Response(answer === 204 ? null : `why ${answer}`, { status: answer }),
  );
  return { view, sockets, drawn, told };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a picture is acknowledged when it is on the screen", async () => {
  const { sockets, drawn } = world();
  sockets[0]!.picture(1);
  assert.deepEqual(sockets[0]!.sent, []);
  drawn[0]!.done();
  await settle();
  assert.deepEqual(sockets[0]!.sent, [{ kind: "ack", seq: 1 }]);
});

test("the newest of the pictures that wait is drawn, and all are acknowledged", async () => {
  const { sockets, drawn } = world();
  for (const seq of [1, 2, 3]) sockets[0]!.picture(seq);
  drawn[0]!.done();
  await settle();
  assert.equal(drawn[1]!.message.seq, 3);
  drawn[1]!.done();
  await settle();
  assert.deepEqual(
    sockets[0]!.sent.map((m) => "seq" in m && m.seq),
    [2, 1, 3],
  );
});

test("it comes back after a loss, with its size, and later where nothing is to be seen", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { view, sockets, told } = world();
  view.room(320, 200, 1);
  sockets[0]!.close();
  mock.timers.tick(10_000);
  assert.equal(sockets.length, 2);
  sockets[1]!.onopen?.();
  assert.deepEqual(sockets[1]!.sent, [{ kind: "size", width: 320, height: 200, fps: 1 }]);
  sockets[1]!.say({ kind: "gone", message: "The target is closed." });
  sockets[1]!.close();
  mock.timers.tick(9_000);
  assert.equal(sockets.length, 2);
  mock.timers.tick(1_000);
  assert.equal(sockets.length, 3);
  view.close();
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 3);
  assert.deepEqual(told, ["connected false", "gone The target is closed.", "connected false"]);
  mock.timers.reset();
});

test("R-328 a view that is refused says why, and one that is lost on the way says so the second time", async () => {
  for (const [answer, first, second] of [
    [403, ["refused why 403"], ["refused why 403"]],
    [404, ["refused why 404"], ["refused why 404"]],
    [204, [], [/WebSockets do not reach it/]],
    [502, [], []],
  ] as const) {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { view, sockets, told } = world(answer);
    for (const [i, want] of [first, second].entries()) {
      sockets[i]!.close();
      await settle();
      const got = told.filter((text) => text.startsWith("refused"));
      assert.equal(got.length, want.length, `${answer}: ${got}`);
      for (const [n, text] of want.entries()) assert.match(got[n]!, new RegExp(text));
      told.length = 0;
      mock.timers.tick(10_000);
    }
    sockets[2]!.onopen?.();
    sockets[2]!.close();
    await settle();
    assert.deepEqual(told, ["connected false"]);
    view.close();
    mock.timers.reset();
  }
});
