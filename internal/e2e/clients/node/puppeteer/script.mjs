// Evaluation, handles, bindings, locators, frames.
import assert from "node:assert/strict";
import { app, appPage, text, truth, until } from "../support.mjs";
import { check } from "./connect.mjs";

check("evaluate", "values of every kind", async ({ page }) => {
  const values = [null, 1.5, "words", true, [1, [2]], { a: { b: "c" } }];
  for (const each of values) assert.deepEqual(await page.evaluate((v) => v, each), each);
  assert.equal(await page.evaluate("6 * 7"), 42);
  assert.equal(await page.evaluate(() => undefined), undefined);
  assert.ok(Object.is(await page.evaluate(() => -0), -0));
  assert.ok(Number.isNaN(await page.evaluate(() => NaN)));
  assert.equal(await page.evaluate(() => Infinity), Infinity);
  assert.equal(await page.evaluate(() => 2n ** 70n), 2n ** 70n);
  assert.equal(await page.evaluate((a, b) => a + b, 3n, 4n), 7n);
});

check("evaluate errors", "the page's error, with its stack", async ({ page }) => {
  const failing = page.evaluate(function within() { throw new RangeError("out of reach"); });
  await assert.rejects(failing, (error) => {
    assert.equal(error.name, "RangeError");
    assert.equal(error.message, "out of reach");
    assert.match(error.stack, /within/);
    return true;
  });
  await assert.rejects(page.evaluate("no such syntax"), /SyntaxError|Unexpected identifier/);
  await assert.rejects(page.evaluate(() => window.nothing.at), /Cannot read properties of undefined/);
});

check("evaluate promises", "resolved, rejected, cut off", async ({ page }) => {
  assert.equal(await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50, "later"))), "later");
  await assert.rejects(page.evaluate(async () => { throw new Error("not today"); }), /not today/);
  const hanging = page.evaluate(() => new Promise(() => {}));
  hanging.catch(() => {}); // it may fail before it is waited for
  await page.reload();
  await assert.rejects(hanging, /navigat|context|destroyed|closed/i);
});

check("handles", "objects by reference", async ({ page }) => {
  const book = await page.evaluateHandle(() => ({ leaves: [1, 2, 3], name: "book" }));
  assert.equal(await page.evaluate((b) => b.leaves.length, book), 3);
  const properties = await book.getProperties();
  assert.deepEqual([...properties.keys()], ["leaves", "name"]);
  assert.deepEqual(await (await book.getProperty("leaves")).jsonValue(), [1, 2, 3]);
  const body = (await page.evaluateHandle(() => document.body)).asElement();
  assert.ok(body);
  await book.dispose();
  await assert.rejects(page.evaluate((b) => b.name, book), /disposed/);
});

check("handles", "element handles", async ({ page }) => {
  const rows = await page.$$("#list li");
  assert.deepEqual(await Promise.all(rows.map((row) => row.evaluate((node) => node.textContent))), ["One", "Two", "Three"]);
  assert.deepEqual(await page.$$eval("#list li", (nodes) => nodes.map((node) => node.className)), ["row", "row", "row"]);
  const pad = await (await page.$("#pad")).boundingBox();
  assert.deepEqual(pad, { x: 800, y: 10, width: 300, height: 60 });
  assert.equal(await (await page.$("#secret")).isVisible(), false);
  assert.equal(await (await page.$("#far")).isIntersectingViewport(), false);
  const detached = await page.$("#list li");
  await detached.evaluate((node) => node.remove());
  await assert.rejects(detached.click(), /detached|not an Element|not clickable/);
});

check("expose function", "page.exposeFunction", async ({ page }) => {
  await page.exposeFunction("addUp", (a, b) => a + b);
  await page.exposeFunction("refuse", () => { throw new Error("refused here"); });
  assert.equal(await page.evaluate(() => window.addUp(3, 4)), 7);
  await assert.rejects(page.evaluate(() => window.refuse()), /refused here/);
  await page.reload();
  assert.equal(await page.evaluate(() => window.addUp(20, 22)), 42);
  await page.removeExposedFunction("addUp");
});

