// Runs the script of an application against the one page of an endpoint, and prints what it has read as JSON:
// node drive.mjs NAME. Where the application is is written ORIGIN, and a time of the day TIME.

import { chromium } from "@playwright/test";

const app = process.env.APP;
const { origin } = new URL(app);
const { script } = await import(`./${process.argv[2]}.mjs`);

const browser = await chromium.connectOverCDP(process.env.CDP_ENDPOINT);
const context = browser.contexts()[0];
const page = context.pages()[0];
page.setDefaultTimeout(30_000);
const values = {};
const snapshots = {};
const errors = [];
const plain = (text) =>
  text
    .replaceAll(origin, "ORIGIN")
    .replaceAll(new URL(app).host, "HOST")
    .replace(/http%3A%2F%2F127\.0\.0\.1%3A\d+/g, "ORIGIN")
    .replace(/(nonce=)\w+/g, "$1ID")
    .replace(/net::ERR_\w+/g, "net::ERR") // a script is not told which
    .replace(/\b\d?\d:\d\d(:\d\d)?( ?[ap]m)?/g, "TIME");
const watch = (p) => {
  p.on("pageerror", (e) => errors.push(plain(`page: ${e.message}`)));
  p.on("console", (m) => {
    if (m.type() === "error") errors.push(plain(`console: ${m.text()}`));
  });
};
watch(page);
context.on("page", watch);
await page.setViewportSize({ width: 1000, height: 600 });

/** Notes a value of a step. */
const note = (step, value) => {
  if (step in values) throw new Error(`two steps are named ${step}`);
  values[step] = JSON.parse(plain(JSON.stringify(value ?? null)));
};
/** Notes the accessibility snapshot of an element. */
const snapshot = async (step, at = page.locator("body")) => {
  snapshots[step] = plain(await at.ariaSnapshot());
};

const limit = setTimeout(() => {
  console.error(`not at its end after 150 s; so far: ${JSON.stringify({ values, errors }, null, 1)}`);
  process.exit(1);
}, 150_000);
try {
  await script({ page, context, app, note, snapshot });
} catch (e) {
  console.error(`${e.stack}\nso far: ${JSON.stringify({ values, errors }, null, 1)}`);
  process.exit(1);
}
clearTimeout(limit);
await browser.close();
console.log(JSON.stringify({ values, snapshots, errors }));
