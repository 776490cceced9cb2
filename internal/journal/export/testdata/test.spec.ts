// Made by cdphub replay --playwright. Run it with: npx playwright test
// To run it against another address: BASE_URL=https://staging.example npx playwright test
import { expect, test } from "@playwright/test";

test.use({ baseURL: process.env.BASE_URL ?? "https://a.example" });

// A recording contains no typed text. Set TYPED_1, TYPED_2 and so on to the real texts:
// without them, the test types other texts, mostly an x for each character.
const typed = (n: number, other: string) => process.env[`TYPED_${n}`] ?? other;

// Set FILES_1, FILES_2 and so on to the files to choose, separated by commas. Without them, the test
// chooses as many small files of its own.
const files = (n: number, count: number) =>
  process.env[`FILES_${n}`]?.split(",").filter(Boolean) ??
  Array.from({ length: count }, (_, i) => ({ name: `${i + 1}.txt`, mimeType: "text/plain", buffer: Buffer.from("x") }));

test("a recording of https://a.example/", async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 600 });
  await page.goto("/");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(typed(1, "xxx"));
  await page.getByLabel("Password", { exact: true }).pressSequentially(typed(2, "xxxx"));
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
  await page.getByLabel("File", { exact: true }).setInputFiles(files(1, 1));
  page.once("dialog", (dialog) => dialog.accept(typed(3, "xx")));
  await page.mouse.click(3, 3);
  await page.getByRole("link", { name: "Next", exact: true }).click();
  await page.waitForURL("/next");
  await page.reload();
  // Here the page went to an address with a secret, which is not in the recording.
  await page.getByRole("combobox", { name: "Sort", exact: true }).selectOption([{ label: "Price < 5" }]);
  await page.getByLabel("Day", { exact: true }).fill(typed(4, "2026-01-31"));
  await page.getByLabel("Past", { exact: true }).fill(typed(5, "1999-01-01"));
  await page.getByRole("slider", { name: "Size", exact: true }).fill("42");
  await page.getByRole("textbox", { name: "Mail", exact: true }).fill(typed(6, "x@example.com"));
  await page.getByRole("spinbutton", { name: "Count", exact: true }).fill(typed(7, "11"));
  await page.getByRole("checkbox", { name: "Agree", exact: true }).check();
  await page.locator("ul > li:nth-of-type(2) > input").uncheck();
  await page.locator("my-field input").fill(typed(8, "x".repeat(500)));
  await page.frameLocator("#outer").frameLocator("host iframe").getByRole("button", { name: "Send", exact: true }).click();
  // Here something was done in a frame of another origin ("click"), of which the recording has no element.
  await page.getByLabel("Files", { exact: true }).setInputFiles(files(2, 2));
  // Here an option of page.getByLabel("PIN", { exact: true }) was chosen, whose name is a secret or too long.
  await expect(page).toHaveTitle("Cart");
  await expect(page.getByRole("heading", { name: "Your \"cart\"", exact: true }).first()).toBeVisible();
  await expect(page.getByText("Saved", { exact: true }).filter({ visible: true }).first()).toBeVisible();
  await page.close();
});
