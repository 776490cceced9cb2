// Cutting a program before its last statement.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cuts, declares, mayBeExpression } from "./statements";

/** The value of a program run as a script element runs it: by the first cut that compiles. */
function complete(source: string): unknown {
  for (const [before, last] of cuts(source)) {
    let run: () => unknown;
    try {
      run = new Function(`${before}\nreturn (${last}\n)`) as () => unknown;
    } catch {
      continue;
    }
    return run();
  }
  return undefined;
}

const values: [source: string, value: unknown][] = [
  ["const a = 1; a + 1", 2],
  ["const a = [1, 2];\na.map((x) => {\n  return x * 2;\n}).join()", "2,4"],
  ["let s = 'a;b\\';';\ns.length // the end; of it", 5],
  ["let s = `x;\n${[1, 2].map((n) => { return `${n};`; }).join('')}`\ns\n  .length", 7],
  ["const a = 1, b = 2\nconst c = a\n+ b\nc", 3],
  ["const a = 8\nconst c = 2\na\n/ c", 4],
  ["const re = /[/;]\\/;/g;\n're;'.replace(/;/, '')", "re"],
  ["function f() { return 7 }\nf()", 7],
  ["if (true) { globalThis.x = 1 }\n[1, 2].length", 2],
  ["/* one; */ var a = 3; /* two; */ a;\n", 3],
  ["const o = { a: 1,\n b: 2 };\n({ ...o }).b", 2],
  ["5; // five", 5],
  ["const f = (x) => x\nf\n(5)", 5], // a line that begins with a bracket goes on with the one before
  ["for (const a of [1]) {\n  a;\n}\n(() => 4)()", 4],
];

for (const [source, value] of values) {
  test(`value of ${JSON.stringify(source)}`, () => assert.equal(complete(source), value));
}

test("what may be an expression", () => {
  for (const text of ["1", " document.title;", "(() => {})()", "async () => 1", "// c\nx"])
    assert.ok(mayBeExpression(text), text);
  for (const text of ["", "{}", "function f() {}", "class A {}", "const a = 1", "if (a) b", "async function f() {}"]) {
    assert.ok(!mayBeExpression(text), text);
  }
});

test("what declares", () => {
  for (const text of ["const a = 1", "let a", "f(); class A {}\na", "// c\nconst a = { b: 1 };\na.b"])
    assert.ok(declares(text), text);
  for (const text of [
    "1",
    "(() => { const a = 1 })()",
    "if (a) { let b = 1 }",
    "var a = 1",
    "const a = 1; if (a) { 5 }",
    "const a = 1\ntry { a }\ncatch { 2 }",
    "'let a'",
    "f(`\nlet a\n`)",
  ])
    assert.ok(!declares(text), text);
});
