/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventParser, type ServerEvent } from "./sse";

const stream = ': hello\r\n\r\nevent: state\r\ndata: {"a":\r\ndata: 1}\r\n\r\n\ndata:x\n\nevent: empty\n\n';
const want: ServerEvent[] = [
  { event: "state", data: '{"a":\n1}' },
  { event: "message", data: "x" },
];

test("events are the same however the stream is cut", () => {
  for (let size = 1; size <= stream.length; size++) {
    const got: ServerEvent[] = [];
    const parser = new EventParser((e) => got.push(e));
    for (let i = 0; i < stream.length; i += size) parser.push(stream.slice(i, i + size));
    assert.deepEqual(got, want, `in pieces of ${size}`);
  }
});

test("an event whose end has not arrived is not delivered", () => {
  const got: ServerEvent[] = [];
  new EventParser((e) => got.push(e)).push("data: half\n");
  assert.deepEqual(got, []);
});
