/// <reference types="node" />

import assert from "node:assert/strict";
import { test } from "node:test";
import { closeWords } from "./words";

test("every code of a closed connection has words", () => {
  for (let code = 0; code <= 0xffff; code++) assert.match(closeWords(code, ""), /^[A-Za-z][A-Za-z ,:]+$/, `${code}`);
  assert.equal(closeWords(4302, "token revoked"), "token revoked");
});
