// How long a key in the live view of the dashboard takes until the picture shows what it has changed: for a page of a
// browser and for the same page in a frame, whose pictures are drawn from its DOM, in turns.
//
//   PROGRAM=FILE HUB=URL BROWSER_HUB=/hub/NAME PAGE=URL SHELL=URL node typing.mjs
//
// PAGE is a page of 1,000 nodes (typing.html of bench_test.go), and SHELL the Host page of HUB with the same page. Prints
// {"browser":[ms,…],"frame":[ms,…]}.
import { chromium } from "@playwright/test";

const { PROGRAM, HUB, BROWSER_HUB, PAGE, SHELL } = process.env;
const KEYS = 15;

const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
const driver = await chromium.connectOverCDP(HUB + BROWSER_HUB);
const target = await driver.contexts()[0].newPage();
await target.setViewportSize({ width: 1000, height: 600 });
await target.goto(PAGE);
const host = await browser.newPage({ viewport: { width: 1000, height: 640 } });
await host.goto(SHELL);
await host.getByText("Frame paired").waitFor();

/** A person who has the page, before its picture. */
async function viewer(hub) {
  const context = await browser.newContext(); // so that no window hides another
  const page = await context.newPage();
  await page.goto(`${HUB}${hub}/`);
  await page.getByRole("link", { name: "Typed into", exact: true }).first().click();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("You have the page. Escape twice hands it back.").waitFor();
  await page.locator("canvas:not(.unseen)").waitFor();
  await page.getByText("Loading a sharp picture").waitFor({ state: "hidden" });
  return page;
}

/** Presses a key, and says how many ms later the middle of the picture has another colour. */
async function press(page) {
  await page.bringToFront();
  await page.evaluate(() => {
    const canvas = document.querySelector("canvas");
    const colour = () => canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[0] > 128;
    const before = colour();
    globalThis.shown = new Promise((resolve) =>
      addEventListener(
        "keydown",
        () => {
          const begun = performance.now();
          const look = () => (colour() === before ? setTimeout(look, 2) : resolve(performance.now() - begun));
          look();
        },
        { once: true, capture: true },
      ),
    );
  });
  await page.keyboard.press("a");
  return page.evaluate(() => globalThis.shown);
}

const viewers = { browser: await viewer(BROWSER_HUB), frame: await viewer("") };
const took = { browser: [], frame: [] };
for (let i = -2; i < KEYS; i++) // the first ones warm up
  for (const [kind, page] of Object.entries(viewers)) {
    const ms = await press(page);
    if (i >= 0) took[kind].push(ms);
    await page.waitForTimeout(300);
  }
for (const page of Object.values(viewers)) await page.getByRole("button", { name: "Hand back" }).click();
console.log(JSON.stringify(took));
await browser.close();
await target.close();
await driver.close();
