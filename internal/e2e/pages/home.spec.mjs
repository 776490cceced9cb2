import { app, closed, expect, inspect, logIn, open, shell, test } from "./fixtures.mjs";

test("home page: says how to connect, and copies it", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(open.clients);
  await expect(page).toHaveTitle("cdphub");
  await expect(page.getByText("No page is open, so there is nothing to drive.")).toBeVisible();
  await page.getByRole("button", { name: "Copy" }).first().click();
  await expect(page.getByText("Copied.")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(`const browser = await chromium.connectOverCDP("${open.clients}");`);
  await inspect(page);
});

test("home page: its form opens an app, which is then listed, by the keyboard alone", async ({ page, context }) => {
  await page.goto(open.clients);
  const field = page.getByLabel("Address of the app");
  for (let i = 0; i < 10 && !(await field.evaluate((e) => e === document.activeElement)); i++)
    await page.keyboard.press("Tab");
  await page.keyboard.type(app);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/shell\?app=/);
  await expect(page.getByText("Frame paired")).toBeVisible();
  const home = await context.newPage();
  await home.goto(open.hosts);
  await expect(home.getByText("Field book")).toBeVisible();
  await expect(home.getByText("1 target.")).toBeVisible();
  await inspect(home);
});

test("home page: lists what comes and goes without a reload", async ({ page, context }) => {
  await page.goto(open.clients);
  const other = await context.newPage();
  await other.goto(shell(open, app));
  await expect(page.getByText("Field book")).toBeVisible();
  await other.close();
  await expect(page.getByText("No page is open")).toBeVisible();
});

test("home page with tokens: tells nothing without one, and keeps it in the tab", async ({ page, context }) => {
  await page.goto(closed.clients);
  await expect(page.getByLabel("Token")).toBeVisible();
  await logIn(page);
  const other = await context.newPage();
  await other.goto(closed.clients);
  await expect(other.getByLabel("Token")).toBeVisible();
  await page.getByRole("button", { name: "Forget the token" }).click();
  await expect(page.getByLabel("Token")).toBeFocused();
  await expect(page.getByText("Default hub")).toBeHidden();
});

test("error pages: readable, with a way back", async ({ page }) => {
  await page.goto(`${closed.clients}/json/list`);
  await expect(page.getByRole("heading", { name: "This address needs a token" })).toBeVisible();
  await inspect(page);
  await page.getByRole("link").click();
  await expect(page.getByRole("heading", { name: "What runs" })).toBeVisible();
  await page.goto(`${open.hosts}/nothing`);
  await expect(page.getByRole("heading", { name: "There is nothing at this address" })).toBeVisible();
});
