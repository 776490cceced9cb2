// A page meets nothing of what the agent keeps for its next document, and no property of ours on an event.
const look = `(when) => {
  const log = JSON.parse(localStorage.log ?? "[]");
  log.push([when, ...Object.keys(sessionStorage).sort()]);
  localStorage.log = JSON.stringify(log);
}`;
const html = `<button style="position:fixed;left:0;top:0;width:100px;height:50px">go</button><input style="position:fixed;left:0;top:60px"><script>
  const look = ${look};
  look("script");
  sessionStorage.mine = 1;
  for (const [on, type] of [[window, "load"], [document, "visibilitychange"], [window, "beforeunload"], [window, "pagehide"], [window, "unload"]])
    on.addEventListener(type, () => look(type));
  addEventListener("storage", (e) => look("storage of " + e.key));
  addEventListener("message", (e) => {
    if (e.data.expression) e.source.postMessage({ value: eval(e.data.expression) }, e.origin);
  });
  window.own = [];
  for (const type of ["pointerdown", "mousedown", "mouseup", "click", "keydown", "input", "keyup", "wheel"])
    addEventListener(type, (e) => own.push([type, ...Reflect.ownKeys(e).map(String)]), true);
<\/script>`;
state.sessions[0].domains.push("Page");
hub.base = HUB;
hub.key = "SECRET";
await visit("/first", { html });
const source = "window.early = (window.early ?? 0) + 1; window.parsed = document.scripts.length";
const { identifier } = await cdp("Page.addScriptToEvaluateOnNewDocument", { source });
await cdp("Runtime.addBinding", { name: "told" });
await cdp("Fetch.enable", { patterns: [{ urlPattern: "*/none" }] });
state.sessions[0].scripts.push({ identifier, source });
state.sessions[0].bindings.push({ name: "told" });

// A frame beside this one, of the same origin, whose page looks at what is stored by others.
const beside = document.createElement("iframe");
beside.src = APP + "/beside?" + new URLSearchParams({ html });
const there = new Promise((r) => beside.addEventListener("load", r));
document.body.append(beside);
await there;
// What the page there says to a message: the value of an expression.
const within = ({ contentWindow }, expression) =>
  new Promise((done) => {
    const heard = (e) => {
      if (e.source !== contentWindow || !("value" in e.data)) return;
      removeEventListener("message", heard);
      done(e.data.value);
    };
    addEventListener("message", heard);
    contentWindow.postMessage({ expression }, APP);
  });

const early = [1, 0, "function"]; // once, before the page's script
await visit("/second", { html });
is(await value("[early, parsed, typeof told]"), early, "what the document before has left");
is(await within(beside, "[early, parsed, typeof told]"), early, "what a frame beside a new one has set");
beside.remove();
await visit("/third", { html });
is(await value("[early, parsed, typeof told]"), early, "what the one before that has");
const log = await value("JSON.parse(localStorage.log)");
is(
  log.filter((l) => l.some((key) => key.includes("hubAgent"))),
  [],
  "keys that a page met",
);
is(
  ["script", "load", "beforeunload", "pagehide", "unload"].filter((when) => !log.some((l) => l[0] === when)),
  [],
  "when it looked",
);

// Events.
for (const type of ["mousePressed", "mouseReleased"])
  await cdp("Input.dispatchMouseEvent", { type, x: 10, y: 10, button: "left", clickCount: 1 });
await cdp("Input.dispatchMouseEvent", { type: "mouseWheel", x: 10, y: 10, deltaX: 0, deltaY: 1 });
await value("document.querySelector('input').focus()");
for (const type of ["keyDown", "keyUp"])
  await cdp("Input.dispatchKeyEvent", { type, key: "a", text: type === "keyDown" ? "a" : "" });
const own = await value("own");
is(
  ["pointerdown", "mousedown", "mouseup", "click", "keydown", "input", "keyup", "wheel"].filter(
    (t) => !own.some((o) => o[0] === t),
  ),
  [],
  "events",
);
is([...new Set(own.flatMap((o) => o.slice(1)))], ["isTrusted"], "their own keys, as in Chromium");

// Playwright's program knows them all the same, in its own world.
const tree = await cdp("Page.getFrameTree");
const { executionContextId: contextId } = await cdp("Page.createIsolatedWorld", {
  frameId: tree.frameTree.frame.id,
  worldName: "w",
});
await cdp("Runtime.evaluate", {
  contextId,
  expression: `window.known = []; for (const event of [new Event("x")]) known.push(!event.isTrusted && !event.__pwTrustedSynthetic);
    addEventListener("click", (e) => known.push(!e.isTrusted && !e.__pwTrustedSynthetic), true)`,
});
for (const type of ["mousePressed", "mouseReleased"])
  await cdp("Input.dispatchMouseEvent", { type, x: 10, y: 10, button: "left", clickCount: 1 });
is(await value("known"), [true, false], "an event of script's, and one of a client's");
