// Mouse, keyboard, forms.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, privileged, refused, scratch, seen, text, truth, value } from "../support.mjs";
import { check } from "./connect.mjs";

check("click", "page.click", async ({ page }) => {
  await page.click("#plus");
  await truth(text("count"), "1");
  await truth(seen("plus", "mousedown", "mouseup", "click"), ["mousedown", "mouseup", "click"]);
});

check("click", "click far down the page", async ({ page }) => {
  await page.click("#far");
  await truth(seen("far", "click"), ["click"]);
  assert.ok(await ask("scrollY") > 1000);
});

check("click", "right and middle button", async ({ page }) => {
  await page.click("#pad", { button: "right" });
  await page.click("#pad", { button: "middle" });
  await truth("seen.filter((e) => e[0] === 'mousedown' && e[1] === 'pad').map((e) => e[2])", [2, 1]);
});

check("click", "a node that is not there", async ({ page }) => {
  await assert.rejects(page.click("#nosuch"), /No element found for selector: #nosuch/);
});

check("dblclick", "click with count 2", async ({ page }) => {
  await page.click("#twice", { count: 2 });
  await truth(text("twice"), "Pressed twice");
});

check("hover", "page.hover and away", async ({ page }) => {
  await page.hover("#hover");
  await truth(text("hover"), "Inside");
  await page.hover("#plus");
  await truth(text("hover"), "Outside");
});

check("hover", "mouse.move to a point", async ({ page }) => {
  await page.mouse.move(850, 30);
  await truth("pointer", [850, 30]);
});

check("drag", "mouse down, move, up", async ({ page }) => {
  const middle = async (selector) => {
    const box = await (await page.$(selector)).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await page.mouse.move(...await middle("#card"));
  await page.mouse.down();
  await page.mouse.move(...await middle("#bin"), { steps: 5 });
  await page.mouse.up();
  await truth(text("bin"), "Got the card");
});

check("mouse wheel", "mouse.wheel", async ({ page }) => {
  await page.mouse.move(400, 600);
  await page.mouse.wheel({ deltaY: 300 });
  await truth("scrollY", 300);
});

check("touch", "page.tap", async ({ page }) => {
  await page.evaluate(() => addEventListener("touchstart", (event) => seen.push(["touchstart", event.target.id]), true));
  await page.tap("#plus");
  await truth(seen("plus", "touchstart", "click"), ["touchstart", "click"]);
  await truth(text("count"), "1");
});

check("fill", "locator.fill", async ({ page }) => {
  await page.locator("#name").fill("Ada");
  await page.locator("#plan").fill("team");
  await truth(`[${value("name")}, ${value("plan")}]`, ["Ada", "team"]);
  await truth(seen("plan", "input", "change"), ["input", "change"]);
});

check("type", "page.type", async ({ page }) => {
  await page.type("#name", "Ada");
  await truth(value("name"), "Ada");
  await truth("seen.filter((e) => e[1] === 'name' && e[0] !== 'focusin').map((e) => [e[0], e[2] ?? '']).slice(-3)",
    [["keydown", "a"], ["input", ""], ["keyup", "a"]]);
});

check("type", "into an editable element", async ({ page }) => {
  await page.type("#editor", "Words, änd ☂");
  await truth(text("editor"), "Words, änd ☂");
});

check("type", "keyboard.sendCharacter", async ({ page }) => {
  await page.focus("#notes");
  await page.keyboard.sendCharacter("嗨");
  await truth(value("notes"), "嗨");
});

check("press", "Enter submits the form", async ({ page }) => {
  await page.type("#name", "Ada");
  await page.keyboard.press("Enter");
  await truth(text("saved"), "Saved Ada, free, small, terms false");
});

check("press", "Tab, Backspace and arrows", async ({ page }) => {
  await page.type("#name", "Adam");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("-");
  await truth(value("name"), "Ad-a");
  await page.keyboard.press("Tab");
  await truth("document.activeElement.id", "email");
});

check("keyboard shortcuts", "select all and replace", async ({ page }) => {
  await page.type("#name", "Ada");
  await page.keyboard.down("Control");
  await page.keyboard.press("a", { commands: ["selectAll"] });
  await page.keyboard.up("Control");
  await page.keyboard.type("Bob");
  await truth(value("name"), "Bob");
});

check("check", "checkbox and radio button", async ({ page }) => {
  await page.click("#terms");
  await page.click("#large");
  await truth("['terms', 'news', 'small', 'large'].map((id) => document.getElementById(id).checked)", [true, true, false, true]);
});

check("select", "page.select", async ({ page }) => {
  assert.deepEqual(await page.select("#plan", "pro"), ["pro"]);
  await truth(value("plan"), "pro");
  await truth(seen("plan", "input", "change"), ["input", "change"]);
});

check("upload", "uploadFile by path", async ({ page }) => {
  const path = join(scratch, "letter.txt");
  writeFileSync(path, "Dear reader");
  const upload = (await page.$("#file")).uploadFile(path);
  if (!privileged) return refused(upload);
  await upload;
  await truth("(async (f) => [f.name, f.size, await f.text()])(document.getElementById('file').files[0])", ["letter.txt", 11, "Dear reader"]);
  await truth(seen("file", "change"), ["change"]);
});

check("upload", "file chooser", async ({ page }) => {
  const path = join(scratch, "second.txt");
  writeFileSync(path, "Chosen");
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("#file")]);
  assert.equal(chooser.isMultiple(), false);
  if (!privileged) return refused(chooser.accept([path]));
  await chooser.accept([path]);
  await truth("(async (f) => [f.name, await f.text()])(document.getElementById('file').files[0])", ["second.txt", "Chosen"]);
});
