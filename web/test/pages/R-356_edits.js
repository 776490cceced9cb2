// R-356 While a person acts in the pictures, the newest one is in the end what a whole picture of the page is, after
// whatever has changed.
await visit("/edits", {
  html:
    "<style>body{margin:0;background:#fff}input,li{font:14px monospace}#moves{width:50px;height:50px;background:green;transition:margin 0.3s}" +
    "#moves.there{margin-left:300px}body.dark{background:#333}body.dark li{color:#fff}[hidden]{display:none}</style>" +
    '<input id="field"><input id="box" type="checkbox"><p hidden>a hint</p><ul></ul><div id="moves"></div><div id="host"></div>' +
    "<script>field.oninput = () => (document.querySelector('p').hidden = !field.value);" +
    "box.onclick = () => document.body.classList.toggle('dark');" +
    "host.attachShadow({ mode: 'open' }).innerHTML = '<b>inside</b>'<\/script>" +
    "<p>row</p>".repeat(500),
});
const edits = {
  typing: async () => {
    await value("field.focus()");
    for (const text of "typed") await cdp("Input.insertText", { text });
  },
  "a click": async () => {
    const [x, y] = await value("(({ left, top }) => [left + 5, top + 5])(box.getBoundingClientRect())");
    for (const type of ["mousePressed", "mouseReleased"])
      await cdp("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  },
  "a list that grows": () =>
    value(
      "for (let i = 0; i < 9; i++) document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: i }))",
    ),
  scrolling: () => value("scrollTo(0, 1500)"),
  "the way back": () => value("scrollTo(0, 0)"),
  "an animation": () => value("new Promise((r) => { moves.ontransitionend = () => r(); moves.className = 'there' })"),
  "a shadow tree": () => value("void (host.shadowRoot.firstChild.textContent = 'changed inside')"),
  "what goes": () => value("document.querySelector('ul').remove()"),
  "a value that script sets": () => value("field.value = ''; field.dispatchEvent(new Event('input')); 1"),
};

await cdp("Page.startScreencast", { format: "png", inUse: true });
let newest;
/** Takes the pictures that have come. */
function look() {
  for (let i; (i = events.findIndex((e) => e.method === "Page.screencastFrame")) >= 0; ) {
    newest = events.splice(i, 1)[0].params;
    void cdp("Page.screencastFrameAck", { sessionId: newest.sessionId });
  }
}
for (const [what, edit] of Object.entries(edits)) {
  const before = (await cdp("Page.captureScreenshot")).data;
  await edit();
  const { data } = await cdp("Page.captureScreenshot");
  is(data !== before, true, what + " changes the picture");
  await until("the picture after " + what, () => (look(), newest?.data === data));
}

// What is typed comes sooner: as a draft, which is the same here, and then as a whole picture.
await value(
  "field.focus(); field.oninput = () => (moves.style.background = field.value.length % 2 ? 'red' : 'blue'); scrollTo(0, 0)",
);
for (const text of "abc") {
  const { data: before } = await cdp("Page.captureScreenshot");
  await until("all that was to come", async () => {
    const had = newest;
    await new Promise((r) => setTimeout(r, 500));
    look();
    return newest === had && newest.data === before;
  });
  const first = newest;
  await cdp("Input.insertText", { text });
  await until("a draft", () => (look(), newest !== first));
  const drafted = newest;
  await until("the whole picture", () => (look(), newest !== drafted));
  const { data } = await cdp("Page.captureScreenshot");
  is([drafted.data === data, newest.data === data, data === before], [true, true, false], "the draft of " + text);
}
