// Mouse and elements.

import { patience } from "../../patience.mjs";
import { expect, test } from "../fixtures.mjs";

/** Markup that writes each event of an element into window.log. */
const logging = (html, events) => `${html}<script>window.log=[];for(const t of "${events}".split(" "))
  document.getElementById("t").addEventListener(t,e=>log.push(e.type+(e.button??"")))</script>`;

test("click: the whole sequence of events", async ({ show }) => {
  const page = await show(logging("<button id=t>Push</button>", "pointerdown mousedown focus pointerup mouseup click"));
  await page.click("#t");
  expect(await page.evaluate(() => log)).toEqual(["pointerdown0", "mousedown0", "focus", "pointerup0", "mouseup0", "click0"]);
});

test("click: the right button opens no link", async ({ show }) => {
  const page = await show(logging("<a id=t href='/204'>x</a>", "mousedown contextmenu auxclick click"));
  await page.click("#t", { button: "right" });
  expect(await page.evaluate(() => log)).toEqual(["mousedown2", "contextmenu2", "auxclick2"]);
});

test("click: the middle button", async ({ show }) => {
  const page = await show(logging("<div id=t>x</div>", "mousedown mouseup auxclick click"));
  await page.click("#t", { button: "middle" });
  expect(await page.evaluate(() => log)).toEqual(["mousedown1", "mouseup1", "auxclick1"]);
});

test("click: with modifiers", async ({ show }) => {
  const page = await show("<button onclick='this.textContent=[event.shiftKey,event.ctrlKey,event.altKey]'>x</button>");
  await page.click("button", { modifiers: ["Shift", "Alt"] });
  await expect(page.locator("button")).toHaveText("true,false,true");
});

test("click: at a position", async ({ show }) => {
  const page = await show("<div id=t style='width:100px;height:80px;background:#ccc' onclick='this.textContent=[event.offsetX,event.offsetY]'></div>");
  await page.click("#t", { position: { x: 12, y: 34 } });
  await expect(page.locator("#t")).toHaveText("12,34");
});

test("click: below the fold", async ({ show }) => {
  const page = await show("<div style='height:3000px'></div><button onclick='this.textContent=\"yes\"'>no</button>");
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: inside a box that scrolls", async ({ show }) => {
  const page = await show("<div style='height:100px;overflow:auto'><div style='height:900px'></div><button onclick='this.textContent=\"yes\"'>no</button></div>");
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: waits until the element is enabled", async ({ show }) => {
  const page = await show("<button disabled onclick='this.textContent=\"yes\"'>no</button>");
  await page.evaluate(() => setTimeout(() => { document.querySelector("button").disabled = false; }, 300));
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: waits until what covers it is gone", async ({ show }) => {
  const page = await show("<button onclick='this.textContent=\"yes\"'>no</button><div id=c style='position:fixed;inset:0'></div>");
  await page.evaluate(() => setTimeout(() => c.remove(), 300));
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: says what covers it", async ({ show }) => {
  const page = await show("<button>no</button><div id=cover style='position:fixed;inset:0'></div>");
  await expect(page.click("button", { timeout: patience(5_000) })).rejects.toThrow(/cover.* intercepts pointer events/);
});

test("click: waits until it stands still", async ({ show }) => {
  const page = await show(`<style>@keyframes m{from{margin-left:0}to{margin-left:200px}}button{animation:m .4s linear}</style>
    <button onclick='this.textContent="yes"'>no</button>`);
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: not what is hidden", async ({ show }) => {
  const page = await show("<button style='display:none'>no</button>");
  await expect(page.click("button", { timeout: 400 })).rejects.toThrow("Timeout 400ms exceeded");
});

