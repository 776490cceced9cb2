// The checks of Selenium, through chromedriver and its option debuggerAddress.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Builder, By, Key, until as is } from "selenium-webdriver";
import chrome from "selenium-webdriver/chrome.js";
import { Select } from "selenium-webdriver/lib/select.js";
import { app, appPage, ask, checks, endpoint, isPNG, privileged, run, scratch, seen, text, truth, value } from "./support.mjs";

const connect = () => new Builder()
  .forBrowser("chrome")
  .setChromeOptions(new chrome.Options().debuggerAddress(new URL(endpoint).host))
  .setChromeService(new chrome.ServiceBuilder(process.env.CHROMEDRIVER))
  .build();

/** check declares a check of a driver whose window shows the app. */
const check = checks(async () => {
  const driver = await connect();
  await driver.get(appPage);
  return Object.assign(driver, { close: () => driver.quit(), closeWindow: driver.close.bind(driver) });
});

const $ = (driver, selector) => driver.findElement(By.css(selector));

check("connect", "a session by debuggerAddress", async (driver) => {
  const capabilities = await driver.getCapabilities();
  assert.match(capabilities.getBrowserName(), /^chrome(-headless-shell)?$/);
  assert.match(capabilities.getBrowserVersion(), /^\d+\./);
});

check("list pages", "getAllWindowHandles and getTitle", async (driver) => {
  assert.equal((await driver.getAllWindowHandles()).length, 1);
  assert.equal(await driver.getCurrentUrl(), appPage);
  assert.equal(await driver.getTitle(), "Field book");
});

check("new page", "switchTo().newWindow, then close", async (driver) => {
  const [first] = await driver.getAllWindowHandles();
  await driver.switchTo().newWindow("tab");
  await driver.get(`${app}/two.html`);
  assert.equal(await driver.getTitle(), "Second page");
  await $(driver, "#here").click();
  await truth(text("here"), "Pressed here", "/two.html");
  assert.equal((await driver.getAllWindowHandles()).length, 2);
  await driver.closeWindow();
  await driver.switchTo().window(first);
});

check("close", "close ends the window", async (driver) => {
  const [first] = await driver.getAllWindowHandles();
  await driver.switchTo().newWindow("tab");
  await driver.closeWindow();
  assert.deepEqual(await driver.getAllWindowHandles(), [first]);
  await driver.switchTo().window(first);
});

check("two clients at once", "two sessions, one page", async (driver) => {
  const other = await connect();
  await $(other, "#plus").click();
  assert.equal(await $(driver, "#count").getText(), "1");
  await other.quit();
  await $(driver, "#plus").click();
  await truth(text("count"), "2");
});

check("new CDP session", "sendAndGetDevToolsCommand", async (driver) => {
  const { result } = await driver.sendAndGetDevToolsCommand("Runtime.evaluate", { expression: "document.title" });
  assert.equal(result.value, "Field book");
});

check("goto", "get, and through a redirect", async (driver) => {
  await driver.get(`${app}/two.html`);
  assert.equal(await driver.getTitle(), "Second page");
  await driver.get(appPage);
  await driver.get(`${app}/api/redirect`);
  assert.equal(await driver.getCurrentUrl(), `${app}/two.html`);
});

check("reload", "navigate().refresh", async (driver) => {
  await driver.executeScript("window.old = true");
  await driver.navigate().refresh();
  await truth("window.old ?? 'gone'", "gone");
});

check("back", "navigate().back", async (driver) => {
  await driver.get(`${app}/two.html`);
  await driver.navigate().back();
  assert.equal(await driver.getTitle(), "Field book");
});

check("forward", "navigate().forward", async (driver) => {
  await driver.get(`${app}/two.html`);
  await driver.navigate().back();
  await driver.navigate().forward();
  assert.equal(await driver.getTitle(), "Second page");
});

check("wait for", "elementLocated, titleIs", async (driver) => {
  await $(driver, "#later").click();
  const arrived = await driver.wait(is.elementLocated(By.css("#arrived")), 5_000);
  assert.equal(await arrived.getText(), "Arrived late");
  await $(driver, "#two").click();
  await driver.wait(is.titleIs("Second page"), 5_000);
});

