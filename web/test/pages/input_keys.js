// Keys on each kind of control. The values expected are those of Chromium 156
// for trusted input.
await visit("/keys", {
  html: `
<input id="first"><div id="rich" contenteditable>ab</div><input id="num" type="number" step="any"><input id="mail" type="email" value="a@b.co">
<input id="short" maxlength="3"><input id="range" type="range" step="5" value="50">
<select id="fruit"><option>apple<option>banana<option>cherry</select>
<input type="radio" name="g" id="r1"><input type="radio" name="g" id="r2"><button id="go">go</button><a id="link" href="#there">there</a>
<details><summary id="sum">sum</summary><button id="folded">in</button></details><span id="words">plain</span><div id="host"><input id="slotted"></div>
<iframe id="kid" srcdoc="<input id=deep>"></iframe><textarea id="area"></textarea><form id="form"><input type="checkbox" id="tick"></form><input id="last">
<dialog id="ask"><button id="yes">yes</button><button id="no">no</button></dialog><div id="pop" popover>pop</div>
<script>
  host.attachShadow({ mode: "open" }).innerHTML = "<input id=s1><slot></slot><input id=s2>";
  window.log = [];
  for (const t of ["beforeinput","input","change","submit","click","keypress","cancel","close"])
    document.addEventListener(t, (e) => log.push(t + ":" + e.target.id + (e.inputType ? "=" + e.inputType : "")), true);
  window.active = () => { let e = document.activeElement; for (;;) { const i = e.shadowRoot?.activeElement ?? e.contentDocument?.activeElement; if (!i) return e.id || e.nodeName; e = i; } };
  form.addEventListener("submit", (e) => e.preventDefault());
<\/script>`,
});
await value("new Promise((r) => setTimeout(r, 100))");
const key = async (key, more = {}) => {
  const text = more.modifiers & 6 ? undefined : key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
  await cdp("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, code: key, text, ...more });
  await cdp("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, ...more, text: undefined });
};
const type = async (text) => {
  for (const c of text) await key(c);
};
const log = () => value("log.splice(0)");

// Tab: the flat tree, one of a radio group, through frames, out at the end.
await value("first.focus()");
const order = [];
for (let i = 0; i < 19; i++) {
  await key("Tab");
  order.push(await value("active()"));
}
is(order, [
  "rich",
  "num",
  "mail",
  "short",
  "range",
  "fruit",
  "r1",
  "go",
  "link",
  "sum",
  "s1",
  "slotted",
  "s2",
  "deep",
  "area",
  "tick",
  "last",
  "BODY",
  "first",
]);
is(await value("document.activeElement.id"), "first");
await value("area.focus()");
await key("Tab", { modifiers: 8 });
is(await value("active()"), "deep", "Shift+Tab");
await key("Tab", { text: "\t" });
is([await value("active()"), (await log()).filter((l) => l.startsWith("keypress"))], ["area", []], "Tab with a text");
const { x, y } = await value("(({ left, top }) => ({ x: left + 5, y: top + 5 }))(words.getBoundingClientRect())");
for (const t of ["mousePressed", "mouseReleased"])
  await cdp("Input.dispatchMouseEvent", { type: t, x, y, button: "left", clickCount: 1 });
await key("Tab");
is(await value("active()"), "s1", "from where the mouse was pressed");

// A modal dialog keeps Tab, and Escape closes it.
await value("ask.showModal()");
await key("Tab");
await log();
is(await value("active()"), "no");
await value("askClosed = new Promise((r) => ask.addEventListener('close', () => setTimeout(r))), 1");
await key("Escape");
await value("askClosed");
is([await value("ask.open"), await log()], [false, ["cancel:ask", "close:ask"]]);
await value("pop.showPopover()");
await key("Escape");
is(await value("pop.matches(':popover-open')"), false);

// Fields that script cannot ask for the caret.
await value("num.focus()");
await type("-1.25");
is(await value("num.value"), "-1.25");
await key("ArrowUp");
is(await value("num.value"), "-0.25");
await value("mail.focus(); mail.select()");
await type("x@y.z");
await key("Home");
await type("w");
await key("End");
await key("Backspace");
is(await value("mail.value"), "wx@y.");
await key("a", { modifiers: 2 });
await key("x", { modifiers: 2 });
is(await value("mail.value"), "", "cut");
await key("v", { modifiers: 2 });
is(await value("mail.value"), "wx@y.", "pasted");
await value("short.focus()");
await type("abcd");
is(await value("short.value"), "abc", "maxlength");

// The input event says what was done, not by which command.
await value("area.focus()");
await log();
await type("one two");
await log();
await key("Backspace", { modifiers: 2 });
await key("Enter");
is(
  [await value("area.value"), (await log()).filter((l) => l.includes("input"))],
  [
    "one \n",
    [
      "beforeinput:area=deleteWordBackward",
      "input:area=deleteWordBackward",
      "beforeinput:area=insertLineBreak",
      "input:area=insertLineBreak",
    ],
  ],
);
await value("area.value = 'line'");
await key("a", { modifiers: 2 });
await key("x", { modifiers: 2 });
await key("v", { modifiers: 2 });
is(
  (await log()).filter((l) => l.startsWith("input")),
  ["input:area=deleteByCut", "input:area=insertFromPaste"],
);
await value("rich.focus(); getSelection().selectAllChildren(rich)");
await key("b", { modifiers: 2 });
is(await value("rich.innerHTML"), "<b>ab</b>");

// One change: on Enter, and not again when the field is left.
await value("first.focus()");
await type("q");
await log();
await key("Enter");
await key("Tab");
is(
  (await log()).filter((l) => l.startsWith("change")),
  ["change:first"],
);
await value("first.focus()");
await type("r");
await log();
await key("Tab");
is(
  (await log()).filter((l) => l.startsWith("change")),
  ["change:first"],
  "the next one is sent",
);

// Lists by their letters, sliders by pages.
await value("fruit.focus()");
await type("ch");
is(await value("fruit.value"), "cherry");
await value("range.focus()");
await key("PageUp");
is(await value("range.value"), "60");

// Space presses what it went down on; a link takes Enter already then; a checkbox alone submits nothing.
await value("go.focus(); go.addEventListener('keydown', (e) => e.preventDefault(), { once: true })");
await log();
await key(" ");
is(await log(), [], "a cancelled keydown");
await key(" ");
is(await log(), ["keypress:go", "click:go"]);
await value("link.focus()");
await key("Enter");
is([await log(), await value("location.hash")], [["click:link"], "#there"]);
await value("tick.focus()");
await log();
await key("Enter");
is((await log()).includes("submit:form"), false);

// Keys as clients encode what is on no keyboard (chromedp), and Tab by what it types (rod).
await value("first.value = ''; first.focus()");
for (const text of ["ä", "☂", " "]) {
  const unknown = { key: "Unidentified" };
  await cdp("Input.dispatchKeyEvent", { type: "keyDown", ...unknown });
  await cdp("Input.dispatchKeyEvent", { type: "char", ...unknown, text, unmodifiedText: text });
  await cdp("Input.dispatchKeyEvent", { type: "keyUp", ...unknown });
}
is(await value("first.value"), "ä☂ ");
await key("\t", { text: "\t", code: "Tab" });
is(await value("active()"), "rich", "Tab by its text");

// What a listener leaves for a microtask comes before the next event.
await visit("/order", {
  html: "<input autofocus><button style='position:fixed;left:200px;top:100px;width:80px;height:30px'>b</button>",
});
await value(`window.order = []; document.querySelector("input").focus();
  for (const type of ["keydown", "keypress", "beforeinput", "input", "keyup", "pointerdown", "mousedown", "mouseup", "click"]) {
    addEventListener(type, () => { order.push(type); Promise.resolve().then(() => Promise.resolve()).then(() => order.push("after " + type)); });
  }`);
await cdp("Input.dispatchKeyEvent", { type: "keyDown", key: "a", code: "KeyA", text: "a", windowsVirtualKeyCode: 65 });
await cdp("Input.dispatchKeyEvent", { type: "keyUp", key: "a", code: "KeyA", windowsVirtualKeyCode: 65 });
is(
  (await value("order")).filter((t) => !/put/.test(t)),
  ["keydown", "after keydown", "keypress", "after keypress", "keyup", "after keyup"],
);
is(
  (await value("order")).filter((t) => /^(be.*|in)put$/.test(t)),
  ["beforeinput", "input"],
);
await value("order.length = 0");
for (const type of ["mousePressed", "mouseReleased"])
  await cdp("Input.dispatchMouseEvent", { type, x: 220, y: 110, button: "left", clickCount: 1 });
is(
  await value("new Promise((r) => setTimeout(() => r(order)))"),
  ["pointerdown", "mousedown", "mouseup", "click"].flatMap((t) => [t, "after " + t]),
);

// WebDriver's Control+A has a control character for its text, which types nothing.
await visit("/one", { html: "<input id=control value=Ada autofocus>" });
await value("document.getElementById('control').focus()");
const chord = { key: "a", code: "KeyA", windowsVirtualKeyCode: 65, modifiers: 2 };
await cdp("Input.dispatchKeyEvent", { type: "keyDown", text: "\x01", unmodifiedText: "a", ...chord });
await cdp("Input.dispatchKeyEvent", { type: "keyUp", ...chord });
is(await value("[control.value, control.selectionStart, control.selectionEnd]"), ["Ada", 0, 3]);
await cdp("Input.dispatchKeyEvent", { type: "char", text: "\x02" });
is(await value("control.value"), "Ada");

// A word is erased only where nothing is selected.
await visit("/erase", {
  html: `<input id="field"><select id="many" multiple><option>a<option>b<option disabled>c<option>d<option>e</select><input id="num" type="number" step="0.5">
<script>
  window.log = [];
  for (const t of ["beforeinput", "input", "change"]) document.addEventListener(t, (e) => log.push(t + (e.inputType ? "=" + e.inputType : "")), true);
<\/script>`,
});
const erased = async (name, from, to) => {
  await value(`field.value = "abc def ghi"; field.focus(); field.setSelectionRange(${from}, ${to})`);
  await key(name, { modifiers: 2 });
  return [await value("field.value"), (await log())[0]];
};
is(await erased("Backspace", 4, 7), ["abc  ghi", "beforeinput=deleteContentBackward"]);
is(await erased("Delete", 4, 7), ["abc  ghi", "beforeinput=deleteContentForward"]);
is(await erased("Delete", 3, 3), ["abc ghi", "beforeinput=deleteWordForward"]);

// Arrows go where they point, also in text from right to left.
await value("field.dir = 'rtl'; field.value = 'שלום'; field.setSelectionRange(0, 0)");
const carets = [];
for (const name of ["ArrowLeft", "ArrowLeft", "ArrowRight"]) {
  await key(name);
  carets.push(await value("field.selectionStart"));
}
await key("ArrowLeft", { modifiers: 8 });
is([...carets, await value("[field.selectionStart, field.selectionEnd]")], [1, 2, 1, [1, 2]]);

// Shift extends the selection of a list.
await value("many.selectedIndex = 1; many.focus()");
const chosen = [];
for (const [name, modifiers] of [
  ["ArrowDown", 8],
  ["ArrowDown", 8],
  ["ArrowUp", 8],
  ["ArrowUp", 0],
  ["End", 8],
]) {
  await key(name, { modifiers });
  chosen.push(await value("[...many.selectedOptions].map((o) => o.label).join('')"));
}
is(chosen, ["bd", "bde", "bd", "b", "bde"]);

// A step of a number is told once, also after typed digits.
await log();
await value("num.focus()");
await type("1");
await key("ArrowUp");
await value("field.focus()");
is([await value("num.value"), (await log()).filter((l) => l === "change")], ["1.5", ["change"]]);

// Backwards from the first field, Tab leaves the page.
await value("field.focus()");
await key("Tab", { modifiers: 8 });
const left = await value("document.activeElement.nodeName");
await key("Tab", { modifiers: 8 });
is([left, await value("document.activeElement.id")], ["BODY", "num"]);
