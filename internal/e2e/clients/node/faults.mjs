// Clicks by Playwright or by Puppeteer at an endpoint whose network fails. Each click is
// followed by an answer of 100 KB, and each minute has a connection of its own. The Go test
// that runs this sets
//
//	CLIENT    Playwright or Puppeteer
//	ENDPOINT  http://127.0.0.1:PORT, with the page /app.html
//	LONG      ms for which it clicks
//	PATIENCE  ms that anything may take
//
// Prints how often it has clicked.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const { CLIENT, ENDPOINT, LONG, PATIENCE } = process.env;
const timeout = Number(PATIENCE);

const clients = {
  async Playwright() {
    const browser = await chromium.connectOverCDP(ENDPOINT, { timeout });
    const [page] = browser.contexts()[0].pages();
    return { page, close: () => browser.close() };
  },
  async Puppeteer() {
    const browser = await puppeteer.connect({ browserURL: ENDPOINT, defaultViewport: null, protocolTimeout: timeout });
    const [page] = await browser.pages();
    return { page, close: () => browser.disconnect() };
  },
};

let clicks = 0;
for (const end = Date.now() + Number(LONG); Date.now() < end; ) {
  const { page, close } = await clients[CLIENT]();
  page.setDefaultTimeout(timeout);
  for (const pause = Date.now() + 60_000; Date.now() < Math.min(pause, end); ) {
    await page.click("#plus");
    clicks++;
    const text = `${clicks} `.repeat(100_000 / `${clicks} `.length);
    assert.equal(await page.evaluate((t) => t, text), text);
  }
  await close();
}
console.log(clicks);
process.exit();
