// Compares a report of run.mjs with the list of tests that are known to fail: node compare.mjs iframe.json
// With a second argument, the report of a browser, it leaves out what fails there, too.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The outcome of each test that has run, by "FILE › TITLES". One that is expected to fail in Chromium passes nowhere. */
function outcomes(report) {
  const all = new Map();
  const walk = (suite, path) => {
    for (const spec of suite.specs) {
      const [{ expectedStatus, results }] = spec.tests;
      const { status } = results[0] ?? {};
      if (expectedStatus === "passed" && status && status !== "skipped" && status !== "interrupted")
        all.set([...path, spec.title.trim()].join(" › "), spec.ok);
    }
    for (const inner of suite.suites ?? []) walk(inner, [...path, inner.title]);
  };
  for (const file of JSON.parse(readFileSync(report)).suites) walk(file, [file.title]);
  return all;
}

/** The reason of each known failure: failures.txt has the tests below the reason that they share. */
function known() {
  const reasons = new Map();
  let reason = "";
  for (const line of readFileSync(join(import.meta.dirname, "failures.txt"), "utf8").split("\n")) {
    if (line.startsWith("# ")) reason = line.slice(2);
    else if (line) reasons.set(line, reason);
  }
  return reasons;
}

const [report, browser] = process.argv.slice(2);
const reasons = known();
const there = browser ? outcomes(browser) : new Map();
const here = [...outcomes(report)].filter(([test]) => there.get(test) !== false);
const tell = (what, list) =>
  list.length &&
  console.log(
    `${what}:\n${list.map(([test]) => `  ${test}${reasons.has(test) ? ` (${reasons.get(test)})` : ""}`).join("\n")}`,
  );
const worse = here.filter(([test, ok]) => !ok && !reasons.has(test));
tell(
  "better: take them off the list",
  here.filter(([test, ok]) => ok && reasons.has(test)),
);
tell("worse", worse);
const passed = here.filter(([, ok]) => ok).length;
console.log(
  `${passed} of ${here.length} pass (${((100 * passed) / here.length).toFixed(1)} %), ${here.length - passed - worse.length} fail as listed, ${worse.length} do not`,
);
process.exit(worse.length ? 1 : 0);
