// WordPress, which prints its own origin into every page: log in, write a post, edit it in the list, read and answer it.

export async function script({ page, app, note, snapshot }) {
  await page.goto(`${app}/`);
  note("title", await page.title());
  await snapshot("front");
  await page.goto(`${app}/wp-login.php`);
  await page.getByLabel("Username or Email Address").fill("ada");
  await page.getByLabel("Password", { exact: true }).fill("Countess 1815");
  await page.getByRole("button", { name: "Log In" }).click();
  await page.waitForURL("**/wp-admin/");
  await snapshot("menu", page.getByRole("navigation", { name: "Main menu" }));

  // The editor of blocks.
  await page.locator("#menu-posts").hover();
  await page.locator("#menu-posts").getByRole("link", { name: "Add New" }).click();
  await page.getByRole("button", { name: "Close dialog" }).click();
  await page.getByRole("textbox", { name: "Add title" }).click();
  await page.keyboard.type("On the engine");
  await page.keyboard.press("Enter");
  await page.keyboard.type("It weaves algebraic patterns.");
  await page.keyboard.press("Enter");
  await page.keyboard.type("## ");
  await page.keyboard.type("Notes");
  note("blocks", await page.locator("[data-type]").evaluateAll((list) => list.map((b) => [b.dataset.type, b.textContent])));
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("region", { name: "Editor publish" }).getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("On the engine is now live.").or(page.getByText("is now live")).first().waitFor();
  note("published", new URL(page.url()).pathname);

  // The list: its actions come into view at the pointer.
  await page.goto(`${app}/wp-admin/edit.php`);
  const row = page.locator("tr", { hasText: "On the engine" }).first();
  await row.hover();
  await row.getByRole("button", { name: /Quick edit/ }).click();
  await page.getByLabel("Title", { exact: true }).first().fill("On the analytical engine");
  await page.getByRole("button", { name: "Update" }).click();
  await page.getByRole("link", { name: /“On the analytical engine” \(Edit\)/ }).waitFor();
  note("list", await page.locator("a.row-title").allTextContents());
  note("icons", await page.locator("#menu-posts .wp-menu-image").evaluate((e) => getComputedStyle(e, "::before").fontFamily));

  // What a reader sees.
  await page.goto(`${app}/`);
  await page.getByRole("link", { name: "On the analytical engine" }).first().click();
  await page.getByRole("heading", { level: 1, name: "On the analytical engine" }).waitFor();
  await page.getByLabel("Comment").fill("Astonishing.");
  await page.getByRole("button", { name: "Post Comment" }).click();
  await page.getByText("Astonishing.").waitFor();
  note("comments", await page.locator(".comment-content").allInnerTexts());
  note("colours", await page.evaluate(() => [document.body, document.querySelector("h1")].map((e) => getComputedStyle(e).color)));
  await snapshot("post", page.getByRole("main"));
}
