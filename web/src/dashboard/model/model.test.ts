/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hub, State, Target } from "../api/wire";
import { type Model, matches, places, reduce, start, totals } from "./model";

const T = 1_000_000_000;

const target = (targetId: string, more: Partial<Target> = {}): Target => ({
  targetId,
  type: "page",
  title: `Page ${targetId}`,
  url: `https://example.com/${targetId}`,
  ...more,
});

const hub = (name: string, targets: Target[] | null): Hub => ({
  hub: name,
  path: name && `/hub/${name}`,
  hostConnected: true,
  hostHangs: false,
  browser: false,
  clients: 1,
  sessions: 2,
  counters: { received: 3, answered: 2, pending: 1, events: 0 },
  targets,
});

const state = (...hubs: Hub[]): State => ({
  version: "1",
  now: T + 5_000,
  you: { name: "", scope: "full", control: true },
  hubs,
  closes: [],
});

const lost = (model: Model) =>
  reduce(model, { kind: "problem", problem: { kind: "lost" }, handoff: false, hadToken: false });
const unauthorized = (model: Model, handoff: boolean, hadToken: boolean) =>
  reduce(model, { kind: "problem", problem: { kind: "login", status: 401, text: "" }, handoff, hadToken });

test("a recording that is served no more says so, and stays", () => {
  const recorded = { ...state(hub("", [target("A")])), replay: { began: T } };
  const m = lost(reduce(start(T, false), { kind: "state", state: recorded, now: T }));
  assert.match(m.problem, /^cdphub replay has ended/);
  assert.equal(m.state, recorded);
});

test("a state makes the page live, and says how far the clocks are apart", () => {
  const m = reduce(start(T, false), { kind: "state", state: state(hub("", [])), now: T });
  assert.equal(m.phase, "live");
  assert.equal(m.ahead, 5_000);
  assert.equal(reduce(m, { kind: "tick", now: T + 2_000 }).rates.end, (T + 7_000) / 1000);
});

test("a hub that is lost leaves what was seen last, and says so", () => {
  const live = reduce(start(T, false), { kind: "state", state: state(hub("", [target("1")])), now: T });
  const gone = lost(live);
  assert.equal(gone.phase, "lost");
  assert.match(gone.problem, /goes on trying/);
  assert.equal(places(gone.state).length, 1);
  const back = reduce(gone, { kind: "state", state: state(hub("", [])), now: T });
  assert.deepEqual([back.phase, back.problem, places(back.state).length], ["live", "", 0]);
});

test("without a good token nothing stays to be seen", () => {
  const live = reduce(start(T, false), { kind: "state", state: state(hub("", [target("1")])), now: T });
  for (const [handoff, hadToken, phase, says] of [
    [false, false, "login", /^$/],
    [false, true, "login", /not valid/],
    [true, true, "ended", /^$/],
  ] as const) {
    const m = unauthorized(live, handoff, hadToken);
    assert.equal(m.phase, phase);
    assert.match(m.problem, says);
    assert.equal(m.state, undefined);
  }
  assert.equal(unauthorized(start(T, false), true, true).phase, "ended"); // as after a restart of the hub, and a reload
  assert.equal(reduce(live, { kind: "leave", now: T }).state, undefined);
});

test("targets of all hubs, also of one that lists none", () => {
  const s = state(hub("", [target("1"), target("2")]), hub("mine", [target("1")]), hub("empty", null));
  assert.deepEqual(
    places(s).map((p) => p.key),
    ["/1", "/2", "mine/1"],
  );
  assert.deepEqual(totals(s), { targets: 3, clients: 3, sessions: 6, pending: 3 });
});

test("a search finds by all of its words", () => {
  const [place] = places(state(hub("mine", [target("1", { title: "Field book", drivers: ["playwright #3"] })])));
  for (const [words, found] of [
    ["", true],
    ["field", true],
    ["BOOK mine", true],
    ["playwright", true],
    ["field other", false],
  ] as const)
    assert.equal(matches(place!, words), found, words);
});
