// What a click takes by Playwright and by Puppeteer, at Chromium itself and through the
// hub. The Go benchmark that runs this sets
//
//	PLACES  {"NAME":"http://127.0.0.1:PORT", …}, the endpoints, each with the page /app.html
//	ROUNDS  how many turns each client has at each place
//
// Prints {"CLIENT":{"NAME":[…]}}: the time of each click, in ms.
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const { PLACES, ROUNDS } = process.env;
const TIMES = 20;

// Puppeteer's click waits for an IntersectionObserver, which a browser runs once in a frame. Clicks one right after the
// other keep in step with the frames: each takes one, or two, whatever its commands take. So they begin at different times
// of a frame, all over it.
const FRAME_MS = 1000 / 60;
const outOfStep = (n) => new Promise((done) => setTimeout(done, (FRAME_MS * ((n * 7) % TIMES)) / TIMES));

const clients = {
  async Playwright(endpoint) {
    const browser = await chromium.connectOverCDP(endpoint);
    const [page] = browser.contexts()[0].pages();
    return { click: () => page.click("#plus"), read: () => page.textContent("#count"), close: () => browser.close() };
  },
  async Puppeteer(endpoint) {
    const browser = await puppeteer.connect({ browserURL: endpoint, defaultViewport: null });
    const [page] = await browser.pages();
    return { click: () => page.click("#plus"), read: () => page.$eval("#count", (e) => e.textContent), close: () => browser.disconnect() };
  },
};

const results = {};
const turns = Object.keys(clients).flatMap((client) => Object.entries(JSON.parse(PLACES)).map(([name, endpoint]) => ({ client, name, endpoint })));
for (let round = 0; round < Number(ROUNDS); round++) {
  for (const { client, name, endpoint } of round % 2 ? turns.toReversed() : turns) {
    const page = await clients[client](endpoint);
    await page.click(); // what is done at the first time alone
    const before = Number(await page.read());
    const times = ((results[client] ??= {})[name] ??= []);
    for (let n = 0; n < TIMES; n++) {
      await outOfStep(n);
      const begun = performance.now();
      await page.click();
      times.push(performance.now() - begun);
    }
    const counted = Number(await page.read()) - before;
    if (counted !== TIMES) throw new Error(`${client} at ${name}: the page has counted ${counted} clicks, not ${TIMES}`);
    await page.close();
  }
}
console.log(JSON.stringify(results));
process.exit();
