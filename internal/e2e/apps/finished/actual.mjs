// Actual Budget, which is cross-origin isolated: its data base is SQLite in a worker, over SharedArrayBuffer.

export async function script({ page, app, note, snapshot }) {
  await page.goto(`${app}/`);
  await page.getByRole("button", { name: "Don’t use a server" }).click();
  note("isolated", await page.evaluate(() => [crossOriginIsolated, typeof SharedArrayBuffer]));
  await page.getByRole("button", { name: "Start fresh" }).click();
  await page.getByRole("button", { name: "Add account" }).first().click();
  await page.getByRole("button", { name: "Create a local account" }).click();
  await snapshot("new account", page.getByRole("dialog"));
  await page.getByLabel("Name:").fill("Cash");
  await page.getByLabel("Balance:").fill("123.45");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "Cash 123.45" }).waitFor();
  note("account", await page.getByRole("link", { name: /^Cash/ }).textContent());

  await page.getByRole("button", { name: "Add New" }).click();
  await page.keyboard.press("Tab");
  await page.keyboard.type("Baker");
  await page.keyboard.press("Tab");
  await page.keyboard.type("two loaves");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("3.45");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Cash 120.00" }).waitFor();
  note("balance", await page.getByRole("link", { name: /^Cash/ }).textContent());
  note("rows", (await page.getByTestId("transaction-table").getByTestId("row").allInnerTexts()).map((r) => r.split(/\s+/).slice(1)));
  await page.getByPlaceholder("Search").fill("loaves");
  await page.getByText("Starting Balances").waitFor({ state: "hidden" });
  note("found", await page.getByTestId("transaction-table").getByTestId("row").count());
  await page.getByRole("link", { name: "Budget", exact: true }).click();
  await page.getByText("Food").first().waitFor();
  note("address", new URL(page.url()).pathname);
  await page.reload();
  await page.getByRole("link", { name: "Cash 120.00" }).waitFor();
  note("after a reload", await page.getByRole("link", { name: /^Cash/ }).textContent());
}
