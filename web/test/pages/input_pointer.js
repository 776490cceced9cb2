// What the mouse does beyond a click: capture, selecting, sliders, hover
// across changes and frames, and what closes by itself. The values expected
// are those of Chromium 156 for trusted input.
await visit("/pointer", {
  html: `
<style>body{margin:0;font:16px/20px monospace}body>*{position:absolute;left:10px;width:200px;height:20px;margin:0;padding:0;border:0}</style>
<div id="knob" style="top:10px"></div><div id="other" style="top:40px"></div>
<p id="text" style="top:70px;width:400px">hello brave new world</p><input id="field" style="top:100px;width:400px;font:16px monospace" value="hello brave">
<input id="range" type="range" style="top:130px" value="50"><input id="off" disabled style="top:160px"><button id="dead" disabled style="top:190px">x</button>
<select id="list" multiple size="3" style="top:220px;height:80px"><option>a<option>b<option>c</select>
<div id="outer" style="top:310px"><b id="inner">bold</b></div><button id="tool" style="top:340px">tool</button>
<div id="pop" popover style="top:400px;left:300px">pop</div><dialog id="ask" style="top:400px;left:300px;height:50px">ask</dialog>
<a id="link" href="http://x.test/" style="top:370px">link</a><div id="drop" style="top:400px">drop</div>
<div id="box" style="top:430px;height:60px"><iframe id="kid" style="width:150px;height:50px;border:0" srcdoc="<body style='margin:0'>kid"></iframe></div>
<script>
  window.log = [];
  const note = (e) => log.push(e.type + ":" + (e.target.id || e.target.nodeName));
  for (const t of ["gotpointercapture","lostpointercapture","pointermove","pointerup","mouseup","click","input","change","mousedown","mousemove","contextmenu","pointercancel"]) document.addEventListener(t, note, true);
  for (const el of [outer, box]) for (const t of ["mouseenter", "mouseleave"]) el.addEventListener(t, note);
  drop.addEventListener("dragover", (e) => e.preventDefault());
  drop.addEventListener("drop", (e) => { e.preventDefault(); drop.textContent = e.dataTransfer.getData("text/uri-list"); });
<\/script>`,
});
const mouse = (type, x, y, more) => cdp("Input.dispatchMouseEvent", { type, x, y, ...more });
const move = (x, y, more) => mouse("mouseMoved", x, y, more);
const drag = (x, y) => move(x, y, { button: "left", buttons: 1 });
const press = (x, y, more) => mouse("mousePressed", x, y, { button: "left", buttons: 1, clickCount: 1, ...more });
const release = (x, y, more) => mouse("mouseReleased", x, y, { button: "left", clickCount: 1, ...more });
const click = async (x, y, more) => {
  await move(x, y);
  await press(x, y, more);
  await release(x, y, more);
};
const log = () => value("log.splice(0)");

// Capture: the element keeps the pointer until the button is up.
await value(
  "knob.addEventListener('pointerdown', (e) => { knob.setPointerCapture(e.pointerId); log.push('held:' + knob.hasPointerCapture(1)); })",
);
await move(20, 20);
await log();
await press(20, 20);
await drag(20, 50);
await release(20, 50);
is(await log(), [
  "held:true",
  "mousedown:knob",
  "gotpointercapture:knob",
  "pointermove:knob",
  "mousemove:knob",
  "pointerup:knob",
  "mouseup:knob",
  "lostpointercapture:knob",
  "click:knob",
]);
is(await value("knob.hasPointerCapture(1)"), false);
await move(20, 50);
is((await log()).at(-1), "mousemove:other");

// Selecting by dragging and by Shift, in the page and in a field.
const [from, to] = await value(
  "(() => { const r = document.createRange(); r.setStart(text.firstChild, 6); r.setEnd(text.firstChild, 11); const b = r.getBoundingClientRect(); return [b.left, b.right]; })()",
);
await move(from + 1, 80);
await press(from + 1, 80);
await drag(from + 20, 80);
await drag(to, 80);
await release(to, 80);
is(await value("getSelection().toString()"), "brave");
await click(20, 350);
is(await value("getSelection().toString()"), "brave", "a button leaves the selection");
await move(11, 110);
await press(11, 110);
await drag(11 + (to - from), 110);
await release(11 + (to - from), 110);
is(await value("field.value.slice(field.selectionStart, field.selectionEnd)"), "hello");
await click(11, 110);
await click(11 + 2 * (to - from), 110, { modifiers: 8 });
is(await value("[field.selectionStart, field.selectionEnd]"), [0, 10], "Shift");

