// What the recording is of: a person's way through the form, by Playwright.
import { chromium } from "@playwright/test";

const browser = await chromium.connectOverCDP(process.env.CDP_ENDPOINT);
const context = process.env.CONTEXT === "new" ? await browser.newContext() : browser.contexts()[0];
const page = process.env.CONTEXT === "new" ? await context.newPage() : context.pages()[0];
page.setDefaultTimeout(15_000);
await page.goto(process.env.APP);
await page.getByLabel("Name", { exact: true }).fill("Zaphod Beeblebrox");
await page.getByLabel("Password").pressSequentially("hunter2!");
await page.getByLabel("I agree").check();
await page.getByRole("button", { name: "Save", exact: true }).click();
await page.getByText("Saved", { exact: true }).waitFor();
await page.waitForTimeout(1500); // a picture is taken
// It leaves the page at once: on a busy machine the page may go before the hub has looked at it.
await page.getByRole("link", { name: "List" }).hover();
await page.waitForTimeout(500);
await page.getByRole("link", { name: "List" }).click();
await page.getByRole("heading", { name: "List" }).waitFor();
await page.waitForTimeout(1500);
await browser.close();
