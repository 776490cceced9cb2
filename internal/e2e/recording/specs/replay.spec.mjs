// The page of cdphub replay: the dashboard's page of one target, from the file alone.
import { expect, test } from "@playwright/test";

test("the recording is shown", async ({ page }) => {
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(process.env.REPLAY);
  await expect(page.getByText("Recording", { exact: true })).toBeVisible();
  const picture = page.locator(".stage img");
  const loaded = () => picture.evaluate((image) => image.naturalWidth);
  await expect.poll(loaded).toBeGreaterThan(0); // the first one, before anything is pressed
  const first = await picture.getAttribute("src");

  const slider = page.getByRole("slider", { name: "Time" });
  const entries = page.getByRole("region", { name: "Timeline" }).getByRole("listitem").getByRole("button");
  await slider.press("Home");
  await expect(entries.first()).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText("There is no picture of that time.")).toBeVisible();
  await slider.press("End");
  await expect(entries.last()).toHaveAttribute("aria-pressed", "true");
  await expect.poll(() => picture.getAttribute("src")).not.toBe(first);
  await expect.poll(loaded).toBeGreaterThan(0);
  await page.getByRole("button", { name: /clicked at .* on button "Save"/ }).click();
  await expect(page.getByRole("button", { name: /clicked at .* on button "Save"/ })).toHaveAttribute("aria-pressed", "true");

  // Nothing of it is live.
  for (const name of ["Take over", "Live", "DevTools"]) await expect(page.getByRole("button", { name })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Connect" })).toHaveCount(0);
  expect(asked).not.toContain("/ui/api/view");
  expect(asked.filter((path) => path === "/ui/api/timeline")).toHaveLength(1);
  expect(errors).toEqual([]);
});
