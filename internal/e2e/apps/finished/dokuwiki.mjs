// DokuWiki, of PHP: a page is written with its toolbar, left and not left while it is changed, kept, and found.

export async function script({ page, app, note, snapshot }) {
  await page.goto(`${app}/doku.php?id=engine`);
  note("title", await page.title());
  await snapshot("no page yet");
  await page.getByRole("link", { name: "Create this page" }).first().click();
  const text = page.locator("#wiki__text");
  await text.click();
  await page.keyboard.type("====== The engine ======\nIt weaves ");
  await page.locator(".toolbutton[title^='Bold']").click();
  await page.keyboard.type("algebraic");
  note("written", await text.inputValue());
  note("caret", await text.evaluate((e) => [e.selectionStart, e.selectionEnd]));

  const asked = [];
  let stay = true;
  page.on("dialog", (d) => {
    asked.push(d.type());
    return stay ? d.dismiss() : d.accept();
  });
  await page.getByRole("link", { name: "Recent Changes" }).first().click();
  note("still here", await text.inputValue());
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" patterns.");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator("#wiki__preview, .preview").first().waitFor();
  await snapshot("preview", page.locator(".preview").first());
  await page.locator("#wiki__text").press("ControlOrMeta+End");
  await page.keyboard.type("!");
  stay = false;
  await page.goto(`${app}/doku.php?id=engine&do=edit`).catch((e) => note("goto", e.message));
  note("asked", asked);
  await page.locator("#wiki__text").fill("====== The engine ======\nIt weaves **algebraic** patterns.");
  await page.getByRole("textbox", { name: "Edit summary" }).fill("begun");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "The engine" }).waitFor();
  note("kept", await page.locator("strong", { hasText: "algebraic" }).count());
  await snapshot("kept", page.locator("#dokuwiki__content"));
  await page.getByRole("searchbox", { name: "Search" }).or(page.locator("#qsearch__in")).first().fill("weaves");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search" }).waitFor();
  note("found", await page.locator(".search_fullpage_result dt a, .search_results dt a").allTextContents());
}
