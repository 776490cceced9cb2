// The table of roles against the package it was made from.

import { test } from "node:test";
import assert from "node:assert/strict";
import imported from "aria-query/lib/rolesMap";
import { isExpandable, isNamedByContents, isNameless, isRole } from "./ariaroles";

const roles = "default" in imported ? imported.default : imported;

test("the table of roles says what aria-query says", () => {
  assert.ok(roles.entries().length > 130);
  for (const [role, { abstract, nameFrom, props }] of roles.entries()) {
    assert.equal(isRole(role), !abstract, role);
    if (abstract) continue;
    assert.equal(isNameless(role), nameFrom.includes("prohibited"), role);
    assert.equal(isNamedByContents(role), nameFrom.includes("contents"), role);
    assert.equal(isExpandable(role), "aria-expanded" in props, role);
  }
  assert.equal(isRole("Iframe"), false);
});
