// Frames of the app, and the ways to it.

import { app, expect, other, pathOf, test, upstream } from "../fixtures.mjs";

test("a child frame of the app at the other name of this machine has an agent", async ({ page }) => {
  await page.goto(app + pathOf(`<iframe src="${other}/page?body=<h1>inside</h1>"></iframe>`));
  await expect(page.frameLocator("iframe").locator("h1")).toHaveText("inside");
});

test("a link to the app's own address leads to the proxy", async ({ page }) => {
  await page.goto(app + pathOf(`<a href="${upstream}/page?body=there">go</a>`));
  await page.getByText("go").click();
  await page.waitForURL(`${app}/page?body=there`);
  await expect(page.locator("body")).toHaveText("there");
});

test("a form that is posted to the app's own address leads to the proxy", async ({ page }) => {
  await page.goto(
    app +
      pathOf(
        `<form method=post action="${upstream}/echo"><input name=a value="1 &"><button name=b value=2>send</button></form>`,
      ),
  );
  await page.getByText("send").click();
  await page.waitForURL(`${app}/echo`);
  expect(JSON.parse(await page.locator("pre").textContent())).toMatchObject({ method: "POST", body: "a=1+%26&b=2" });
});

test("a form that script submits to the app's own address leads to the proxy", async ({ page }) => {
  await page.goto(app + pathOf(`<form method=post action="${upstream}/echo"><input name=a value=1></form>`));
  await page.evaluate(() => document.forms[0].submit());
  await page.waitForURL(`${app}/echo`);
  expect(JSON.parse(await page.locator("pre").textContent())).toMatchObject({ method: "POST", body: "a=1" });
});

test("script that asks the app at its own address asks the proxy", async ({ page }) => {
  const answers = await page.evaluate(async (address) => {
    const byFetch = await (await fetch(`${address}/page?body=one`)).text();
    const byXhr = await new Promise((resolve) => {
      const x = new XMLHttpRequest();
      x.onload = () => resolve(x.responseText);
      x.onerror = () => resolve("error");
      x.open("GET", `${address}/page?body=two`);
      x.send();
    });
    return [byFetch, byXhr];
  }, upstream);
  expect(answers).toEqual(["one", "two"].map((text) => expect.stringContaining(text)));
});

test("a popup of the app's own address is one of the proxy", async ({ page, context }) => {
  const opened = context.waitForEvent("page");
  await page.evaluate((address) => void window.open(`${address}/page?body=popup`), upstream);
  const popup = await opened;
  await expect(popup.locator("body")).toHaveText("popup");
  expect(popup.url()).toBe(`${app}/page?body=popup`);
});
