// A screenshot is nothing that the app did: its console, its document and its
// errors are as before, whatever the rasteriser makes of the document.
await visit("/traces", {
  html: `<style>td,i{font:13px/1.1 monospace} .b::before{content:"x";background:url(/nowhere.png)} .d{backdrop-filter:blur(2px)}</style>
<table><tr><td>Text in a cell</td><td><i>inline</i> and <span class=b>pseudo</span></td></tr></table>
<iframe src="${OTHER}/far"></iframe><object data="/data.json" type="application/x-thing"></object><embed src="/data.json" type="application/x-thing">
<video></video><canvas></canvas><svg width=20 height=20><use href="#none"/></svg><div class=d>blurred</div><img src="/nowhere.png"><my-el></my-el>
<script>
  window.seen = [];
  for (const name of Object.keys(console)) {
    const native = console[name];
    console[name] = (...args) => (seen.push(name + " " + args[0]), native?.apply(console, args));
  }
  window.watchers = [];
  const { observe } = MutationObserver.prototype;
  MutationObserver.prototype.observe = function (...args) { watchers.push("observer"); return observe.apply(this, args); };
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (...args) {
    if (this === document || this === window) watchers.push(args[0]);
    return add.apply(this, args);
  };
  EventTarget.prototype.removeEventListener = function (...args) {
    if (watchers.includes(args[0])) watchers.splice(watchers.indexOf(args[0]), 1);
    return remove.apply(this, args);
  };
  add.call(window, "error", (e) => seen.push("error " + e.message));
  addEventListener("unhandledrejection", (e) => seen.push("rejection " + e.reason));
<\/script>`,
});
await cdp("Runtime.enable");
await cdp("Page.enable");
const before = await value("seen.length = 0, watchers.length = 0, document.documentElement.outerHTML");
events.length = 0;
for (const params of [{}, { captureBeyondViewport: true, clip: { x: 0, y: 0, width: 300, height: 900, scale: 1 } }]) {
  is((await cdp("Page.captureScreenshot", params)).data.length > 0, true);
}
is(await value("seen"), []);
is(await value("watchers"), [], "what goes on watching the page");
is(await value("document.documentElement.outerHTML"), before);
is(
  events.filter((e) => /consoleAPICalled|exceptionThrown|entryAdded/.test(e.method)),
  [],
  "clients",
);
