// How long a click in the live view of the dashboard takes to reach the page: alone, and
// right after 300 moves of the mouse, in turns.
//
//   WITH=chromium PROGRAM=FILE HUB=URL node clicks.mjs
//
// opens the dashboard in the browser WITH, whose program is PROGRAM. HUB has a Chromium,
// in which the clicked page is. Prints {"alone":[ms,…],"after":[ms,…]}.
import { chromium, firefox } from "@playwright/test";

const { WITH, PROGRAM, HUB } = process.env;
const MOVES = 300;
const PAIRS = 7;

const launch = {
  chromium: () => chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] }),
  firefox: () => firefox.launch({ channel: "moz-firefox", executablePath: PROGRAM }),
};

// A page that does something for each move, as pages do that follow the pointer.
const followed = `data:text/html,<!doctype html><title>Followed</title><body><script>
  globalThis.clicks = [];
  globalThis.moves = 0;
  addEventListener("mousemove", () => { moves++; const until = performance.now() + 4; while (performance.now() < until); });
  addEventListener("click", () => clicks.push(Date.now())) </script>`;

const driver = await chromium.connectOverCDP(HUB);
const target = await driver.contexts()[0].newPage();
await target.goto(followed);
const browser = await launch[WITH]();
const page = await browser.newPage();
await page.goto(HUB);
await page.getByRole("link", { name: "Followed", exact: true }).click();
await page.getByRole("button", { name: "Take over" }).click();
await page.getByText("You have the page. Escape twice hands it back.").waitFor();
const picture = page.getByRole("img", { name: "Live picture of Followed" });
await picture.waitFor();
const box = await picture.boundingBox();
const from = [box.x + box.width * 0.2, box.y + box.height * 0.3];
const to = [box.x + box.width * 0.7, box.y + box.height * 0.7];

/** Clicks after so many moves, and says how many ms later the page got it. */
async function click(moves) {
  await page.mouse.move(...from);
  await page.mouse.move(...to);
  const known = await target.evaluate(() => [clicks.length, moves]);
  if (moves) {
    await page.mouse.move(...from);
    await page.mouse.move(...to, { steps: moves });
  }
  const begun = Date.now();
  await page.mouse.down();
  await page.mouse.up();
  const at = await target.waitForFunction((n) => clicks[n], known[0]).then((h) => h.jsonValue());
  if (moves && (await target.evaluate(() => globalThis.moves)) === known[1])
    throw new Error("no move reached the page");
  return at - begun;
}

const took = { alone: [], after: [] };
await click(0); // to warm up
for (let i = 0; i < PAIRS; i++) {
  for (const side of i % 2 ? ["alone", "after"] : ["after", "alone"])
    took[side].push(await click(side === "after" ? MOVES : 0));
}
console.log(JSON.stringify(took));
await page.getByRole("button", { name: "Hand back" }).click(); // else nobody may close the page
await page.getByRole("button", { name: "Take over" }).waitFor();
await browser.close();
await target.close();
await driver.close();
