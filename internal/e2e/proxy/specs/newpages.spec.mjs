// Pages that a client opens, which begin as blank documents of the Host page's making.

import { app, expect, pathOf, test } from "../fixtures.mjs";

test("the first document of a new page is intercepted", async ({ context }) => {
  const page = await context.newPage();
  await page.route("**/*", (route) =>
    route.fulfill({ status: 201, headers: { "x-made": "yes" }, contentType: "text/html", body: "<h1>made</h1>" }),
  );
  const response = await page.goto(app + pathOf("<h1>from the app</h1>"));
  expect([response.status(), response.headers()["x-made"]]).toEqual([201, "yes"]);
  await expect(page.locator("h1")).toHaveText("made");
  await page.close();
});

test("a blank page tells of its errors in full", async ({ context }) => {
  const page = await context.newPage();
  const told = page.waitForEvent("pageerror");
  await page.evaluate(() =>
    setTimeout(() => {
      throw new RangeError("out of reach");
    }),
  );
  const error = await told;
  expect([error.name, error.message]).toEqual(["RangeError", "out of reach"]);
  await page.close();
});
