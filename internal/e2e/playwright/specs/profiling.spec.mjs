// What scripts ran.

import { expect, pageOf, test } from "../fixtures.mjs";

test("profiling: coverage of scripts", async ({ page, inFrame }) => {
  if (inFrame()) return expect(page.coverage.startJSCoverage()).rejects.toThrow("Profiler.enable is not possible in an embedded frame");
  await page.coverage.startJSCoverage();
  await page.goto(pageOf("<script>var ran = 1</script>"));
  expect((await page.coverage.stopJSCoverage()).length).toBeGreaterThan(0);
});
