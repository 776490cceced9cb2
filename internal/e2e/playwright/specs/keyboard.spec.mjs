// Text and keys.

import { patience } from "../../patience.mjs";
import { expect, test } from "../fixtures.mjs";

test("fill: a field, with its events", async ({ show }) => {
  const page = await show("<input id=i><script>window.log=[];for(const t of ['focus','beforeinput','input','change'])i.addEventListener(t,e=>log.push(e.type))</script>");
  await page.fill("#i", "text");
  await expect(page.locator("#i")).toHaveValue("text");
  expect(await page.evaluate(() => log.includes("input"))).toBe(true);
  await page.locator("#i").blur();
  expect(await page.evaluate(() => log.at(-1))).toBe("change");
});

test("fill: replaces what was there, and clears", async ({ show }) => {
  const page = await show("<input value=old>");
  await page.fill("input", "new");
  await expect(page.locator("input")).toHaveValue("new");
  await page.locator("input").clear();
  await expect(page.locator("input")).toHaveValue("");
});

test("fill: a field that script controls", async ({ show }) => {
  const page = await show("<input id=i><p id=p></p><script>i.oninput=()=>{i.value=i.value.toUpperCase();p.textContent=i.value}</script>");
  await page.fill("#i", "loud");
  await expect(page.locator("#p")).toHaveText("LOUD");
});

test("fill: every kind of field", async ({ show }) => {
  const page = await show("<textarea id=t></textarea><input id=n type=number><input id=d type=date><input id=r type=range max=100><input id=c type=color><input id=m type=email>");
  await page.fill("#t", "two\nlines");
  await page.fill("#n", "42");
  await page.fill("#d", "2024-02-29");
  await page.fill("#r", "30");
  await page.fill("#c", "#102030");
  await page.fill("#m", "a@b.example");
  expect(await page.evaluate(() => [t, n, d, r, c, m].map((e) => e.value))).toEqual(["two\nlines", "42", "2024-02-29", "30", "#102030", "a@b.example"]);
});

test("fill: an editable element", async ({ show }) => {
  const page = await show("<div contenteditable>old <b>bold</b></div>");
  await page.fill("div", "fresh");
  await expect(page.locator("div")).toHaveText("fresh");
});

test("fill: refuses what cannot be filled", async ({ show }) => {
  const page = await show("<input type=checkbox>");
  await expect(page.fill("input", "x", { timeout: patience(5_000) })).rejects.toThrow("cannot be filled");
});

test("type: key by key", async ({ show }) => {
  const page = await show("<input id=i><script>window.log=[];for(const t of ['keydown','keypress','input','keyup'])i.addEventListener(t,e=>log.push(e.type+(e.key??e.data)))</script>");
  await page.locator("#i").pressSequentially("aB");
  expect(await page.evaluate(() => log)).toEqual(["keydowna", "keypressa", "inputa", "keyupa", "keydownB", "keypressB", "inputB", "keyupB"]);
  await expect(page.locator("#i")).toHaveValue("aB");
});

test("type: at the caret, not over it", async ({ show }) => {
  const page = await show("<input value=ad>");
  await page.focus("input");
  await page.evaluate(() => document.querySelector("input").setSelectionRange(1, 1));
  await page.keyboard.type("bc");
  await expect(page.locator("input")).toHaveValue("abcd");
});

test("type: other scripts, and text without keys", async ({ show }) => {
  const page = await show("<input>");
  await page.focus("input");
  await page.keyboard.type("жé漢😀");
  await page.keyboard.insertText("!");
  await expect(page.locator("input")).toHaveValue("жé漢😀!");
});

test("type: what a handler prevents does not appear", async ({ show }) => {
  const page = await show("<input onkeydown='if(event.key===\"x\")event.preventDefault()'>");
  await page.locator("input").pressSequentially("axb");
  await expect(page.locator("input")).toHaveValue("ab");
});

test("type: into an editable element", async ({ show }) => {
  const page = await show("<div contenteditable id=e></div>");
  await page.click("#e");
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  expect((await page.locator("#e").innerText()).split("\n").filter(Boolean)).toEqual(["one", "two"]);
});

test("press: Enter sends a form", async ({ show }) => {
  const page = await show("<form onsubmit='event.preventDefault();document.title=this.q.value'><input name=q><button>Go</button></form>");
  await page.fill("input", "asked");
  await page.press("input", "Enter");
  await expect(page).toHaveTitle("asked");
});

