// A log-in at another site that the proxy serves: --also-proxy.

import { expect, test as base, chromium } from "@playwright/test";

const { APP, CDP_ENDPOINT, ISSUER, UPSTREAM } = process.env;

const test = base.extend({
  page: async ({}, use) => {
    const browser = await chromium.connectOverCDP(CDP_ENDPOINT);
    const [page] = browser.contexts()[0].pages();
    page.setDefaultTimeout(10_000);
    await page.goto(APP);
    await use(page);
    await browser.close();
  },
});

async function logIn(page, link, user) {
  await page.getByText(link, { exact: true }).click();
  await expect(page).toHaveTitle("Log in");
  expect(new URL(page.url()).origin).not.toBe(APP);
  await page.getByLabel("User").fill(user);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page).toHaveTitle(`Hello ${user}`);
  expect(page.url()).toBe(`${APP}/`);
}

test("log in, come back, log out", async ({ page }) => {
  await logIn(page, "Log in", "Ada");
  await page.reload();
  await expect(page.getByRole("heading")).toHaveText("Hello Ada");
  await page.getByText("Log out").click();
  await expect(page).toHaveTitle("Bye");
  expect(page.url()).toBe(`${APP}/bye?state=x`);
});

test("log in by the response mode form_post, and again without a question", async ({ page }) => {
  await logIn(page, "Log in by form", "Bob");
  await page.context().clearCookies();
  await page.goto(`${UPSTREAM}/login`);
  await expect(page).toHaveTitle("Hello Bob");
  await page.getByText("Log out").click();
  await expect(page).toHaveTitle("Bye");
  await page.goto(`${APP}/login`);
  await expect(page).toHaveTitle("Log in");
});

test("a goto of the provider's own address goes through the proxy", async ({ page }) => {
  await page.goto(`${ISSUER}/.well-known/openid-configuration`);
  await expect(page.locator("pre")).toContainText(`"issuer":"${ISSUER}"`);
  await page.goto(APP.replace("localhost", "127.0.0.1"));
  await expect(page).toHaveTitle("Shop");
});
