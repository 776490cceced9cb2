// A page that has left the app for a site which the proxy does not serve.

import { expect, test as base, chromium } from "@playwright/test";

const { APP, BROWSER, CDP_ENDPOINT, ISSUER, UPSTREAM } = process.env;
const advice = `The frame has left the app for ${ISSUER}`;

const connect = async (endpoint) => {
  const browser = await chromium.connectOverCDP(endpoint);
  const [page] = browser.contexts()[0].pages();
  page.setDefaultTimeout(10_000);
  return { browser, page };
};

const test = base.extend({
  page: async ({}, use) => {
    const { browser, page } = await connect(CDP_ENDPOINT);
    await page.goto(APP);
    await use(page);
    await browser.close();
  },
  /** The Host page, as the person sees it. */
  shell: async ({}, use) => {
    const { browser, page } = await connect(BROWSER);
    await use(page);
    await browser.close();
  },
});

/** Leaves the app, and returns what the console says of it. */
async function leave(page) {
  const told = page.waitForEvent("console", (m) => m.text().includes("has left the app"));
  await page.getByText("Log in", { exact: true }).click({ noWaitAfter: true });
  return (await told).text();
}

test("everything fails with advice, and goto leads back", async ({ page }) => {
  expect(await leave(page)).toContain(advice);
  expect(await page.title()).toBe(""); // Playwright's answer where the script fails
  await expect(page.evaluate("1")).rejects.toThrow(`Page.navigate to ${APP}/ leads back`);
  await expect(page.locator("h1").click()).rejects.toThrow(advice);
  await expect(page.screenshot()).rejects.toThrow(advice);
  expect(page.url()).toBe("chrome-error://chromewebdata/");
  const [target] = await (await fetch(`${CDP_ENDPOINT}/json/list`)).json();
  expect(target.title).toBe(`No agent: left for ${ISSUER}`);
  await page.goto(APP);
  await expect(page).toHaveTitle("Shop");
});

test("a Client that connects meanwhile gets the advice, and goto leads back", async ({ page }) => {
  await leave(page);
  const late = await connect(CDP_ENDPOINT);
  await expect(late.page.evaluate("1")).rejects.toThrow(advice);
  await late.page.goto(`${APP}/bye`);
  await expect(late.page).toHaveTitle("Bye");
  await expect(page).toHaveTitle("Bye");
  await late.browser.close();
});

test("a navigation that is not allowed says what is", async ({ page }) => {
  await expect(page.goto(ISSUER)).rejects.toThrow(`start cdphub with --also-proxy`);
});

test("the Host page says so, and has a button", async ({ page, shell }) => {
  await leave(page);
  await expect(shell.getByText(advice)).toBeVisible();
  await shell.getByRole("button", { name: "Back to the app" }).click();
  await expect(page).toHaveTitle("Shop");
  await expect(shell.getByText(advice)).toBeHidden();
});

test("the app's own address leads back by itself", async ({ page, shell }) => {
  await leave(page);
  const frame = shell.frameLocator("iframe");
  await frame.getByLabel("User").fill("Ada");
  await frame.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`${APP}/**`);
  await expect(page.locator("h1")).toBeVisible();
  expect(UPSTREAM).not.toBe(APP);
});
