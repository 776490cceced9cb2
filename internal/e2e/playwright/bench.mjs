// What a user of Playwright pays for the hub: the same actions, and the same bare
// round trips, in turns at Chromium itself (DIRECT) and at one behind a hub (HUB).
// Prints {"actions":{"direct":[ms,…],"hub":[ms,…]},"trips":{…}}: ms of one round of
// 200 actions, and of one round trip.
import { chromium } from "@playwright/test";

const { DIRECT, HUB, APP } = process.env;
const rounds = 7;
const html = `<button onclick="this.dataset.n = (+this.dataset.n || 0) + 1">Add</button><input aria-label="Name">`;

async function open(endpoint) {
  const browser = await chromium.connectOverCDP(endpoint);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${APP}/bare?html=${encodeURIComponent(html)}`);
  return { browser, page, cdp: await context.newCDPSession(page) };
}

async function actions({ page }) {
  const button = page.getByRole("button", { name: "Add" });
  const name = page.getByLabel("Name");
  const before = await button.evaluate((b) => +b.dataset.n || 0);
  const begun = performance.now();
  for (let i = 0; i < 50; i++) {
    await button.click();
    await name.fill(`value ${i}`);
    if ((await page.evaluate(() => document.querySelector("input").value)) !== `value ${i}`) throw new Error("not filled");
    if ((await page.screenshot()).length < 100) throw new Error("no screenshot");
  }
  const took = performance.now() - begun;
  if ((await button.evaluate((b) => +b.dataset.n)) !== before + 50) throw new Error("not clicked 50 times");
  return [took];
}

async function trips({ cdp }) {
  const took = [];
  for (let i = 0; i < 300; i++) {
    const begun = performance.now();
    await cdp.send("Runtime.evaluate", { expression: "1" });
    took.push(performance.now() - begun);
  }
  return took;
}

const sides = { direct: await open(DIRECT), hub: await open(HUB) };
const result = {};
for (const [name, measure] of Object.entries({ actions, trips })) {
  result[name] = { direct: [], hub: [] };
  for (const side of Object.values(sides)) await measure(side); // to warm up
  for (let i = 0; i < rounds; i++) {
    const order = i % 2 ? ["direct", "hub"] : ["hub", "direct"];
    for (const side of order) result[name][side].push(...(await measure(sides[side])));
  }
}
console.log(JSON.stringify(result));
for (const { browser } of Object.values(sides)) await browser.close();
