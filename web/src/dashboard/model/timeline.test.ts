/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../api/wire";
import { MOST, around, beginning, describe, merge, pictureAt, position, thin } from "./timeline";

const entry = (seq: number, more: Partial<Entry> = {}): Entry => ({ seq, at: 1000 * seq, kind: "command", ...more });

test("entries come once, and the oldest go", () => {
  let list = merge([], [entry(1), entry(2)]);
  list = merge(list, [entry(2), entry(3)]);
  assert.deepEqual(
    list.map((e) => e.seq),
    [1, 2, 3],
  );
  assert.equal(merge(list, [entry(3)]), list, "nothing new is the same list");
  const many = merge(
    list,
    Array.from({ length: MOST }, (_, i) => entry(i + 4)),
  );
  assert.equal(many.length, MOST);
  assert.equal(many[0]!.seq, 4);
});

test("the picture at an entry is the last one until then", () => {
  const list = [entry(1), entry(2, { picture: true }), entry(3), entry(4, { picture: true })];
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((i) => pictureAt(list, i)?.seq),
    [undefined, 2, 2, 4, 4],
  );
});

test("a strip over a long time keeps errors, then pictures", () => {
  const list = [
    entry(1),
    entry(2, { picture: true }),
    entry(3, { error: "no" }),
    entry(4, { picture: true }),
    entry(5),
  ];
  assert.deepEqual(
    thin(list, 2).map((e) => e.seq),
    [3, 4],
  );
  assert.equal(thin(list, 5), list);
});

test("the list has the entries around the chosen one", () => {
  const list = Array.from({ length: 25 }, (_, i) => entry(i + 1));
  const seqs = (index: number) => {
    const { from, entries } = around(list, index, 10);
    return [from, entries[0]!.seq, entries[entries.length - 1]!.seq];
  };
  assert.deepEqual(seqs(-1), [15, 16, 25], "now");
  assert.deepEqual(seqs(3), [0, 1, 10]);
  assert.deepEqual(seqs(14), [10, 11, 20]);
  assert.deepEqual(seqs(15), [15, 16, 25], "what is listed already stays where it is");
  assert.deepEqual(around(list.slice(0, 3), 1, 10).entries.length, 3);
});

test("a recording begins with its first picture", () => {
  assert.equal(beginning([entry(1), entry(2, { picture: true }), entry(3, { picture: true })])?.seq, 2);
  assert.equal(beginning([entry(1), entry(2)])?.seq, 1);
  assert.equal(beginning([]), undefined);
  assert.equal(merge([], [entry(1), entry(2), entry(3)], 2).length, 2);
});

test("an entry in words", () => {
  const click = entry(1, {
    client: "playwright #1",
    method: "Input.dispatchMouseEvent",
    text: "clicked at (1, 2)",
    ms: 3.4,
    error: "no such node",
  });
  assert.equal(describe(click), "playwright #1 · clicked at (1, 2) · 3 ms · failed: no such node");
  assert.equal(
    describe(entry(1, { kind: "navigation", text: "https://example.com/" })),
    "the page is at: https://example.com/",
  );
});

test("entries stand by their time", () => {
  const list = [entry(1), entry(2), entry(5)];
  assert.deepEqual(
    list.map((e) => position(list, e)),
    [0, 0.25, 1],
  );
  assert.equal(position([entry(1)], entry(1)), 1);
});
