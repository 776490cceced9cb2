// One app, which the endpoint shows; which framework it is of makes no difference.

import { expect, test } from "./fixtures.mjs";

/** The values that the app itself has. */
const values = async (page) => JSON.parse(await page.getByTestId("values").textContent());

async function fillIn(page) {
  await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
  await page.getByLabel("Username").fill("ada");
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Accept terms").check();
}

test.describe("form", () => {
  test("fill reaches the app's state", async ({ page }) => {
    await fillIn(page);
    await page.getByLabel("Bio").fill("First line\nsecond line");
    expect(await values(page)).toEqual({
      name: "Ada Lovelace", username: "ada", email: "ada@example.com", bio: "First line\nsecond line",
      plan: "free", size: "small", terms: true,
    });
  });

  test("typing reaches the app's state key by key", async ({ page }) => {
    const name = page.getByLabel("Name", { exact: true });
    await name.pressSequentially("Adaa");
    expect((await values(page)).name).toBe("Adaa");
    await name.press("Backspace");
    await name.press("Home");
    await name.pressSequentially("Dr ");
    await expect(name).toHaveValue("Dr Ada");
    expect((await values(page)).name).toBe("Dr Ada");
  });

  test("select all and delete empty a controlled field", async ({ page }) => {
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Somebody");
    await name.press("ControlOrMeta+a");
    await name.press("Delete");
    await expect(name).toHaveValue("");
    expect((await values(page)).name).toBe("");
  });

  test("the app corrects what is typed", async ({ page }) => {
    const username = page.getByLabel("Username");
    await username.pressSequentially("A d-A!1");
    await expect(username).toHaveValue("ada1");
    expect((await values(page)).username).toBe("ada1");
  });

  test("the caret stays inside a corrected field", async ({ page }) => {
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Aa");
    await name.press("ArrowLeft");
    await name.pressSequentially("d");
    await expect(name).toHaveValue("Ada");
    expect(await name.evaluate((e) => e.selectionStart)).toBe(2);
  });

  test("choices reach the app's state", async ({ page }) => {
    await page.getByLabel("Plan").selectOption("Professional");
    await page.getByLabel("large").check();
    await page.getByLabel("Accept terms").check();
    expect(await values(page)).toMatchObject({ plan: "pro", size: "large", terms: true });
    await page.getByLabel("Accept terms").uncheck();
    expect((await values(page)).terms).toBe(false);
    await expect(page.getByLabel("small")).not.toBeChecked();
  });

  test("leaving a field tells what is wrong with it", async ({ page }) => {
    await expect(page.getByRole("alert")).toHaveCount(0);
    await page.getByLabel("Name", { exact: true }).click();
    await page.keyboard.press("Tab");
    await expect(page.getByRole("alert")).toHaveText(["Name is required"]);
    await page.getByLabel("Name", { exact: true }).fill("Ada"); // which leaves the next field
    await expect(page.getByRole("alert")).toHaveText(["Username is too short"]);
  });

  test("submitting tells everything that is wrong, then welcomes", async ({ page }) => {
    const create = page.getByRole("button", { name: "Create account" });
    await create.click();
    await expect(page.getByRole("alert")).toHaveText([
      "Name is required", "Username is too short", "Email is not valid", "Terms must be accepted",
    ]);
    await fillIn(page);
    await expect(page.getByRole("alert")).toHaveCount(0);
    await create.click();
    await expect(page.getByRole("status")).toHaveText("Welcome, Ada Lovelace!");
  });

  test("Enter in a field submits", async ({ page }) => {
    await fillIn(page);
    await page.getByLabel("Email").press("Enter");
    await expect(page.getByRole("status")).toHaveText("Welcome, Ada Lovelace!");
  });
});

