// Made by cdphub replay --playwright. Run it with: npx playwright test
import { test } from "@playwright/test";

// A recording contains no typed text. Set TYPED_1, TYPED_2 and so on to the real texts:
// without them, the test types an x for each character.
const typed = (n: number, length: number) => process.env[`TYPED_${n}`] ?? "x".repeat(length);

// Set FILES_1, FILES_2 and so on to the files to choose, separated by commas.
const files = (n: number) => (process.env[`FILES_${n}`] ?? "").split(",").filter(Boolean);

test("a recording of https://a.example/", async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 600 });
  await page.goto("https://a.example/");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(typed(1, 3));
  await page.getByLabel("Password", { exact: true }).pressSequentially(typed(2, 4));
  await page.getByRole("button", { name: "Say \"hi\"", exact: true }).nth(1).click();
  await page.getByTestId("menu").click({ button: "right" });
  await page.locator("#row").dblclick();
  await page.keyboard.press("Control+A");
  await page.getByPlaceholder("Search", { exact: true }).press("Enter");
  await page.mouse.move(1, 2);
  await page.mouse.wheel(0, 300);
  await page.mouse.move(1, 2);
  await page.mouse.down();
  await page.mouse.move(30, 40, { steps: 5 });
  await page.mouse.up();
  await page.getByLabel("File", { exact: true }).setInputFiles(files(1));
  page.once("dialog", (dialog) => dialog.accept(typed(3, 2)));
  await page.mouse.click(3, 3);
  await page.getByRole("link", { name: "Next", exact: true }).click();
  await page.waitForURL("https://a.example/next");
  await page.reload();
  // Here the page went to an address with a secret, which is not in the recording.
  await page.close();
});
