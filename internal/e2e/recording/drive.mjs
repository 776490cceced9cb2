// What the recording is of: a person's way through the form, by Playwright.
import { readdirSync } from "node:fs";
import { chromium } from "@playwright/test";

const browser = await chromium.connectOverCDP(process.env.CDP_ENDPOINT);
const context = process.env.CONTEXT === "new" ? await browser.newContext() : browser.contexts()[0];
const page = process.env.CONTEXT === "new" ? await context.newPage() : context.pages()[0];
page.setDefaultTimeout(15_000);
const pictures = () => readdirSync(process.env.RECORDINGS, { recursive: true }).filter((name) => name.endsWith(".jpg")).length;
/** Waits for another picture in the recording. */
async function pictured(before) {
  for (let i = 0; pictures() <= before; i++) {
    if (i === 300) throw new Error(`no picture came after the first ${before}`);
    await page.waitForTimeout(100);
  }
}
await page.goto(process.env.APP);
await page.getByLabel("Name", { exact: true }).fill("Zaphod Beeblebrox");
await page.getByLabel("Password").pressSequentially("hunter2!");
await page.getByLabel("I agree").check();
await page.getByRole("button", { name: "Save", exact: true }).click();
await page.getByText("Saved", { exact: true }).waitFor();
await pictured(0);
// It leaves the page at once: on a busy machine the page may go before the hub has looked at it.
await page.getByRole("link", { name: "List" }).hover();
await page.waitForTimeout(500);
const before = pictures();
await page.getByRole("link", { name: "List" }).click();
await page.getByRole("heading", { name: "List" }).waitFor();
await pictured(before);
await browser.close();
