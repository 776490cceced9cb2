/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { hubName } from "./text";

test("the name of a hub says whose share it is", () => {
  const names: Record<string, string> = {
    "": "Default hub",
    work: "work",
    work_team: "work (team)",
    "_token-0123456789abcdef": "Default hub (token-0123456789abcdef)",
  };
  for (const [name, want] of Object.entries(names)) assert.equal(hubName(name), want);
});