check("click", "click, also far down the page", async (driver) => {
  await $(driver, "#plus").click();
  await truth(text("count"), "1");
  await truth(seen("plus", "mousedown", "mouseup", "click"), ["mousedown", "mouseup", "click"]);
  await $(driver, "#far").click();
  await truth(seen("far", "click"), ["click"]);
  assert.ok(await ask("scrollY") > 1000);
});

check("dblclick", "actions().doubleClick", async (driver) => {
  await driver.actions().doubleClick($(driver, "#twice")).perform();
  await truth(text("twice"), "Pressed twice");
});

check("hover", "actions().move and away", async (driver) => {
  await driver.actions().move({ origin: $(driver, "#hover") }).perform();
  await truth(text("hover"), "Inside");
  await driver.actions().move({ origin: $(driver, "#plus") }).perform();
  await truth(text("hover"), "Outside");
});

check("drag", "actions().dragAndDrop", async (driver) => {
  await driver.actions().dragAndDrop($(driver, "#card"), $(driver, "#bin")).perform();
  await truth(text("bin"), "Got the card");
});

check("mouse wheel", "actions().scroll", async (driver) => {
  await driver.actions().scroll(400, 500, 0, 300).perform();
  await truth("scrollY", 300);
});

check("fill", "clear and sendKeys", async (driver) => {
  const name = await $(driver, "#name");
  await name.sendKeys("Grace");
  await name.clear();
  await name.sendKeys("Ada");
  await truth(value("name"), "Ada");
});

check("type", "sendKeys into an editable element", async (driver) => {
  await $(driver, "#editor").sendKeys("Words, änd ☂");
  await truth(text("editor"), "Words, änd ☂");
});

check("press", "Enter submits the form, arrows move", async (driver) => {
  await $(driver, "#name").sendKeys("Ad", Key.ARROW_LEFT, "-", Key.ENTER);
  await truth(text("saved"), "Saved A-d, free, small, terms false");
});

check("keyboard shortcuts", "select all and replace", async (driver) => {
  await $(driver, "#name").sendKeys("Ada", Key.chord(Key.CONTROL, "a"), "Bob");
  await truth(value("name"), "Bob");
});

check("check", "checkbox and radio button", async (driver) => {
  await $(driver, "#terms").click();
  await $(driver, "#large").click();
  await truth("['terms', 'small', 'large'].map((id) => document.getElementById(id).checked)", [true, false, true]);
  assert.equal(await $(driver, "#terms").isSelected(), true);
});

check("select", "Select.selectByValue", async (driver) => {
  await new Select(await $(driver, "#plan")).selectByValue("pro");
  await truth(value("plan"), "pro");
});

check("upload", "sendKeys of a path", async (driver) => {
  const path = join(scratch, "letter.txt");
  writeFileSync(path, "Dear reader");
  const upload = $(driver, "#file").sendKeys(path);
  if (!privileged) return assert.rejects(upload);
  await upload;
  await truth("(async (f) => [f.name, await f.text()])(document.getElementById('file').files[0])", ["letter.txt", "Dear reader"]);
});

check("evaluate", "executeScript with values of every kind", async (driver) => {
  for (const each of [null, 1.5, "words", true, [1, [2]], { a: { b: "c" } }]) assert.deepEqual(await driver.executeScript("return arguments[0]", each), each);
});

check("evaluate errors", "the page's error", async (driver) => {
  await assert.rejects(driver.executeScript("throw new RangeError('out of reach')"), /out of reach/);
});

check("evaluate promises", "executeAsyncScript, and a promise", async (driver) => {
  assert.equal(await driver.executeAsyncScript("setTimeout(arguments[0], 50, 'later')"), "later");
  assert.equal(await driver.executeScript("return Promise.resolve(7)"), 7);
});

check("handles", "elements as arguments and results", async (driver) => {
  const pad = await driver.executeScript("return document.getElementById('pad')");
  assert.deepEqual(await pad.getRect(), { x: 800, y: 10, width: 300, height: 60 });
  assert.equal(await driver.executeScript("return arguments[0].id", pad), "pad");
  assert.equal(await $(driver, "#secret").isDisplayed(), false);
});