test.describe("router", () => {
  test("links change the view and the address, not the document", async ({ page }) => {
    await page.evaluate(() => { window.kept = true; });
    await page.getByRole("link", { name: "Tasks" }).click();
    await page.waitForURL("**/tasks");
    await expect(page.getByRole("heading")).toHaveText("Tasks");
    await page.getByRole("link", { name: "Articles" }).click();
    await page.waitForURL("**/articles/1");
    await expect(page).toHaveTitle("Article 1");
    expect(await page.evaluate(() => window.kept)).toBe(true);
  });

  test("a button goes on by script", async ({ page }) => {
    await page.getByRole("link", { name: "Articles" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await expect(page).toHaveURL(/\/articles\/3$/);
    await expect(page.getByRole("heading")).toHaveText("Article 3");
  });

  test("back and forward go through the views", async ({ page }) => {
    await page.getByRole("link", { name: "Tasks" }).click();
    await page.getByRole("link", { name: "Articles" }).click();
    await expect(page.getByRole("heading")).toHaveText("Article 1");
    await page.goBack();
    await expect(page.getByRole("heading")).toHaveText("Tasks");
    await page.goBack();
    await expect(page.getByRole("heading")).toHaveText("Sign up");
    await page.goForward();
    await expect(page).toHaveURL(/\/tasks$/);
    await expect(page.getByRole("heading")).toHaveText("Tasks");
  });

  test("a view's own address shows it, also when loaded again", async ({ page }) => {
    const response = await page.goto(new URL("/articles/7", page.url()).href);
    expect(response.status()).toBe(200);
    await expect(page.getByRole("heading")).toHaveText("Article 7");
    await page.getByRole("button", { name: "Next" }).click();
    await page.reload();
    await expect(page.getByRole("heading")).toHaveText("Article 8");
  });
});

test.describe("dialog", () => {
  test("takes the focus and keeps it", async ({ page }) => {
    await page.getByRole("button", { name: "Open dialog" }).click();
    const dialog = page.getByRole("dialog", { name: "Feedback" });
    await expect(dialog.getByLabel("Message")).toBeFocused();
    for (const name of ["Send", "Close"]) {
      await page.keyboard.press("Tab");
      await expect(dialog.getByRole("button", { name })).toBeFocused();
    }
    await page.keyboard.press("Tab");
    await expect(dialog.getByLabel("Message")).toBeFocused();
    await page.keyboard.press("Shift+Tab");
    await expect(dialog.getByRole("button", { name: "Close" })).toBeFocused();
  });

  test("closes by Escape, upon which its opener has the focus", async ({ page }) => {
    const opener = page.getByRole("button", { name: "Open dialog" });
    await opener.click();
    await page.keyboard.type("hello");
    await expect(page.getByLabel("Message")).toHaveValue("hello");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(opener).toBeFocused();
  });

  test("closes by its button", async ({ page }) => {
    await page.getByRole("button", { name: "Open dialog" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  test("covers what is below", async ({ page }) => {
    await page.getByRole("button", { name: "Open dialog" }).click();
    await expect(page.getByRole("link", { name: "Tasks" }).click({ timeout: 5_000 })).rejects.toThrow("intercepts pointer events");
  });
});

test.describe("list", () => {
  test.beforeEach(async ({ page }) => {
    await page.getByRole("link", { name: "Tasks" }).click();
  });

  test("drag and drop moves an item down and up", async ({ page }) => {
    const items = page.getByRole("list", { name: "Drag and drop" }).getByRole("listitem");
    await items.filter({ hasText: "Plan" }).dragTo(items.filter({ hasText: "Test" }));
    await expect(items).toHaveText(["Build", "Test", "Plan", "Ship"]);
    await items.filter({ hasText: "Ship" }).dragTo(items.filter({ hasText: "Build" }));
    await expect(items).toHaveText(["Ship", "Build", "Test", "Plan"]);
  });

  test("the pointer pulls an item along", async ({ page }) => {
    const items = page.getByRole("list", { name: "Pointer" }).getByRole("listitem");
    const middle = async (n) => {
      const box = await items.nth(n).boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await page.mouse.move(...await middle(0));
    await page.mouse.down();
    await page.mouse.move(...await middle(3), { steps: 12 });
    await expect(items).toHaveText(["Build", "Test", "Ship", "Plan"]);
    await page.mouse.up();
    await page.mouse.move(...await middle(0));
    await expect(items).toHaveText(["Build", "Test", "Ship", "Plan"]);
  });

  test("the pointer is captured while it pulls", async ({ page }) => {
    const items = page.getByRole("list", { name: "Pointer" }).getByRole("listitem");
    const [first, last] = [await items.first().boundingBox(), await items.last().boundingBox()];
    await page.mouse.move(last.x + 10, last.y + 10);
    await page.mouse.down();
    await page.mouse.move(first.x + first.width + 200, first.y + 10, { steps: 5 }); // beside the list
    await page.mouse.up();
    await expect(items).toHaveText(["Ship", "Plan", "Build", "Test"]);
  });
});