// A slider follows the mouse: input on the way, change at the end.
await log();
await click(60, 140);
is(
  [
    Math.round((await value("+range.value")) / 5),
    (await log()).filter((l) => l.endsWith(":range") && /input|change/.test(l)),
  ],
  [5, ["input:range", "change:range"]],
);
await press(60, 140);
await drag(110, 140);
await drag(160, 140);
is(
  [(await log()).filter((l) => /input|change/.test(l)).length, Math.round((await value("+range.value")) / 5)],
  [2, 15],
  "no change before the end",
);
await release(160, 140);
is((await log()).includes("change:range"), true);

// Disabled controls see the mouse pass, and a press on one takes the focus away.
await click(20, 110);
await log();
await click(20, 170);
is(await value("document.activeElement.nodeName"), "BODY");
await log();
await click(20, 200);
is(
  (await log()).filter((l) => l.endsWith(":dead") && !l.startsWith("pointer")),
  ["mousemove:dead"],
);

// Shift in a list selects from the last choice.
const option = (i) => value(`list.options[${i}].getBoundingClientRect().top + 5`);
await click(20, await option(0));
await click(20, await option(2), { modifiers: 8 });
is(await value("[...list.selectedOptions].map((o) => o.text)"), ["a", "b", "c"]);

// Hover: what goes from under the mouse is not entered anew around it, and a frame inside of an element is inside.
await move(20, 320);
await log();
await value("inner.remove()");
await move(22, 322);
is(
  (await log()).filter((l) => l.startsWith("mouseenter")),
  [],
);
await move(20, 440);
await log();
await move(200, 485);
is(
  (await log()).filter((l) => l.startsWith("mouseleave")),
  [],
);
await move(500, 550);
is(
  (await log()).filter((l) => l.startsWith("mouseleave")),
  ["mouseleave:box"],
);

// What closes by a press outside.
await value("pop.showPopover()");
await click(310, 410);
is(await value("pop.matches(':popover-open')"), true, "a press inside");
await click(600, 550);
is(await value("pop.matches(':popover-open')"), false);
await value("ask.closedBy = 'any', ask.showModal()");
await click(320, 420);
is(await value("ask.open"), true, "a press inside");
await click(600, 550);
is(await value("ask.open"), false);

// A link carries its address.
await move(20, 380);
await press(20, 380);
await drag(22, 390);
await drag(22, 410);
await log();
await release(22, 410);
is(await value("drop.textContent"), "http://x.test/");

// A finger is a pointer of its own, then a mouse.
await value(
  "for (const t of ['pointerover','pointerdown','touchstart','touchend','pointerout','focus']) tool.addEventListener(t, note)",
);
await log();
await cdp("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: 20, y: 350 }] });
await cdp("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
is(await log(), [
  "pointerover:tool",
  "pointerdown:tool",
  "touchstart:tool",
  "pointerup:tool",
  "pointerout:tool",
  "touchend:tool",
  "mousemove:tool",
  "mousedown:tool",
  "focus:tool",
  "mouseup:tool",
  "click:tool",
]);
await cdp("Input.synthesizeTapGesture", { x: 20, y: 350, tapCount: 2 });
is((await log()).filter((l) => l === "click:tool").length, 2);

// Drawing a selection out of a text box takes all that is beyond.
await visit("/drawn", {
  html: "<textarea id=t style='display:block;width:100px;height:40px'>one two three</textarea>",
});
for (const [type, x, y] of [
  ["mousePressed", 12, 14],
  ["mouseMoved", 40, 300],
  ["mouseReleased", 40, 300],
])
  await cdp("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
is(await value("[t.selectionStart, t.selectionEnd]"), [0, 13]);
