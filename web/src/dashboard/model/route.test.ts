/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Route, linkTo, parseRoute } from "./route";

test("a link leads to what it was made from", () => {
  const routes: Route[] = [
    { at: "targets" },
    { at: "connect" },
    { at: "target", hub: "", targetId: "T1" },
    { at: "target", hub: "mine", targetId: "a/b #%?" },
  ];
  for (const route of routes) assert.deepEqual(parseRoute(linkTo(route)), route);
});

test("what is no link leads to the targets", () => {
  for (const hash of ["", "#", "#/", "#/target/", "#/target/%E0%A4%A", "#token=x", "#/hub//target/x"])
    assert.deepEqual(parseRoute(hash), { at: "targets" }, hash);
});
