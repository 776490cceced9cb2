// Files that the app has the browser save.

import { readFile } from "node:fs/promises";
import { app, expect, pathOf, test } from "../fixtures.mjs";

/** What a download brings: its name and its text. */
async function fileOf(page, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return [download.suggestedFilename(), await readFile(await download.path(), "utf8")];
}

test("a link to a file that the server has saved", async ({ page }) => {
  const file = pathOf("contents", {
    path: "/file",
    type: "text/plain",
    h: ["Content-Disposition: attachment; filename=a.txt"],
  });
  await page.goto(app + pathOf(`<a href="${file.replaceAll("&", "&amp;")}">get</a>`));
  expect(await fileOf(page, () => page.getByText("get").click())).toEqual(["a.txt", "contents"]);
});

test("a link with the attribute download", async ({ page }) => {
  await page.goto(app + pathOf(`<a href="/page?body=text" download="b.txt">get</a>`));
  const [name, text] = await fileOf(page, () => page.getByText("get").click());
  expect([name, text.includes("text")]).toEqual(["b.txt", true]);
});

test("a file that script makes", async ({ page }) => {
  const made = await fileOf(page, () =>
    page.evaluate(() => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(["made"]));
      link.download = "c.txt";
      link.click();
      URL.revokeObjectURL(link.href);
    }),
  );
  expect(made).toEqual(["c.txt", "made"]);
});

test("a file in a child frame", async ({ page }) => {
  const file = pathOf("inside", {
    path: "/file",
    type: "text/plain",
    h: ["Content-Disposition: attachment; filename=d.txt"],
  });
  await page.goto(app + pathOf("<iframe name=child></iframe>"));
  const got = await fileOf(page, () =>
    page.evaluate((address) => {
      document.querySelector("iframe").src = address;
    }, file),
  );
  expect(got).toEqual(["d.txt", "inside"]);
});
