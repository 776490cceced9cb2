/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, toViewport } from "./geometry";

const element = { left: 100, top: 50, width: 800, height: 400 };

test("a picture lies in the middle of its element, as large as it can", () => {
  assert.deepEqual(fit(element, { width: 1600, height: 800 }), element);
  assert.deepEqual(fit(element, { width: 400, height: 400 }), { left: 300, top: 50, width: 400, height: 400 });
  assert.deepEqual(fit(element, { width: 1600, height: 400 }), { left: 100, top: 150, width: 800, height: 200 });
});

test("points of the screen are points of the viewport", () => {
  const viewport = { width: 1600, height: 400 }; // at half its size, 100 px below the top
  for (const [x, y, want] of [
    [100, 150, { x: 0, y: 0 }],
    [500, 250, { x: 800, y: 200 }],
    [899.5, 349.5, { x: 1599, y: 399 }],
    [500, 149, undefined],
    [500, 350, undefined],
  ] as const)
    assert.deepEqual(toViewport(x, y, element, viewport), want, `${x}, ${y}`);
  assert.deepEqual(toViewport(0, 1000, element, viewport, true), { x: 0, y: 399 });
});

test("there is no point in an element or a picture without a size", () => {
  assert.equal(toViewport(1, 1, { left: 0, top: 0, width: 0, height: 0 }, { width: 10, height: 10 }), undefined);
  assert.equal(toViewport(1, 1, element, { width: 0, height: 0 }, true), undefined);
});
