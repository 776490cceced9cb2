const log = `<script>window.said = []; for (const t of ["input", "change"]) addEventListener(t, (e) => said.push([t, e.target.id, e.composed]))<\/script>`;
const chosen = (id) =>
  value(
    `Promise.all([...document.getElementById("${id}").files].map(async (f) => [f.name, f.type, f.lastModified, f.webkitRelativePath, await f.text()]))`,
  );
await visit("/one", {
  html:
    log +
    `<input type=file id=one><input type=file id=many multiple><input type=file id=dir webkitdirectory><input id=text>
  <label for=one id=label>choose</label><iframe srcdoc="<input type=file id=inner>"></iframe>
  <div onclick="window.outer = true"><input type=file id=stops onclick="event.stopPropagation()"></div>
  <input type=file id=prevented onclick="event.preventDefault()"><input type=file id=off disabled>`,
});
await cdp("DOM.enable");
const a = { name: "a.txt", mimeType: "text/plain", lastModified: 5000, base64: btoa("first") };
const b = { name: "sub/b.bin", base64: btoa("\x00\xff") };
const node = async (selector) => {
  const { root } = await cdp("DOM.getDocument");
  return (await cdp("DOM.querySelector", { nodeId: root.nodeId, selector })).nodeId;
};
const object = async (expression) => (await cdp("Runtime.evaluate", { expression })).result.objectId;

await cdp("DOM.setFileInputFiles", { nodeId: await node("#many"), files: ["a", "b"], contents: [a, b] });
is(await chosen("many"), [
  ["a.txt", "text/plain", 5000, "", "first"],
  ["b.bin", "", (await chosen("many"))[1][2], "sub/b.bin", "\x00\ufffd"],
]);
is(await value("said.splice(0)"), [
  ["input", "many", true],
  ["change", "many", false],
]);
const { node: described } = await cdp("DOM.describeNode", { objectId: await object("document.querySelector('#one')") });
await cdp("DOM.setFileInputFiles", { backendNodeId: described.backendNodeId, files: ["a", "b"], contents: [a, b] });
is(
  (await chosen("one")).map((f) => f[0]),
  ["a.txt"],
  "one input takes one file",
);
await cdp("DOM.setFileInputFiles", {
  objectId: await object("document.querySelector('#dir')"),
  files: ["a", "b"],
  contents: [
    { ...a, name: "top/a.txt" },
    { ...b, name: "top/sub/b.bin" },
  ],
});
is(
  (await chosen("dir")).map((f) => [f[0], f[3]]),
  [
    ["a.txt", "top/a.txt"],
    ["b.bin", "top/sub/b.bin"],
  ],
);
await cdp("DOM.setFileInputFiles", { nodeId: await node("#one"), files: [], contents: [] });
is((await chosen("one")).length, 1, "an empty list changes nothing");
await cdp("DOM.setFileInputFiles", {
  objectId: await object("frames[0].document.querySelector('input')"),
  files: ["a"],
  contents: [a],
});
is(await value("[frames[0].inner.files[0].name, frames[0].inner.files[0] instanceof frames[0].File]"), ["a.txt", true]);
await fails(
  cdp("DOM.setFileInputFiles", { nodeId: await node("#text"), files: ["a"], contents: [a] }),
  "Node is not a file input element",
);
await fails(
  cdp("DOM.setFileInputFiles", {
    objectId: await object("document.body.firstChild.firstChild ?? document.head.firstChild"),
    files: ["a"],
    contents: [a],
  }),
  "Node is not a file input element",
);
await fails(
  cdp("DOM.setFileInputFiles", { nodeId: await node("#one"), files: ["a"] }),
  "File upload by path is disabled on this hub",
);

// Choosers.
attach("S2");
await cdp("Page.setInterceptFileChooserDialog", { enabled: true });
const opens = async (action, mode = "selectSingle") => {
  events.length = 0;
  await value(action + "; 1");
  const opened = await event("Page.fileChooserOpened");
  is([opened.mode, events.filter((e) => e.method === "Page.fileChooserOpened").length], [mode, 0], action);
  return opened;
};
const first = await opens("one.click()");
is([first.frameId, first.backendNodeId], ["MAIN", described.backendNodeId]);
await cdp("DOM.setFileInputFiles", {
  backendNodeId: first.backendNodeId,
  files: ["a"],
  contents: [{ ...a, name: "chosen.txt" }],
});
is((await chosen("one"))[0][0], "chosen.txt");
await opens("label.click()");
await opens("many.click()", "selectMultiple");
await opens("dir.click()", "selectMultiple");
await opens("stops.click()");
is(await value("window.outer === undefined"), true);
await opens("one.showPicker()");
await opens("Object.assign(document.createElement('input'), { type: 'file' }).click()");
const inner = await opens("frames[0].inner.click()");
is(inner.frameId === "MAIN", false);
events.length = 0;
const [x, y] = await value("(() => { const r = one.getBoundingClientRect(); return [r.x + 20, r.y + 8] })()");
for (const type of ["mousePressed", "mouseReleased"])
  await cdp("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
await event("Page.fileChooserOpened");
events.length = 0;
await value("prevented.click(); off.click(); text.click(); 1");
await cdp("Page.setInterceptFileChooserDialog", { enabled: false });
await value("one.click(); 1");
is(
  events.filter((e) => e.method),
  [],
  "none of these opens a chooser for a client",
);
is(
  events.filter((e) => e.sessionId === "S2"),
  [],
  "only for the session that asked",
);

// A session may be told of choosers, and may have the input told that nothing was chosen.
await visit("/one", { html: `<input type=file id=one oncancel="window.cancelled = true">` });
await cdp("Page.enable", { enableFileChooserOpenedEvent: true });
await value("document.getElementById('one').click()");
is((await event("Page.fileChooserOpened")).mode, "selectSingle", "without interception");
is(await value("window.cancelled ?? false"), false);
await cdp("Page.setInterceptFileChooserDialog", { enabled: true, cancel: true });
await value("document.getElementById('one').click()");
is((await event("Page.fileChooserOpened")).mode, "selectSingle");
is(await value("window.cancelled"), true);
await cdp("Page.disable");
