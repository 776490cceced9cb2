// Connecting, pages, contexts, sessions.

import { chromium } from "@playwright/test";
import { app, endpoint, expect, pageOf, privileged, test } from "../fixtures.mjs";

test("connect: the browser has a version and a context", async ({ remote }) => {
  expect(remote.version()).toMatch(/^\d+\./);
  expect(remote.isConnected()).toBe(true);
  expect(remote.contexts()).toHaveLength(1);
});

test("connect: by the WebSocket's address", async () => {
  const { webSocketDebuggerUrl } = await (await fetch(`${endpoint}/json/version`)).json();
  const browser = await chromium.connectOverCDP(webSocketDebuggerUrl);
  expect(browser.contexts()[0].pages()).toHaveLength(1);
  await browser.close();
  expect(browser.isConnected()).toBe(false);
});

test("list pages: url and title", async ({ context, show }) => {
  const page = await show("", { title: "Listed" });
  expect(context.pages()).toEqual([page]);
  expect(page.url()).toBe(pageOf("", { title: "Listed" }));
  await expect(page).toHaveTitle("Listed");
});

test("new page: blank, then somewhere", async ({ context }) => {
  const page = await context.newPage();
  expect(page.url()).toBe("about:blank");
  await page.goto(pageOf("<p>second</p>"));
  await expect(page.locator("p")).toHaveText("second");
  await page.close();
});

test("new page: two pages keep their own documents", async ({ context, page }) => {
  const second = await context.newPage();
  await second.goto(pageOf("<p>two</p>"));
  await page.setContent("<p>one</p>");
  await expect(second.locator("p")).toHaveText("two");
  await expect(page.locator("p")).toHaveText("one");
  expect(context.pages()).toHaveLength(2);
  await second.close();
  expect(context.pages()).toHaveLength(1);
});

test("new page: a loop in a blank one stops no other page", async ({ context, page, inFrame }) => {
  if (inFrame()) return;
  const second = await context.newPage();
  let looping = true;
  const loop = second.evaluate(() => {
    for (const end = Date.now() + 30_000; Date.now() < end; );
  }).catch(() => {}).then(() => (looping = false));
  expect(await page.evaluate("1 + 1")).toBe(2);
  await page.goto(pageOf("<p>another</p>"));
  await expect(page.locator("p")).toHaveText("another");
  expect(looping).toBe(true);
  await second.close();
  await loop;
});

test("new page: in a context of its own", async ({ remote, inFrame }) => {
  if (inFrame()) {
    await expect(remote.newContext()).rejects.toThrow("frames share the storage of the embedding browser");
    return;
  }
  const context = await remote.newContext();
  const page = await context.newPage();
  await page.goto(app);
  await context.close();
});

test("close: the page says so, and is gone", async ({ context, page }) => {
  const second = await context.newPage();
  const closed = second.waitForEvent("close");
  await second.close();
  await closed;
  expect(second.isClosed()).toBe(true);
  expect(context.pages()).toEqual([page]);
});

test("close: what is under way fails", async ({ context, page }) => {
  expect(page.isClosed()).toBe(false);
  const second = await context.newPage();
  const hanging = second.evaluate(() => new Promise(() => {})).catch((e) => e.message);
  await second.close();
  expect(await hanging).toMatch(/closed|destroyed/);
});

test("two clients at once: each sees what the other does", async ({ show }) => {
  const page = await show("<input id=i><button onclick='document.title=i.value'>Set</button>");
  const browser = await chromium.connectOverCDP(endpoint);
  const same = browser.contexts()[0].pages()[0];
  await page.fill("#i", "typed by one");
  await same.click("button");
  await expect(page).toHaveTitle("typed by one");
  await browser.close();
  expect(await page.evaluate(() => 1 + 1)).toBe(2);
});

test("two clients at once: a newcomer leaves handles, routes and running work alone", async ({ show }) => {
  const page = await show("<p>text</p>");
  const handle = await page.$("p");
  const waiting = page.evaluate(() => new Promise((resolve) => { window.go = resolve; }));
  const browser = await chromium.connectOverCDP(endpoint);
  const same = browser.contexts()[0].pages()[0];
  await same.evaluate(() => window.go("done"));
  await browser.close();
  expect(await waiting).toBe("done");
  expect(await handle.textContent()).toBe("text");
});

test("two clients at once: a console message comes once to each", async ({ page }) => {
  const browser = await chromium.connectOverCDP(endpoint);
  const same = browser.contexts()[0].pages()[0];
  const got = [[], []];
  page.on("console", (m) => got[0].push(m.text()));
  same.on("console", (m) => got[1].push(m.text()));
  await page.evaluate(() => console.log("hello"));
  await expect.poll(() => got).toEqual([["hello"], ["hello"]]);
  await browser.close();
});

test("new CDP session: on a page", async ({ context, page }) => {
  const session = await context.newCDPSession(page);
  const { result } = await session.send("Runtime.evaluate", { expression: "6*7" });
  expect(result.value).toBe(42);
  const event = new Promise((resolve) => session.once("Runtime.consoleAPICalled", resolve));
  await session.send("Runtime.enable");
  await page.evaluate(() => console.warn("seen"));
  expect((await event).type).toBe("warning");
  await session.detach();
  await expect(session.send("Runtime.evaluate", { expression: "1" })).rejects.toThrow();
  expect(await page.evaluate(() => 1)).toBe(1);
});

test("new CDP session: on the browser", async ({ remote }) => {
  const session = await remote.newBrowserCDPSession();
  const { targetInfos } = await session.send("Target.getTargets");
  expect(targetInfos.filter((t) => t.type === "page")).toHaveLength(1);
  const { product } = await session.send("Browser.getVersion");
  expect(product).toContain("/");
  await session.detach();
});

test("new CDP session: an unknown method is refused", async ({ context, page }) => {
  const session = await context.newCDPSession(page);
  await expect(session.send("Page.noSuchThing")).rejects.toThrow(privileged ? "wasn't found" : "needs scope privileged");
  await session.detach();
});
