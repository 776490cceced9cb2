// Connecting, targets, navigation.
import assert from "node:assert/strict";
import { app, appPage, endpoint, text, truth, until } from "../support.mjs";
import { bidi, check, connect } from "./connect.mjs";

check("connect", "connect by browserURL", async ({ browser }) => {
  assert.equal(browser.connected, true);
  assert.match(await browser.version(), /^\S+\/\d+/);
  assert.match(await browser.userAgent(), /Mozilla/);
});

check("connect", "connect by browserWSEndpoint", async ({ browser }) => {
  const second = await connect({ browserURL: undefined, browserWSEndpoint: browser.wsEndpoint() });
  assert.equal((await second.pages()).length, 1);
  await second.disconnect();
  assert.equal(second.connected, false);
});

check("list pages", "browser.pages and targets", async ({ browser, page }) => {
  const pages = await browser.pages();
  assert.equal(pages.length, 1);
  assert.equal(pages[0].url(), appPage);
  assert.equal(await pages[0].title(), "Field book");
  const target = page.target();
  assert.equal(target.type(), "page");
  assert.ok(browser.targets().includes(target));
  const list = await (await fetch(`${endpoint}/json/list`)).json();
  assert.deepEqual(list.filter((each) => each.type === "page").map((each) => each.url), [appPage]);
});

check("new page", "browser.newPage, then close", async ({ browser }) => {
  const created = new Promise((resolve) => browser.once("targetcreated", resolve));
  const page = await browser.newPage();
  assert.equal((await created).type(), "page");
  await page.goto(`${app}/two.html`);
  assert.equal(await page.title(), "Second page");
  await page.click("#here");
  await truth(text("here"), "Pressed here", "/two.html");
  assert.equal((await browser.pages()).length, 2);
  await page.close();
});

check("close", "page.close ends the target", async ({ browser }) => {
  const page = await browser.newPage();
  const destroyed = new Promise((resolve) => browser.once("targetdestroyed", resolve));
  await page.close();
  assert.equal(page.isClosed(), true);
  await destroyed;
  await until(async () => assert.equal((await browser.pages()).length, 1));
});

check("two clients at once", "two connections, one page", async ({ page }) => {
  const other = await connect();
  const [same] = await other.pages();
  const heard = [[], []];
  page.on("console", (message) => heard[0].push(message.text()));
  same.on("console", (message) => heard[1].push(message.text()));
  await same.click("#plus");
  await page.evaluate(() => console.log("to both"));
  assert.equal(await page.$eval("#count", (count) => count.textContent), "1");
  await until(async () => assert.deepEqual(heard, [["to both"], ["to both"]]));
  await other.disconnect();
  await page.click("#plus");
  await truth(text("count"), "2");
});

check("goto", "page.goto", async ({ page }) => {
  const response = await page.goto(`${app}/two.html`);
  assert.equal(response.status(), 200);
  assert.equal(page.url(), `${app}/two.html`);
  assert.equal(await page.title(), "Second page");
});

check("goto", "page.goto with each waitUntil", async ({ page }) => {
  for (const waitUntil of ["load", "domcontentloaded", "networkidle0", "networkidle2"]) {
    await page.goto(appPage, { waitUntil });
    assert.equal(await page.title(), "Field book", waitUntil);
  }
});

check("goto", "page.goto to a fragment", async ({ page }) => {
  await page.evaluate(() => { window.same = true; });
  await page.goto(`${appPage}#far`);
  assert.equal(await page.evaluate(() => window.same), true);
  assert.equal(page.url(), `${appPage}#far`);
});

check("goto", "page.goto through a redirect", async ({ page }) => {
  await page.goto(`${app}/api/redirect`);
  assert.equal(page.url(), `${app}/two.html`);
  await truth("document.title", "Second page", "/two.html");
});

check("reload", "page.reload", async ({ page }) => {
  await page.evaluate(() => { window.old = true; });
  await page.reload();
  assert.equal(await page.evaluate(() => window.old ?? "gone"), "gone");
  await truth("window.old ?? 'gone'", "gone");
});

check("back", "page.goBack", async ({ page }) => {
  await page.goto(`${app}/two.html`);
  await page.goBack();
  assert.equal(page.url(), appPage);
  assert.equal(await page.title(), "Field book");
});

check("forward", "page.goForward", async ({ page }) => {
  await page.goto(`${app}/two.html`);
  await page.goBack();
  await page.goForward();
  assert.equal(page.url(), `${app}/two.html`);
  assert.equal(await page.title(), "Second page");
});

check("navigation events", "framenavigated, also within the document", async ({ page }) => {
  const told = [];
  page.on("framenavigated", (frame) => told.push(frame.url()));
  await page.goto(`${app}/two.html`);
  await page.evaluate(() => history.pushState({}, "", "/two.html?x"));
  await until(async () => assert.equal(page.url(), `${app}/two.html?x`));
  // Over BiDi, Puppeteer tells of documents alone.
  await until(async () => assert.deepEqual(told, [`${app}/two.html`, ...(bidi ? [] : [`${app}/two.html?x`])]));
});

check("wait for", "waitForNavigation on a link", async ({ page }) => {
  await Promise.all([page.waitForNavigation(), page.click("#two")]);
  assert.equal(await page.title(), "Second page");
});

check("wait for", "waitForNavigation on pushState", async ({ page }) => {
  await Promise.all([page.waitForNavigation(), page.click("#push")]);
  assert.equal(page.url(), `${appPage}?leaf=2`);
});

check("wait for", "waitForSelector, visible and hidden", async ({ page }) => {
  await page.click("#later");
  const arrived = await page.waitForSelector("#arrived", { visible: true });
  assert.equal(await arrived.evaluate((node) => node.textContent), "Arrived late");
  await page.waitForSelector("#secret", { hidden: true });
});

check("wait for", "waitForFunction, polling each way", async ({ page }) => {
  for (const polling of ["raf", "mutation", 50]) {
    await page.evaluate(() => { window.arrived = false; });
    await page.click("#later");
    await page.waitForFunction(() => window.arrived, { polling });
  }
  await assert.rejects(page.waitForFunction(() => false, { timeout: 300 }), /300ms exceeded/);
});

check("wait for", "waitForRequest and waitForResponse", async ({ page }) => {
  const [request, response] = await Promise.all([
    page.waitForRequest((each) => each.url().endsWith("/api/echo")),
    page.waitForResponse((each) => each.url().endsWith("/api/echo")),
    page.evaluate(() => { fetch("/api/echo"); }),
  ]);
  assert.equal(request.method(), "GET");
  assert.equal(response.status(), 200);
});
