// What every test starts from: a connection of its own to the endpoint, and
// its one page, emptied.

import { test as base, chromium, expect } from "@playwright/test";
import { patience } from "../patience.mjs";
import { differences } from "./differences.mjs";

export { expect };

const { CDP_ENDPOINT, APP, OTHER, TARGET } = process.env;

/** false: the client's token does not allow what needs scope privileged */
export const privileged = process.env.PRIVILEGED !== "false";

/** The endpoint: a hub whose Target is an iframe, or Chromium itself. */
export const endpoint = CDP_ENDPOINT;
/** The origin of the app's pages, and another one whose pages carry an agent too. */
export const app = APP;
export const other = OTHER;

/** The address of a page with this body; options: title, head, csp, status, delay (ms before the body). */
export function pageOf(html, options = {}) {
  const { origin = app, ...rest } = options;
  return `${origin}/p?${new URLSearchParams({ html, ...rest })}`;
}

export const test = base.extend({
  // Not the name "browser", which is one for all tests of a worker.
  remote: async ({}, use) => {
    const browser = await chromium.connectOverCDP(endpoint, { timeout: patience(30_000) });
    await use(browser);
    await browser.close();
  },
  context: async ({ remote }, use) => {
    await use(remote.contexts()[0]);
  },
  page: async ({ context }, use) => {
    const [page, ...more] = context.pages();
    for (const p of more) await p.close();
    page.setDefaultTimeout(patience(8_000));
    await page.goto(pageOf(""));
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    await use(page);
  },
  /** Shows a body and returns the page. */
  show: async ({ page }, use) => {
    await use(async (html, options) => {
      await page.goto(pageOf(html, options));
      return page;
    });
  },
  /**
   * Whether the page is an iframe behind a hub, in a browser where that makes
   * the difference. Only tests that differences.mjs lists may ask, and those must.
   */
  inFrame: [async ({}, use, info) => {
    let asked = false;
    const difference = differences[info.title];
    const differs = !["chromium", "browser"].includes(TARGET) && difference && (difference.only.length === 0 || difference.only.includes(TARGET));
    const answer = () => {
      asked = true;
      return !!differs;
    };
    if (differs) info.annotations.push({ type: difference.verdict, description: difference.reason });
    await use(answer);
    if (difference && info.status === "passed" && !asked) throw new Error("differences.mjs lists this test, which is the same everywhere");
    if (asked && !difference) throw new Error("this test asks where it runs, and differences.mjs does not say why");
  }, { auto: true }],
});
