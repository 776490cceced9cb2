// Copy and paste by script of the page: it may not use the system's clipboard here.
const box = (top) => `style='position:fixed;left:0;top:${top}px;width:100px;height:50px'`;
await visit("/clipboard", {
  html: `<button id=b ${box(0)}>copy</button><input id=i ${box(100)}><p id=p>some text</p>`,
});
const copies = (code) =>
  value(
    `b.onclick = async () => { document.title = await (async () => { ${code} })().catch((e) => e.name) }; document.title = ""; 1`,
  );
async function click(y) {
  for (const type of ["mousePressed", "mouseReleased"]) {
    await cdp("Input.dispatchMouseEvent", { type, x: 10, y, button: "left", clickCount: 1 });
  }
}
const title = () => until("a title", async () => await value("document.title"));
async function pasted() {
  await value("i.value = ''; 1");
  await click(110);
  await cdp("Input.dispatchKeyEvent", { type: "keyDown", key: "v", code: "KeyV", modifiers: 2 });
  await cdp("Input.dispatchKeyEvent", { type: "keyUp", key: "v", code: "KeyV", modifiers: 2 });
  return value("i.value");
}
is(await value("navigator.clipboard.writeText('x').catch((e) => e.name)"), "NotAllowedError", "before a click");

await copies("await navigator.clipboard.writeText('by writeText'); return 'done'");
await click(10);
is([await title(), await pasted()], ["done", "by writeText"]);

await copies(
  "await navigator.clipboard.write([new ClipboardItem({ 'text/plain': 'by write' })]); return navigator.clipboard.readText()",
);
await click(10);
is([await title(), await pasted()], ["by write", "by write"]);

await copies("getSelection().selectAllChildren(p); return String(document.execCommand('copy'))");
await click(10);
is([await title(), await pasted()], ["true", "some text"]);

// What the page puts into the event counts.
await copies(
  "addEventListener('copy', (e) => { e.clipboardData.setData('text/plain', 'of the event'); e.preventDefault() }, { once: true }); return String(document.execCommand('copy'))",
);
await click(10);
is([await title(), await pasted()], ["true", "of the event"]);

await copies("return String(document.execCommand('nothing'))");
await click(10);
is(await title(), "false");

// formatted text and pictures are kept too, for what the page reads and for what is pasted.
await copies(
  `const html = new Blob(["<b>bold</b>"], { type: "text/html" });
   await navigator.clipboard.write([new ClipboardItem({ "text/plain": "bold", "text/html": html })]);
   const [item] = await navigator.clipboard.read();
   return [item.types, await (await item.getType("text/html")).text(), await navigator.clipboard.readText()].join()`,
);
await click(10);
is([await title(), await pasted()], ["text/plain,text/html,<b>bold</b>,bold", "bold"]);
await value('i.outerHTML = `<div id=i contenteditable style="${i.style.cssText}"></div>`; 1');
await value("i.innerHTML = ''; 1");
await click(110);
await cdp("Input.dispatchKeyEvent", { type: "keyDown", key: "v", code: "KeyV", modifiers: 2 });
is(await value("i.innerHTML"), "<b>bold</b>");
await copies(
  `addEventListener("paste", (e) => (window.files = [...e.clipboardData.files].map((f) => f.name + " " + f.type + " " + f.size)), { once: true });
   await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob(["x"], { type: "image/png" }) })]); return "done"`,
);
await click(10);
is(await title(), "done");
await click(110);
await cdp("Input.dispatchKeyEvent", { type: "keyDown", key: "v", code: "KeyV", modifiers: 2 });
is(await value("files"), ["image.png image/png 1"]);
