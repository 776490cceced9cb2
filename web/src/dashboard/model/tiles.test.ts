/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { tileWidth } from "./tiles";

test("tiles are as large as fit, and never smaller than can be seen", () => {
  for (const [name, area, hubs, from, to] of [
    ["one alone fills a wide page", { width: 916, height: 640 }, [1], 750, 916],
    ["one alone on a phone", { width: 376, height: 500 }, [1], 376, 376],
    ["three on 1280 px", { width: 916, height: 640 }, [3], 300, 460],
    ["three in three hubs", { width: 916, height: 900 }, [1, 1, 1], 210, 460],
    ["two hundred", { width: 916, height: 640 }, [200], 219, 220],
    ["three on a phone", { width: 376, height: 500 }, [3], 376, 376],
    ["none", { width: 916, height: 640 }, [0], 210, 916],
    ["less than the least", { width: 150, height: 640 }, [3], 150, 150],
  ] as const) {
    const width = tileWidth(area, [...hubs]);
    assert.ok(width >= from && width <= to, `${name}: ${width}`);
  }
});
