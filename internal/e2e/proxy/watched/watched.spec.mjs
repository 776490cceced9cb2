// Nothing that watches a page changes it: each page in a tab of Chromium that nobody watches, and in the iframe while
// its timeline is written, a live view is shown, and snapshots and screenshots are taken. What the page has met, has
// stored, has asked for and is in the end is the same.

import { writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { app, expect, pathOf, test, upstream } from "../fixtures.mjs";
import { AT_TIMES, pages } from "./pages.mjs";

/** Goes before each page: what it notes, and what it holds its end for. */
const prelude = `<!doctype html><title>t</title><script>{
  const notes = [], held = [];
  window.note = (...what) => { notes.push(JSON.stringify(what)); };
  window.hold = (promise) => { held.push(promise); };
  addEventListener("error", (e) => note("error", e.message ?? e.target.nodeName), true);
  addEventListener("unhandledrejection", (e) => note("rejected", String(e.reason)));
  for (const name of ["log", "warn", "error", "info", "table"]) {
    const native = console[name];
    console[name] = function (...args) { notes.push("console." + name); return native.apply(this, args); };
  }
  const { keys } = Object, open = [localStorage, sessionStorage];
  Object.defineProperty(window, "outcome", { value: async () => ({ notes: [...notes].sort(), keys: open.map((s) => keys(s)) }) });
  Object.defineProperty(window, "settled", { value: () => Promise.all(held).then(() => 1) });
}</script><body>`;

/** What a page is in the end. */
async function outcome(page, origin) {
  const found = await page.evaluate(async () => ({
    ...(await window.outcome()),
    cookie: document.cookie,
    bases: (await indexedDB.databases()).map((d) => d.name),
    caches: await caches.keys(),
    html: document.documentElement.outerHTML,
    focus: document.activeElement?.nodeName,
    selection: String(getSelection()),
    sizes: [innerWidth, innerHeight, scrollX, scrollY, document.documentElement.scrollHeight, devicePixelRatio],
    asked: performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !/\/__hub\/|\/favicon\.ico$/.test(n)).sort(),
    address: location.href,
    name: window.name,
    state: history.state,
  }));
  return JSON.parse(JSON.stringify(found).replaceAll(origin, ""));
}

/** A client's own doings, which are the same in both. */
async function act(page) {
  await page.evaluate(() => window.settled());
  await page.mouse.move(5, 3);
  await page.keyboard.press("Shift");
  if (await page.locator("#act").count()) await page.locator("#act").click();
}

/** Watches a page in every way, beside the timeline and the live view. */
async function watch(page, session) {
  await page.screenshot({ caret: "initial" }); // else the client sets a style of each input
  await page.locator("body").ariaSnapshot();
  await session.send("DOM.getDocument", { depth: -1, pierce: true });
  await session.send("Accessibility.getFullAXTree");
  await session.send("DOMSnapshot.captureSnapshot", { computedStyles: ["color"], includePaintOrder: true });
  await session.send("Page.getLayoutMetrics");
}

test("R-392 what watches changes nothing", async ({ page, context }) => {
  test.setTimeout(600_000);
  const browser = await chromium.connectOverCDP(process.env.BROWSER);
  const tab = await (await browser.newContext({ viewport: { width: 700, height: 400 } })).newPage();
  await page.setViewportSize({ width: 700, height: 400 });
  const session = await context.newCDPSession(page);
  session.on("Page.screencastFrame", ({ sessionId }) => session.send("Page.screencastFrameAck", { sessionId }).catch(() => {}));
  await session.send("Page.startScreencast", { format: "jpeg", everyNthFrame: 1 });
  expect(Object.keys(pages).length).toBeGreaterThanOrEqual(60);
  const wrong = [];
  const waits = [];
  for (const [name, { body, w }] of Object.entries(pages)) {
    const path = pathOf(prelude + body);
    await tab.goto(upstream + path);
    await act(tab);
    const want = await outcome(tab, upstream);
    await page.goto(app + path);
    await act(page);
    const failed = await watch(page, session).then(() => undefined, String);
    const got = { ...(await outcome(page, app)), failed };
    const unlike = Object.keys(got).filter((k) => JSON.stringify(got[k]) !== JSON.stringify(want[k]));
    if (unlike.length) (w ? waits : wrong).push({ name, ...Object.fromEntries(unlike.map((k) => [k, [got[k], want[k]]])) });
    else if (w && w !== AT_TIMES) wrong.push(`${name}: it does not wait for ${w} any more`);
  }
  await browser.close();
  if (process.env.WATCHED_REPORT) writeFileSync(process.env.WATCHED_REPORT, JSON.stringify({ wrong, waits }, null, 1));
  expect(wrong).toEqual([]);
});
