// What every test starts from: a connection of its own, and the first view of the
// app, which throws no errors.

import { test as base, chromium, expect } from "@playwright/test";

export { expect };

export const test = base.extend({
  page: async ({}, use) => {
    const browser = await chromium.connectOverCDP(process.env.CDP_ENDPOINT);
    const [page] = browser.contexts()[0].pages();
    page.setDefaultTimeout(30_000); // a dev server compiles a page at its first request
    const broken = [];
    page.on("pageerror", (error) => broken.push(error.message));
    await page.goto(new URL("/", page.url()).href);
    await use(page);
    await browser.close();
    expect(broken).toEqual([]);
  },
});
