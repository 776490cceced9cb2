// The checks of Stagehand as far as it needs no language model: its pages and
// locators, on a browser that it reaches by cdpUrl.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stagehand } from "@browserbasehq/stagehand";
import { app, appPage, ask, checks, endpoint, isPNG, privileged, run, scratch, seen, text, truth, until, value } from "../node/support.mjs";

async function connect() {
  const { webSocketDebuggerUrl: cdpUrl } = await (await fetch(`${endpoint}/json/version`)).json();
  const stagehand = new Stagehand({ env: "LOCAL", verbose: 0, disablePino: true, disableAPI: true, localBrowserLaunchOptions: { cdpUrl } });
  await stagehand.init();
  return stagehand;
}

const check = checks(async () => {
  const stagehand = await connect();
  const [page] = stagehand.context.pages();
  await page.goto(appPage);
  return { stagehand, context: stagehand.context, page, close: () => stagehand.close() };
});

check("connect", "init by cdpUrl", async ({ context }) => assert.equal(context.pages().length, 1));

check("list pages", "context.pages, url and title", async ({ page }) => {
  assert.deepEqual([page.url(), await page.title()], [appPage, "Field book"]);
});

check("new page", "context.newPage, then close", async ({ context }) => {
  const page = await context.newPage(`${app}/two.html`);
  await until(async () => assert.equal(await page.title(), "Second page"));
  await page.locator("#here").click();
  await truth(text("here"), "Pressed here", "/two.html");
  await page.close();
});

check("close", "page.close ends the target", async ({ context }) => {
  const page = await context.newPage();
  await page.close();
  await until(async () => assert.equal(context.pages().length, 1));
});

check("two clients at once", "two connections, one page", async ({ page }) => {
  const other = await connect();
  await other.context.pages()[0].locator("#plus").click();
  await truth(text("count"), "1");
  await other.close();
  await page.locator("#plus").click();
  await truth(text("count"), "2");
});

check("new CDP session", "page.sendCDP", async ({ page }) => {
  const { result } = await page.sendCDP("Runtime.evaluate", { expression: "document.title" });
  assert.equal(result.value, "Field book");
});

check("goto", "page.goto", async ({ page }) => {
  const response = await page.goto(`${app}/two.html`);
  assert.equal(response.status(), 200);
  assert.equal(page.url(), `${app}/two.html`);
});

/** What is so of an iframe, which has its next document a little later than a tab. */
const early = (run) => ({ result: "works differently", reason: "Stagehand goes on before the frame has its next document.", run });

check("goto", "through a redirect", async ({ page }) => {
  await page.goto(`${app}/api/redirect`);
  assert.equal(page.url(), `${app}/two.html`);
}, early(async ({ page }) => {
  await page.goto(`${app}/api/redirect`);
  await until(async () => assert.equal(page.url(), `${app}/two.html`));
}));

check("reload", "page.reload", async ({ page }) => {
  await page.evaluate("window.old = true");
  await page.reload();
  await truth("window.old ?? 'gone'", "gone");
});

check("back", "page.goBack", async ({ page }) => {
  await page.goto(`${app}/two.html`);
  await page.goBack();
  assert.equal(await page.title(), "Field book");
}, early(async ({ page }) => {
  await page.goto(`${app}/two.html`);
  await page.goBack();
  await until(async () => assert.equal(await page.title(), "Field book"));
}));

check("forward", "page.goForward", async ({ page }) => {
  await page.goto(`${app}/two.html`);
  await page.goBack();
  // Stagehand may go on before Chromium has swapped the pages, which then refuses: "Not attached to an active page".
  await until(async () => assert.equal(await page.title(), "Field book"));
  await page.goForward();
  assert.equal(await page.title(), "Second page");
}, early(async ({ page }) => {
  await page.goto(`${app}/two.html`);
  await page.goBack();
  await until(async () => assert.equal(await page.title(), "Field book"));
  await page.goForward();
  await until(async () => assert.equal(await page.title(), "Second page"));
}));

check("wait for", "waitForSelector", async ({ page }) => {
  await page.locator("#later").click();
  await page.waitForSelector("#arrived");
  assert.equal(await page.locator("#arrived").textContent(), "Arrived late");
});

check("click", "locator.click, also far down the page", async ({ page }) => {
  await page.locator("#plus").click();
  await truth(seen("plus", "mousedown", "mouseup", "click"), ["mousedown", "mouseup", "click"]);
  await page.locator("#far").click();
  assert.ok(await ask("scrollY") > 1000);
});

check("dblclick", "clickCount 2", async ({ page }) => {
  await page.locator("#twice").click({ clickCount: 2 });
  await truth(text("twice"), "Pressed twice");
});

