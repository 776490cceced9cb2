/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hub } from "../api/wire";
import { SECONDS, advance, count, current, noRates } from "./rates";

const T = 1_000_000_000; // a whole second

function hub(name: string, received: number, events = 0): Hub {
  return {
    hub: name,
    path: "",
    hostConnected: true,
    hostHangs: false,
    browser: false,
    clients: 0,
    sessions: 0,
    counters: { received, answered: 0, pending: 0, events },
    targets: [],
  };
}

const sum = (list: number[]) => Math.round(list.reduce((a, b) => a + b, 0) * 1000) / 1000;

test("what was counted before the page was opened is no rate", () => {
  const r = count(noRates(T), T, [hub("", 5_000)]);
  assert.equal(sum(r.commands), 0);
});

test("a steady stream has a steady rate, wherever in a second its states come", () => {
  let r = count(noRates(T), T, [hub("", 0)]);
  for (let ms = 370, n = 0; ms < 20_000; ms += 370) r = count(r, T + ms, [hub("", ++n * 37, n * 74)]);
  assert.deepEqual(r.commands.slice(-10, -1).map(Math.round), new Array(9).fill(100));
  assert.equal(Math.round(current(r.commands)), 100);
  assert.equal(Math.round(current(r.events)), 200);
});

test("a burst after a silence is one of the last second", () => {
  let r = count(noRates(T), T, [hub("", 0)]);
  r = count(r, T + 60_000, [hub("", 30)]);
  assert.equal(sum(r.commands.slice(-2)), 30);
  assert.equal(sum(r.commands), 30);
});

test("hubs that are new, made again or gone", () => {
  let r = count(noRates(T), T, [hub("a", 100), hub("b", 50)]);
  r = count(r, T + 1000, [hub("a", 10), hub("c", 7)]); // a was made again, b is gone, c is new
  assert.equal(sum(r.commands), 17);
});

test("time goes on without states, and what is old is forgotten", () => {
  let r = count(noRates(T), T, [hub("", 0)]);
  r = count(r, T + 1000, [hub("", 9)]);
  r = advance(r, T + 5000);
  assert.equal(r.commands.length, SECONDS);
  assert.equal(sum(r.commands), 9);
  assert.equal(current(r.commands), 0);
  r = advance(r, T + 3_600_000);
  assert.equal(sum(r.commands), 0);
  assert.equal(r.commands.length, SECONDS);
});

test("a clock that goes back does no harm", () => {
  let r = count(noRates(T), T, [hub("", 0)]);
  r = count(r, T - 60_000, [hub("", 4)]);
  assert.equal(r.end, T / 1000);
  assert.equal(r.commands.length, SECONDS);
});