test("click: forced, and only tried", async ({ show }) => {
  const page = await show("<button onclick='this.textContent=\"yes\"'>no</button>");
  await page.click("button", { trial: true });
  await expect(page.locator("button")).toHaveText("no");
  await page.click("button", { force: true });
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: in a shadow root", async ({ show }) => {
  const page = await show(`<x-a></x-a><script>customElements.define("x-a",class extends HTMLElement{constructor(){super();
    this.attachShadow({mode:"open"}).innerHTML="<button onclick='this.textContent=\\"yes\\"'>no</button>"}})</script>`);
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: on a transformed element", async ({ show }) => {
  const page = await show("<button style='transform:rotate(30deg) scale(.5);margin:80px' onclick='this.textContent=\"yes\"'>no</button>");
  await page.click("button");
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: a label reaches its field", async ({ show }) => {
  const page = await show("<label for=c>Agree</label><input id=c type=checkbox>");
  await page.getByText("Agree").click();
  await expect(page.locator("#c")).toBeChecked();
});

test("click: by the mouse's own methods", async ({ show }) => {
  const page = await show("<button style='position:absolute;left:40px;top:40px;width:100px;height:40px' onclick='this.textContent=\"yes\"'>no</button>");
  await page.mouse.move(80, 60, { steps: 4 });
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.locator("button")).toHaveText("yes");
});

test("click: dispatched without a mouse", async ({ show }) => {
  const page = await show("<button style='display:none' onclick='this.textContent=\"yes\"'>no</button>");
  await page.dispatchEvent("button", "click");
  await expect(page.locator("button")).toHaveText("yes");
});

test("dblclick: two clicks and a double one", async ({ show }) => {
  const page = await show(logging("<button id=t>x</button>", "click dblclick"));
  await page.dblclick("#t");
  expect(await page.evaluate(() => log)).toEqual(["click0", "click0", "dblclick0"]);
});

test("dblclick: selects a word", async ({ show }) => {
  const page = await show("<p style='font:20px monospace;margin:0'>first second</p>");
  await page.dblclick("p", { position: { x: 20, y: 10 } });
  expect((await page.evaluate(() => String(getSelection()))).trim()).toBe("first");
});

test("hover: over, enter and move", async ({ show }) => {
  const page = await show(logging("<div id=t style='width:50px;height:50px'>x</div>", "mouseover mouseenter mousemove mouseleave"));
  await page.hover("#t");
  expect(await page.evaluate(() => log)).toEqual(["mouseover0", "mouseenter0", "mousemove0"]);
  await page.mouse.move(300, 300);
  expect((await page.evaluate(() => log)).at(-1)).toBe("mouseleave0");
});

test("hover: shows a menu of script", async ({ show }) => {
  const page = await show("<div id=m onmouseenter='i.hidden=false'>Menu<button id=i hidden onclick='document.title=\"chosen\"'>Item</button></div>");
  await page.hover("#m");
  await page.click("#i");
  await expect(page).toHaveTitle("chosen");
});

test("drag: HTML drag and drop", async ({ show }) => {
  const page = await show(`<div id=a draggable=true style='width:60px;height:40px;background:#cde'>A</div><div id=b style='width:160px;height:80px;background:#eee'>B</div>
    <script>a.ondragstart=e=>e.dataTransfer.setData("text/plain","moved");b.ondragover=e=>e.preventDefault();
    b.ondrop=e=>{e.preventDefault();b.textContent=e.dataTransfer.getData("text/plain")}</script>`);
  await page.dragAndDrop("#a", "#b");
  await expect(page.locator("#b")).toHaveText("moved");
});

