// The app is answered from the HAR file alone.
import { expect, test } from "@playwright/test";

test("the app runs from its HAR file", async ({ page }) => {
  await page.routeFromHAR(process.env.HAR, { notFound: "abort" });
  await page.goto(process.env.APP);
  await expect(page.getByRole("heading")).toHaveText("Form");
  await page.getByLabel("Name", { exact: true }).fill("anybody");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("status")).toHaveText("Saved");
  await page.getByRole("link", { name: "List" }).click();
  await expect(page.getByRole("heading")).toHaveText("List");
});
