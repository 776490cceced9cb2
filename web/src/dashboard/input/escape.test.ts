/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { EscapeTwice } from "./escape";

test("only two in a row, soon, are the way out", () => {
  const e = new EscapeTwice();
  assert.equal(e.pressed("Escape", false, 0), false);
  assert.equal(e.pressed("Escape", false, 700), false, "too late");
  assert.equal(e.pressed("a", false, 750), false);
  assert.equal(e.pressed("Escape", false, 800), false, "another key between");
  assert.equal(e.pressed("Escape", true, 900), false, "held down");
  assert.equal(e.pressed("Escape", false, 1000), true);
  assert.equal(e.pressed("Escape", false, 1100), false, "the third begins again");
});