test("drag: a list that script sorts by the pointer", async ({ show }) => {
  const page = await show(`<div id=k style='position:absolute;left:10px;top:10px;width:40px;height:40px;background:red'></div>
    <script>let on=false;k.onpointerdown=e=>{on=true;k.setPointerCapture(e.pointerId)};k.onpointermove=e=>{if(on){k.style.left=e.clientX-20+"px";k.style.top=e.clientY-20+"px"}};
    k.onpointerup=()=>{on=false}</script>`);
  await page.mouse.move(30, 30);
  await page.mouse.down();
  await page.mouse.move(200, 150, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(10, 300);
  expect(await page.locator("#k").boundingBox()).toEqual({ x: 180, y: 130, width: 40, height: 40 });
});

test("mouse wheel: scrolls the page", async ({ show }) => {
  const page = await show("<div style='height:5000px'></div>");
  await page.mouse.move(100, 100);
  await page.mouse.wheel(0, 400);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(400);
});

test("mouse wheel: scrolls the box under it, unless prevented", async ({ show }) => {
  const page = await show("<div id=s style='height:100px;width:100px;overflow:auto'><div style='height:2000px'></div></div>");
  await page.hover("#s");
  await page.mouse.wheel(0, 150);
  await expect.poll(() => page.evaluate(() => s.scrollTop)).toBe(150);
  await page.evaluate(() => s.addEventListener("wheel", (e) => e.preventDefault(), { passive: false }));
  await page.mouse.wheel(0, 150);
  await page.waitForTimeout(100);
  expect(await page.evaluate(() => s.scrollTop)).toBe(150);
});

test("mouse wheel: an element is scrolled into view", async ({ show }) => {
  const page = await show("<div style='height:3000px'></div><p>end</p>");
  await page.locator("p").scrollIntoViewIfNeeded();
  await expect(page.locator("p")).toBeInViewport();
});

test("check: a box, and off again", async ({ show }) => {
  const page = await show("<input type=checkbox onchange='document.title=this.checked'>");
  await page.check("input");
  await expect(page).toHaveTitle("true");
  await page.check("input");
  await page.uncheck("input");
  await expect(page).toHaveTitle("false");
  await page.setChecked("input", true);
  await expect(page.locator("input")).toBeChecked();
});

test("check: one of a group of radio buttons", async ({ show }) => {
  const page = await show("<label><input type=radio name=r value=1>One</label><label><input type=radio name=r value=2>Two</label>");
  await page.getByLabel("Two").check();
  await expect(page.getByLabel("Two")).toBeChecked();
  await page.getByLabel("One").check();
  await expect(page.getByLabel("Two")).not.toBeChecked();
});

test("select: by value, label and index", async ({ show }) => {
  const page = await show("<select onchange='document.title=this.value'><option value=a>Apple<option value=b>Pear<option value=c>Plum</select>");
  expect(await page.selectOption("select", "b")).toEqual(["b"]);
  await expect(page).toHaveTitle("b");
  expect(await page.selectOption("select", { label: "Plum" })).toEqual(["c"]);
  expect(await page.selectOption("select", { index: 0 })).toEqual(["a"]);
});

test("select: several", async ({ show }) => {
  const page = await show("<select multiple><option>a<option>b<option>c</select>");
  expect(await page.selectOption("select", ["a", "c"])).toEqual(["a", "c"]);
  await expect(page.locator("select")).toHaveValues(["a", "c"]);
});

test("upload: from memory", async ({ show }) => {
  const page = await show("<input type=file onchange='this.files[0].text().then(t=>document.title=this.files[0].name+t)'>");
  await page.setInputFiles("input", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
  await expect(page).toHaveTitle("a.txthello");
  await page.setInputFiles("input", []);
  expect(await page.evaluate(() => document.querySelector("input").files.length)).toBe(0);
});

test("upload: a file of the client's machine", async ({ show }) => {
  const { writeFile } = await import("node:fs/promises");
  const path = `${process.env.SCRATCH}/upload.txt`;
  await writeFile(path, "from disk");
  const page = await show("<input type=file multiple onchange='this.files[0].text().then(t=>document.title=t)'>");
  await page.setInputFiles("input", [path]);
  await expect(page).toHaveTitle("from disk");
});

test("upload: by the file chooser", async ({ show }) => {
  const page = await show("<input id=f type=file hidden onchange='document.title=this.files[0].name'><button onclick='f.click()'>Choose</button>");
  const chooser = page.waitForEvent("filechooser");
  await page.click("button");
  expect((await chooser).isMultiple()).toBe(false);
  await (await chooser).setFiles({ name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await expect(page).toHaveTitle("b.txt");
});

test("click: text in the slot of a button", async ({ show }) => {
  const page = await show(`<my-button>Save</my-button><script>
    customElements.define("my-button", class extends HTMLElement {
      constructor() {
        super();
        this.attachShadow({ mode: "open" }).innerHTML = "<button><slot></slot></button>";
        this.shadowRoot.firstChild.onclick = () => { this.title = "pressed"; };
      }
    });
  </script>`);
  await page.getByText("Save").click();
  await expect(page.locator("my-button")).toHaveAttribute("title", "pressed");
});