test("press: Tab and Shift+Tab move the focus", async ({ show }) => {
  const page = await show("<input id=a><input id=b disabled><button id=c>x</button><a id=d href='#'>y</a>");
  await page.focus("#a");
  await page.keyboard.press("Tab");
  await expect(page.locator("#c")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator("#d")).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator("#a")).toBeFocused();
});

test("press: Space and Enter push a button", async ({ show }) => {
  const page = await show("<button onclick='this.textContent=+this.textContent+1'>0</button>");
  await page.press("button", " ");
  await page.press("button", "Enter");
  await expect(page.locator("button")).toHaveText("2");
});

test("press: Backspace, Delete, Home, End and arrows", async ({ show }) => {
  const page = await show("<input value=abcdef>");
  const press = (key) => page.press("input", key);
  for (const key of ["End", "Backspace", "Home", "Delete", "ArrowRight", "ArrowRight", "ArrowLeft"]) await press(key);
  await page.keyboard.type("-");
  await expect(page.locator("input")).toHaveValue("b-cde");
});

test("press: arrows choose in a select and step a number", async ({ show }) => {
  const page = await show("<select><option>a<option>b</select><input type=number value=3>");
  await page.press("select", "ArrowDown");
  await expect(page.locator("select")).toHaveValue("b");
  await page.press("input", "ArrowUp");
  await expect(page.locator("input")).toHaveValue("4");
});

test("press: names and codes of keys", async ({ show }) => {
  const page = await show("<input onkeydown='(window.log??=[]).push([event.key,event.code,event.keyCode,event.location])'>");
  for (const key of ["Escape", "F5", "ArrowUp", "Shift+KeyA", "NumpadEnter"]) await page.press("input", key);
  expect(await page.evaluate(() => log.filter(([k]) => k !== "Shift"))).toEqual([
    ["Escape", "Escape", 27, 0], ["F5", "F5", 116, 0], ["ArrowUp", "ArrowUp", 38, 0], ["A", "KeyA", 65, 0], ["Enter", "NumpadEnter", 13, 3],
  ]);
});

test("keyboard shortcuts: select all and replace", async ({ show }) => {
  const page = await show("<input value=old>");
  await page.focus("input");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("new");
  await expect(page.locator("input")).toHaveValue("new");
});

test("keyboard shortcuts: undo", async ({ show, inFrame }) => {
  const page = await show("<input>");
  await page.focus("input");
  await page.keyboard.type("abc");
  await page.keyboard.press("ControlOrMeta+z");
  const field = expect(page.locator("input"));
  await (inFrame() ? field : field.not).toHaveValue("abc");
});

test("keyboard shortcuts: selection with Shift", async ({ show }) => {
  const page = await show("<input value=abcd>");
  await page.focus("input");
  for (const key of ["Home", "Shift+ArrowRight", "Shift+ArrowRight"]) await page.keyboard.press(key);
  await page.keyboard.type("X");
  await expect(page.locator("input")).toHaveValue("Xcd");
});

test("keyboard shortcuts: the page's own", async ({ show }) => {
  const page = await show("<script>onkeydown=e=>{if(e.ctrlKey&&e.key==='k'){e.preventDefault();document.title='palette'}}</script>");
  await page.keyboard.press("Control+k");
  await expect(page).toHaveTitle("palette");
});

test("keyboard shortcuts: a key held down repeats and is seen by the mouse", async ({ show }) => {
  const page = await show("<input id=i onkeydown='(window.log??=[]).push(event.repeat)'><button onclick='document.title=event.shiftKey'>x</button>");
  await page.focus("#i");
  await page.keyboard.down("a");
  await page.keyboard.down("a");
  await page.keyboard.up("a");
  expect(await page.evaluate(() => log)).toEqual([false, true]);
  await page.keyboard.down("Shift");
  await page.click("button");
  await page.keyboard.up("Shift");
  await expect(page).toHaveTitle("true");
});

test("type: focus and blur are heard", async ({ show }) => {
  const page = await show("<input id=a><input id=b><script>window.log=[];for(const t of ['focusin','focusout'])addEventListener(t,e=>log.push(e.type+e.target.id))</script>");
  await page.focus("#a");
  await page.focus("#b");
  await page.locator("#b").blur();
  expect(await page.evaluate(() => log)).toEqual(["focusina", "focusouta", "focusinb", "focusoutb"]);
});