check("init script", "Page.addScriptToEvaluateOnNewDocument", async (driver) => {
  await driver.sendDevToolsCommand("Page.addScriptToEvaluateOnNewDocument", { source: "window.early = document.getElementById('heading') === null" });
  await driver.navigate().refresh();
  await truth("window.early", true);
});

check("dialog", "alert and prompt", async (driver) => {
  await driver.executeScript("setTimeout(() => { window.told = prompt('Name?', 'Bob') })");
  await driver.wait(is.alertIsPresent(), 5_000);
  const dialog = await driver.switchTo().alert();
  assert.equal(await dialog.getText(), "Name?");
  await dialog.sendKeys("Ada");
  await dialog.accept();
  await truth("window.told", "Ada");
});

check("cookies", "manage().addCookie, getCookie, deleteCookie", async (driver) => {
  await driver.manage().addCookie({ name: "taste", value: "sweet" });
  await truth("document.cookie.includes('taste=sweet')", true);
  assert.equal((await driver.manage().getCookie("taste")).value, "sweet");
  await driver.manage().deleteCookie("taste");
  await truth("document.cookie.includes('taste')", false);
});

check("screenshot", "takeScreenshot", async (driver) => {
  const [width, height] = isPNG(Buffer.from(await driver.takeScreenshot(), "base64"));
  assert.ok(width > 1000 && height > 400, `${width} × ${height}`);
});

check("element screenshot", "of an element", async (driver) => {
  assert.deepEqual(isPNG(Buffer.from(await (await $(driver, "#pad")).takeScreenshot(), "base64")), [300, 60]);
});

check("pdf", "printPage", async (driver) => {
  assert.equal(Buffer.from(await driver.printPage({}), "base64").subarray(0, 5).toString(), "%PDF-");
});

check("frames", "switchTo().frame", async (driver) => {
  await driver.get(`${app}/frames.html`);
  await driver.switchTo().frame(await $(driver, "#inner"));
  await $(driver, "#word").sendKeys("deep");
  await $(driver, "#press").click();
  await truth(`[${text("press")}, document.getElementById("word").value]`, ["Inner pressed", "deep"], "/child.html");
  await driver.switchTo().defaultContent();
  assert.equal(await $(driver, "#press").getText(), "Press");
});

check("locators", "by XPath, link text and shadow root", async (driver) => {
  await driver.findElement(By.xpath("//button[text()='Add one']")).click();
  await truth(text("count"), "1");
  assert.equal((await driver.findElements(By.css("#list li"))).length, 3);
  await driver.executeScript("const host = document.createElement('div'); host.id = 'host'; host.attachShadow({ mode: 'open' }).innerHTML = '<b>Within</b>'; document.body.prepend(host)");
  const root = await $(driver, "#host").getShadowRoot();
  assert.equal(await (await root.findElement(By.css("b"))).getText(), "Within");
});

check("accessibility", "getAriaRole and getAccessibleName", async (driver) => {
  const plan = await $(driver, "#plan");
  assert.deepEqual([await plan.getAriaRole(), await plan.getAccessibleName()], ["combobox", "Plan"]);
});

check("DOM nodes", "attributes and CSS values", async (driver) => {
  const heading = await $(driver, "#heading");
  assert.equal(await heading.getAttribute("title"), "The book");
  assert.equal(await heading.getTagName(), "h1");
  assert.equal(await heading.getCssValue("display"), "block");
});

check("viewport", "manage().window().setRect", async (driver) => {
  const before = await driver.manage().window().getRect();
  await driver.manage().window().setRect({ width: 900, height: 600 });
  await truth("innerWidth <= 900", true);
  await driver.manage().window().setRect(before);
});

check("emulation", "setNetworkConditions offline", async (driver) => {
  await driver.setNetworkConditions({ offline: true, latency: 0, download_throughput: 0, upload_throughput: 0 });
  assert.equal(await driver.executeScript("return fetch('/api/echo').then(() => 'came', (e) => e.name)"), "TypeError");
  await driver.deleteNetworkConditions();
});

run("selenium");
