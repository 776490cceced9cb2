// Storage, pictures, the accessibility tree, the CDP session, emulation.
import assert from "node:assert/strict";
import { app, isPNG, noSuchMethod, throughHub, truth } from "../support.mjs";
import { bidi, check } from "./connect.mjs";

check("cookies", "browser.setCookie, cookies, deleteCookie", async ({ browser, page }) => {
  const domain = new URL(app).hostname;
  await browser.setCookie({ name: "taste", value: "sweet", domain, path: "/" });
  await truth("document.cookie.includes('taste=sweet')", true);
  const cookie = (await browser.cookies()).find((each) => each.name === "taste");
  assert.equal(cookie.value, "sweet");
  if (bidi && !throughHub) return; // over BiDi, Puppeteer deletes none at Chromium 156
  await browser.deleteCookie(cookie);
  await page.reload();
  await truth("document.cookie.includes('taste')", false);
});

check("storage", "localStorage and sessionStorage", async ({ page }) => {
  await page.evaluate(() => { localStorage.setItem("kept", "here"); sessionStorage.setItem("kept", "too"); });
  await page.reload();
  assert.deepEqual(await page.evaluate(() => [localStorage.getItem("kept"), sessionStorage.getItem("kept")]), ["here", "too"]);
  await truth("(localStorage.clear(), localStorage.length)", 0);
});

check("screenshot", "page.screenshot", async ({ page }) => {
  const [width, height] = isPNG(await page.screenshot());
  // Over BiDi, Puppeteer leaves a scroll bar out.
  assert.deepEqual([width, height], await page.evaluate((whole) => [whole ? innerWidth : document.documentElement.clientWidth, innerHeight], !bidi));
  const [, whole] = isPNG(await page.screenshot({ fullPage: true }));
  assert.ok(whole > 3500, `${whole} px high`);
  const jpeg = Buffer.from(await page.screenshot({ type: "jpeg", quality: 50 }));
  assert.equal(jpeg.subarray(0, 3).toString("hex"), "ffd8ff");
});

check("element screenshot", "elementHandle.screenshot", async ({ page }) => {
  const picture = await (await page.$("#pad")).screenshot();
  assert.deepEqual(isPNG(picture), [300, 60]);
});

check("profiling", "coverage.startJSCoverage", async ({ page }) => {
  await page.coverage.startJSCoverage();
  await page.evaluate(() => 1);
  assert.ok((await page.coverage.stopJSCoverage()).length >= 0);
}, {
  result: "cannot",
  reason: "Page script cannot measure which code runs.",
  run: async ({ page }) => assert.rejects(page.coverage.startJSCoverage(), /Profiler\./),
});

check("pdf", "page.pdf", async ({ page }) => {
  const pdf = Buffer.from(await page.pdf());
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
}, {
  result: "cannot",
  reason: "Page script can open the print dialog, but not print to a file.",
  run: async ({ page }) => assert.rejects(page.pdf(), /Page\.printToPDF/),
});

check("accessibility", "accessibility.snapshot", async ({ page }) => {
  const tree = await page.accessibility.snapshot();
  assert.equal(tree.role, "RootWebArea");
  assert.equal(tree.name, "Field book");
  const named = (role) => tree.children.filter((node) => node.role === role).map((node) => node.name);
  assert.ok(named("heading").includes("Field book"));
  assert.ok(named("button").includes("Add one"), named("button").join());
  const name = JSON.stringify(tree).match(/\{[^{}]*"name":"Accept the terms"[^{}]*\}/);
  assert.match(name[0], /"role":"checkbox"/);
});

check("accessibility", "snapshot of an element", async ({ page }) => {
  const tree = await page.accessibility.snapshot({ root: await page.$("#plan") });
  assert.equal(tree.role, "combobox");
  assert.equal(tree.name, "Plan");
  assert.equal(tree.value, "Free");
});

check("new CDP session", "page.createCDPSession", async ({ page }) => {
  const session = await page.createCDPSession();
  const { result } = await session.send("Runtime.evaluate", { expression: "document.title", returnByValue: true });
  assert.equal(result.value, "Field book");
  await session.send("Page.enable");
  const loaded = new Promise((resolve) => session.once("Page.loadEventFired", resolve));
  await page.reload();
  assert.ok((await loaded).timestamp > 0);
  await assert.rejects(session.send("Page.noSuchMethod"), bidi ? undefined : noSuchMethod);
  await session.detach();
  await assert.rejects(session.send("Runtime.evaluate", { expression: "1" }), /closed|detached/i);
});

check("DOM nodes", "node ids over a CDP session", async ({ page }) => {
  const session = await page.createCDPSession();
  const { root } = await session.send("DOM.getDocument", { depth: -1 });
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#pad" });
  const { model } = await session.send("DOM.getBoxModel", { nodeId });
  assert.deepEqual([model.width, model.height], [300, 60]);
  const { node } = await session.send("DOM.describeNode", { nodeId });
  assert.deepEqual([node.nodeName, node.attributes], ["DIV", ["id", "pad"]]);
  const { object } = await session.send("DOM.resolveNode", { backendNodeId: node.backendNodeId });
  assert.equal(object.subtype, "node");
  await session.detach();
});

check("viewport", "page.setViewport", async ({ page }) => {
  await page.setViewport({ width: 700, height: 500 });
  await truth("[innerWidth, innerHeight]", [700, 500]);
  assert.deepEqual(page.viewport(), { width: 700, height: 500 });
  await page.setViewport(null);
  await truth("innerWidth !== 700", true);
});

check("emulation", "emulateMediaFeatures", async ({ page }) => {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), true);
  await page.emulateMediaFeatures([]);
  assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), false);
});
