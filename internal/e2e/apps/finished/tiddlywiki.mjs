// TiddlyWiki: a note is written, kept by the server, found, and opened in a window that the application writes itself.

export async function script({ page, context, app, note, snapshot }) {
  await page.goto(`${app}/`);
  note("title", await page.title());
  await page.getByRole("button", { name: "new tiddler" }).first().click();
  const draft = page.getByRole("region", { name: "Editor" });
  await snapshot("draft", draft);
  await draft.getByRole("textbox").first().fill("Engine");
  const text = page.frameLocator("iframe").locator("textarea");
  await text.click();
  await page.keyboard.type("It weaves algebraic patterns.");
  await page.keyboard.press("Shift+Home");
  await draft.getByRole("button", { name: /^Apply bold/ }).click();
  note("written", await text.inputValue());
  await draft.getByRole("textbox", { name: "tag name" }).fill("history");
  await draft.getByRole("button", { name: "add" }).first().click();
  await draft.getByRole("button", { name: "Confirm changes" }).click();
  const tiddler = page.locator("[data-tiddler-title=Engine]");
  note("bold", await tiddler.locator(".tc-tiddler-body strong, .tc-tiddler-body").first().innerText());
  note("tag", await tiddler.locator(".tc-tag-list-item").innerText());

  await tiddler.getByRole("button", { name: "more" }).click();
  const opening = context.waitForEvent("page");
  await page.getByRole("button", { name: "open in new window" }).click();
  const opened = await opening;
  await opened.getByText("It weaves").waitFor();
  note("window", [await opened.title(), await opened.locator("body").innerText()]);
  await snapshot("window", opened.locator("body"));
  await opened.close();

  await page.waitForFunction(() => !document.body.classList.contains("tc-dirty"));
  await page.reload();
  await page.getByRole("searchbox").or(page.locator("input[type=search]")).first().fill("algebraic");
  const hit = page.locator(".tc-search-results").getByRole("link", { name: "Engine" }).first();
  await hit.click();
  note("found", await tiddler.locator(".tc-tiddler-body").innerText());
  await snapshot("found", tiddler);
  await tiddler.getByRole("button", { name: "close" }).first().click();
  note("closed", await tiddler.count());
}
