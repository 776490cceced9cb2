// Finding and expecting.

import { patience } from "../../patience.mjs";
import { expect, test } from "../fixtures.mjs";

test("locators: by role and name", async ({ show }) => {
  const page = await show("<button>Save all</button><button aria-label='Close dialog'>x</button><h2>Title</h2><a href='#'>Link</a><input type=checkbox aria-label=Agree checked>");
  await expect(page.getByRole("button", { name: "save" })).toHaveText("Save all");
  await expect(page.getByRole("button", { name: "Close dialog", exact: true })).toHaveText("x");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText("Title");
  await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(1);
  await expect(page.getByRole("link")).toHaveCount(1);
});

test("locators: by text", async ({ show }) => {
  const page = await show("<p>Hello world</p><p>Hello</p><input type=submit value='Send it'>");
  await expect(page.getByText("hello")).toHaveCount(2);
  await expect(page.getByText("Hello", { exact: true })).toHaveCount(1);
  await expect(page.getByText(/^hello w/i)).toHaveCount(1);
  await expect(page.getByText("Send it")).toHaveCount(1);
});

test("locators: by label, placeholder, alternative text, title and test id", async ({ show }) => {
  const page = await show("<label>Name<input id=a></label><input placeholder='Your mail' id=b><img alt='A cat' id=c><span title='Hint' id=d>?</span><p data-testid=e id=e>x</p>");
  for (const [locator, id] of [
    [page.getByLabel("Name"), "a"], [page.getByPlaceholder("mail"), "b"], [page.getByAltText("cat"), "c"], [page.getByTitle("Hint"), "d"], [page.getByTestId("e"), "e"],
  ]) await expect(locator).toHaveId(id);
});

test("locators: filters, positions, and, or", async ({ show }) => {
  const page = await show("<ul><li>one<b>x</b><li>two<li class=z>three</ul>");
  const items = page.locator("li");
  await expect(items.filter({ hasText: "two" })).toHaveCount(1);
  await expect(items.filter({ has: page.locator("b") })).toHaveText("onex");
  await expect(items.filter({ hasNot: page.locator("b") })).toHaveCount(2);
  await expect(items.nth(1)).toHaveText("two");
  await expect(items.first().or(items.last())).toHaveCount(2);
  await expect(items.and(page.locator(".z"))).toHaveText("three");
  expect(await items.allTextContents()).toEqual(["onex", "two", "three"]);
});

test("locators: XPath, and CSS of Playwright's own", async ({ show }) => {
  const page = await show("<div><p>a</p><p class=v>b</p></div><p style='display:none'>c</p>");
  await expect(page.locator("xpath=//div/p[2]")).toHaveText("b");
  await expect(page.locator("p:visible")).toHaveCount(2);
  await expect(page.locator("p:has-text('b')")).toHaveClass("v");
  await expect(page.locator("p:right-of(div)")).toHaveCount(0);
});

test("locators: more than one is refused", async ({ show }) => {
  const page = await show("<button>a</button><button>b</button>");
  await expect(page.locator("button").click()).rejects.toThrow("strict mode violation");
});

test("locators: in shadow roots", async ({ show }) => {
  const page = await show("<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<p>shadow</p><slot></slot>'</script>");
  await expect(page.locator("p")).toHaveText("shadow");
  await expect(page.getByText("shadow")).toHaveCount(1);
});

test("locators: expectations of state", async ({ show }) => {
  const page = await show("<input id=a value=v><input id=b disabled><input id=c type=checkbox checked><p id=e></p><p id=f hidden>x</p><input id=g readonly>");
  await expect(page.locator("#a")).toBeEnabled();
  await expect(page.locator("#a")).toBeEditable();
  await expect(page.locator("#a")).toHaveValue("v");
  await expect(page.locator("#b")).toBeDisabled();
  await expect(page.locator("#c")).toBeChecked();
  await expect(page.locator("#e")).toBeEmpty();
  await expect(page.locator("#f")).toBeHidden();
  await expect(page.locator("#f")).toBeAttached();
  await expect(page.locator("#g")).not.toBeEditable();
});

test("locators: expectations of contents", async ({ show }) => {
  const page = await show("<ul><li>a<li>b</ul><p role=note class='x y' style='color:red' data-n=5 aria-label=Note>some  text</p>");
  await expect(page.locator("li")).toHaveText(["a", "b"]);
  await expect(page.locator("p")).toContainText("text");
  await expect(page.locator("p")).toHaveText("some text");
  await expect(page.locator("p")).toHaveClass(/x/);
  await expect(page.locator("p")).toHaveAttribute("data-n", "5");
  await expect(page.locator("p")).toHaveCSS("color", "rgb(255, 0, 0)");
  await expect(page.locator("p")).toHaveAccessibleName("Note");
  await expect(page.locator("p")).toHaveJSProperty("tagName", "P");
});

test("locators: an expectation waits, and says what it saw", async ({ show }) => {
  const page = await show("<p>before</p>");
  await page.evaluate(() => setTimeout(() => { document.querySelector("p").textContent = "after"; }, 300));
  await expect(page.locator("p")).toHaveText("after");
  const failure = await expect(page.locator("p")).toHaveText("never", { timeout: patience(5_000) }).catch((e) => e.message);
  expect(failure).toContain("after");
});

test("accessibility: an aria snapshot", async ({ show }) => {
  const page = await show("<nav><a href='/x'>Home</a></nav><main><h1>Title</h1><ul><li>One<li><button disabled>Two</button></ul><input aria-label=Name value=Ann></main>");
  await expect(page.locator("body")).toMatchAriaSnapshot(`
    - navigation:
      - link "Home":
        - /url: /x
    - main:
      - heading "Title" [level=1]
      - list:
        - listitem: One
        - listitem:
          - button "Two" [disabled]
      - textbox "Name": Ann
  `);
});

test("accessibility: roles that script gives", async ({ show }) => {
  const page = await show("<div role=dialog aria-labelledby=t><p id=t>Confirm</p><div role=tab aria-selected=true>Tab</div></div>");
  await expect(page.getByRole("dialog", { name: "Confirm" })).toBeVisible();
  await expect(page.getByRole("tab", { selected: true })).toHaveText("Tab");
});

test("DOM nodes: attributes, texts and html", async ({ show }) => {
  const page = await show("<div id=d><b>bold</b> text<!-- c --></div><input value=v>");
  expect(await page.innerHTML("#d")).toBe("<b>bold</b> text<!-- c -->");
  expect(await page.innerText("#d")).toBe("bold text");
  expect(await page.textContent("#d")).toBe("bold text");
  expect(await page.inputValue("input")).toBe("v");
  expect(await page.getAttribute("#d", "id")).toBe("d");
  expect(await page.content()).toContain("<b>bold</b>");
});