check("hover", "locator.hover", async ({ page }) => {
  await page.locator("#hover").hover();
  await truth(text("hover"), "Inside");
});

check("drag", "page.dragAndDrop", async ({ page }) => {
  const [from, to] = [await page.locator("#card").centroid(), await page.locator("#bin").centroid()];
  await page.dragAndDrop(from.x, from.y, to.x, to.y, { steps: 5 });
  await truth(text("bin"), "Got the card");
});

check("mouse wheel", "page.scroll", async ({ page }) => {
  await page.scroll(400, 500, 0, 300);
  await truth("scrollY", 300);
});

check("fill", "locator.fill", async ({ page }) => {
  await page.locator("#name").fill("Ada");
  await truth(value("name"), "Ada");
});

check("type", "locator.type", async ({ page }) => {
  await page.locator("#name").type("Ada");
  await truth(value("name"), "Ada");
});

check("press", "Enter submits the form", async ({ page }) => {
  await page.locator("#name").type("Ada");
  await page.keyPress("Enter");
  await truth(text("saved"), "Saved Ada, free, small, terms false");
});

check("keyboard shortcuts", "select all and replace", async ({ page }) => {
  await page.locator("#name").type("Ada");
  await page.keyPress("Control+A");
  await page.type("Bob");
  await truth(value("name"), "Bob");
});

check("check", "checkbox and radio button", async ({ page }) => {
  await page.locator("#terms").click();
  await page.locator("#large").click();
  assert.deepEqual([await page.locator("#terms").isChecked(), await page.locator("#small").isChecked()], [true, false]);
});

check("select", "locator.selectOption", async ({ page }) => {
  await page.locator("#plan").selectOption("pro");
  await truth(value("plan"), "pro");
});

check("upload", "setInputFiles of a path", async ({ page }) => {
  const path = join(scratch, "letter.txt");
  writeFileSync(path, "Dear reader");
  const upload = page.locator("#file").setInputFiles(path);
  if (!privileged) return assert.rejects(upload);
  await upload;
  await truth("document.getElementById('file').files[0].name", "letter.txt");
});

check("evaluate", "values", async ({ page }) => {
  for (const each of [null, 1.5, "words", true, [1, [2]], { a: { b: "c" } }]) assert.deepEqual(await page.evaluate((v) => v, each), each);
});

check("evaluate errors", "the page's error", async ({ page }) => {
  await assert.rejects(page.evaluate(() => { throw new RangeError("out of reach"); }), /StagehandEvalError: Uncaught/);
});

check("evaluate promises", "resolved", async ({ page }) => {
  assert.equal(await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50, "later"))), "later");
});

check("init script", "page.addInitScript", async ({ page }) => {
  await page.addInitScript("window.early = document.getElementById('heading') === null");
  await page.reload();
  await truth("window.early", true);
});

check("console", "page.on console", async ({ page }) => {
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  await page.locator("#speak").click();
  await until(async () => assert.deepEqual(said, ["plain words 7", "careful words", "harsh words"]));
});

check("cookies", "context.addCookies, cookies, clearCookies", async ({ context }) => {
  await context.addCookies([{ name: "taste", value: "sweet", url: app }]);
  await truth("document.cookie.includes('taste=sweet')", true);
  assert.equal((await context.cookies()).find((each) => each.name === "taste").value, "sweet");
  await context.clearCookies({ name: "taste" });
  await truth("document.cookie.includes('taste')", false);
});

check("screenshot", "page.screenshot", async ({ page }) => {
  const [width, height] = isPNG(await page.screenshot());
  assert.ok(width > 1000 && height > 400, `${width} × ${height}`);
});

check("frames", "page.frameLocator", async ({ page }) => {
  await page.goto(`${app}/frames.html`);
  await page.frameLocator("#inner").locator("#press").click();
  await truth(text("press"), "Inner pressed", "/child.html");
});

check("locators", "by CSS, XPath, nth and count", async ({ page }) => {
  await page.locator("xpath=//button[text()='Add one']").click();
  await truth(text("count"), "1");
  const rows = page.locator("#list li");
  assert.deepEqual([await rows.count(), await rows.nth(1).textContent()], [3, "Two"]);
});

check("accessibility", "page.snapshot", async ({ page }) => {
  const { formattedTree } = await page.snapshot();
  assert.match(formattedTree, /button: Add one/);
});

check("viewport", "page.setViewportSize", async ({ page }) => {
  await page.setViewportSize(700, 500);
  await truth("[innerWidth, innerHeight]", [700, 500]);
  await page.sendCDP("Emulation.clearDeviceMetricsOverride", {});
});

run("stagehand");