check("init script", "evaluateOnNewDocument", async ({ page }) => {
  const { identifier } = await page.evaluateOnNewDocument((word) => {
    window.early = [word, document.getElementById("heading") === null];
  }, "first");
  await page.reload();
  await truth("window.early", ["first", true]);
  await page.removeScriptToEvaluateOnNewDocument(identifier);
  await page.reload();
  await truth("window.early ?? 'none'", "none");
});

check("init script", "addScriptTag and addStyleTag", async ({ page }) => {
  await page.addScriptTag({ content: "window.tagged = 1" });
  await page.addStyleTag({ content: "#plus { border-top-width: 7px; }" });
  await truth("[window.tagged, getComputedStyle(document.getElementById('plus')).borderTopWidth]", [1, "7px"]);
});

check("locators", "by text, role and path", async ({ page }) => {
  await page.locator("::-p-text(Add one)").click();
  await page.locator("::-p-aria([name=\"Add one\"][role=\"button\"])").click();
  await page.locator("::-p-xpath(//button[@id='plus'])").click();
  await truth(text("count"), "3");
});

check("locators", "a locator waits until the element can be clicked", async ({ page }) => {
  await page.evaluate(() => {
    const off = document.getElementById("off");
    setTimeout(() => { off.disabled = false; }, 300);
  });
  await page.locator("#off").click();
  await truth("seen.filter((e) => e[0] === 'click').map((e) => e[1])", ["off"]);
});

check("locators", "through a shadow root", async ({ page }) => {
  await page.evaluate(() => {
    const host = document.createElement("div");
    host.id = "host";
    host.attachShadow({ mode: "open" }).innerHTML = "<button>Within</button>";
    document.body.prepend(host);
    host.shadowRoot.querySelector("button").onclick = () => { window.within = true; };
  });
  await page.click("#host >>> button");
  await truth("window.within", true);
});

check("frames", "a child frame", async ({ page }) => {
  await page.goto(`${app}/frames.html`);
  const child = page.frames().find((frame) => frame.url() === `${app}/child.html`);
  assert.ok(child, page.frames().map((frame) => frame.url()).join());
  assert.equal(child.parentFrame(), page.mainFrame());
  assert.equal(await child.title(), "Inner page");
  await child.type("#word", "deep");
  await child.click("#press");
  await truth(`[${text("press")}, document.getElementById("word").value]`, ["Inner pressed", "deep"], "/child.html");
  await truth(text("press"), "Press", "/frames.html");
});

check("frames", "contentFrame, attached and detached", async ({ page }) => {
  await page.goto(`${app}/frames.html`);
  const element = await page.$("#inner");
  const frame = await element.contentFrame();
  assert.equal(frame.url(), `${app}/child.html`);
  assert.equal(await (await frame.frameElement()).evaluate((node) => node.id), "inner");
  const events = [];
  page.on("frameattached", () => events.push("attached"));
  page.on("framedetached", () => events.push("detached"));
  await page.evaluate(() => document.getElementById("inner").remove());
  await page.evaluate(() => document.body.append(document.createElement("iframe")));
  await until(async () => assert.deepEqual(events, ["detached", "attached"]));
  assert.equal(page.frames().length, 2);
});

check("frames", "frame.goto", async ({ page }) => {
  await page.goto(`${app}/frames.html`);
  const frame = await (await page.$("#inner")).contentFrame();
  await frame.goto(`${app}/two.html`);
  assert.equal(frame.url(), `${app}/two.html`);
  assert.equal(await frame.$eval("h1", (node) => node.textContent), "Second page");
  assert.equal(page.url(), `${app}/frames.html`);
});

check("set content", "page.setContent", async ({ page }) => {
  await page.setContent("<title>New words</title><button id='new' onclick='this.textContent = `Pressed`'>New</button>");
  assert.equal(await page.title(), "New words");
  await page.click("#new");
  assert.equal(await page.$eval("#new", (node) => node.textContent), "Pressed");
  assert.match(await page.content(), /<title>New words<\/title>/);
  assert.equal(page.url(), appPage);
});
