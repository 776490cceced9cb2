// What every test starts from: a connection of its own to the endpoint, and its one
// page, which shows an empty document of the app.

import { test as base, chromium, expect } from "@playwright/test";

export { expect };

/** The origin of the app behind the proxy; the same by the other name of this machine; and where the app is without the proxy. */
export const app = process.env.APP;
export const other = process.env.OTHER;
export const upstream = process.env.UPSTREAM;

/** A path whose response has this body; options: type, status, h (lines of the head), delay (ms). */
export function pathOf(body, { path = "/page", h = [], ...rest } = {}) {
  const query = new URLSearchParams({ body, ...rest });
  for (const line of h) query.append("h", line);
  return `${path}?${query}`;
}

export const test = base.extend({
  context: async ({}, use) => {
    const browser = await chromium.connectOverCDP(process.env.CDP_ENDPOINT);
    await use(browser.contexts()[0]);
    await browser.close();
  },
  page: async ({ context }, use) => {
    const [page, ...more] = context.pages();
    for (const p of more) await p.close();
    page.setDefaultTimeout(8_000);
    await page.goto(`${app}/page`);
    await context.clearCookies();
    await use(page);
    await page.evaluate(async () => {
      for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
    });
  },
});
