// R-380 What watches a page runs no code of it: neither a picture nor a screencast nor both. The page counts what it can
// see, and does so the same as when nobody watches.

// The end of a script would end the test, which is one.
const html = String.raw`<!doctype html><style>
body{margin:0;background:url(/dot.svg?ground)}x-box,div{transition:all 50ms}x-box{display:block}#in{animation:k 1s infinite paused}@keyframes k{to{opacity:0.5}}
p::before{content:"before"}#s{height:50px;overflow:auto;scroll-behavior:smooth}
</style><script>
const seen = {};
var log = (what) => { seen[what] = (seen[what] ?? 0) + 1; };
const names = ["children", "childNodes", "attributes", "shadowRoot", "style", "nodeType", "parentNode", "ownerDocument", "namespaceURI", "localName", "tagName", "firstChild", "nextSibling", "textContent", "innerHTML", "outerHTML", "assignedSlot", "isConnected", "dataset", "classList", "id", "className"];
const methods = ["getAttribute", "cloneNode", "matches", "getRootNode", "getBoundingClientRect", "computedStyleMap", "closest", "querySelectorAll", "querySelector", "contains", "hasAttribute", "checkVisibility", "getAnimations", "appendChild", "append", "remove"];
function watched(base, name) {
  const C = class extends base {
    static observedAttributes = ["class", "style", "a", "data-x"];
    constructor() { super(); log(name + " constructed"); }
    connectedCallback() { log(name + " connected"); }
    disconnectedCallback() { log(name + " disconnected"); }
    adoptedCallback() { log(name + " adopted"); }
    attributeChangedCallback(attribute) { log(name + " " + attribute); }
    formAssociatedCallback() { log(name + " form"); }
  };
  for (const member of names) Object.defineProperty(C.prototype, member, { get() { log(name + "." + member); return Reflect.get(base.prototype, member, this); }, configurable: true });
  for (const member of methods) C.prototype[member] = function (...args) { log(name + "." + member + "()"); return base.prototype[member].apply(this, args); };
  return C;
}
customElements.define("x-box", class extends watched(HTMLElement, "box") { static formAssociated = true; });
customElements.define("x-button", watched(HTMLButtonElement, "button"), { extends: "button" });
customElements.define("x-shadow", class extends watched(HTMLElement, "shadow") { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<x-box><slot></slot></x-box>"; } });
for (const type of ["error", "load", "loadstart", "focus", "blur", "focusin", "focusout", "scroll", "resize", "transitionrun", "transitionend", "animationstart", "slotchange", "toggle", "beforetoggle", "selectionchange", "select", "change", "input", "play", "pause", "loadeddata", "emptied", "contentvisibilityautostatechange", "scrollend", "visibilitychange", "unhandledrejection", "securitypolicyviolation"])
  for (const on of [window, document]) on.addEventListener(type, (e) => log("event " + type + " " + (e.target.localName ?? "")), true);
for (const level of ["log", "warn", "error", "info", "debug"]) { const old = console[level]; console[level] = (...args) => { log("console." + level); old(...args); }; }
for (const name of ["getComputedStyle", "fetch", "requestAnimationFrame", "matchMedia"]) { const old = window[name]; window[name] = (...args) => { log(name); return old(...args); }; }
for (const name of ["createElement", "createElementNS", "importNode", "adoptNode", "createTextNode", "elementsFromPoint"]) { const old = Document.prototype[name]; document[name] = function (...args) { log("document." + name); return old.apply(this, args); }; }
<\/script><body><x-box class=a style="color:red" data-x=1>box</x-box><button is=x-button class=b>button</button><x-shadow>slotted<x-box a=1></x-box></x-shadow>
<form id=f><input name=children value=1 oninput="log('oninput')"><input name=childNodes><input name=nodeType><input name=attributes><x-box name=field></x-box></form>
<img src=/dot.svg?image onload="log('img load')" onerror="log('img error')" width=30><img src=/missing.png onerror="log('missing')" alt=missing>
<iframe srcdoc="<p>inner<script>parent.log('frame ran')<\/script>" onload="log('frame load')"></iframe><iframe id=js src="javascript:parent.log('javascript ran'),'text'"></iframe>
<video></video><audio></audio><object type=image/svg+xml onerror="log('object error')"></object>
<svg width=50 height=50 onload="log('svg load')"><use href="#none"></use><foreignObject width=50 height=50><x-box>in svg</x-box></foreignObject><script>log("svg script")<\/script><animate attributeName=x onbegin="log('begin')"></animate></svg>
<div id=s><p>text</p><p id=in>text</p><p>text</p></div><details open ontoggle="log('ontoggle')"><summary>s</summary><x-box>d</x-box></details><template><x-box></x-box></template><noscript><x-box></x-box></noscript>
<dialog id=d onclose="log('close')"><x-box>modal</x-box></dialog><div popover id=p><x-box>popover</x-box></div><input id=focused onfocus="log('onfocus')" onblur="log('onblur')"><textarea id=t>one
two
three
four</textarea><canvas id=c></canvas>
<script>
d.showModal(); p.showPopover(); s.scrollTop = 20; t.scrollTop = 10; getSelection().selectAllChildren(document.querySelector("p"));
window.settled = (async () => {
  await new Promise((r) => addEventListener("load", r));
  await new Promise((r) => setTimeout(r, 400));
  for (const key of Object.keys(seen)) delete seen[key];
  window.elements = document.querySelectorAll("*").length;
  new MutationObserver((list) => list.forEach((m) => log("mutation " + m.type + " " + m.target.nodeName))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const r of document.querySelectorAll("x-shadow")) new MutationObserver(() => log("mutation in a shadow tree")).observe(r.attachInternals().shadowRoot ?? document, { subtree: true, childList: true, attributes: true });
  const resized = new ResizeObserver((list) => list.forEach((e) => log("resized " + e.target.nodeName)));
  for (const e of [document.documentElement, document.body, ...document.querySelectorAll("div,x-box,iframe")]) resized.observe(e);
  const crossed = new IntersectionObserver((list) => list.forEach((e) => log("crossed " + e.target.nodeName)));
  for (const e of document.querySelectorAll("x-box,img")) crossed.observe(e);
  new PerformanceObserver((list) => list.getEntries().filter((e) => !/\/(shot|extras|dom|input|network|accessibility|snapshot)\.js$/.test(e.name)).forEach((e) => log("resource " + e.name.replace(/.*\//, "") + " " + e.initiatorType))).observe({ type: "resource" });
  new PerformanceObserver((list) => list.getEntries().forEach((e) => log("shift"))).observe({ type: "layout-shift" });
  await new Promise((r) => setTimeout(r, 300));
})();
const state = () => JSON.stringify({ seen: Object.fromEntries(Object.entries(seen).sort()), elements, focus: document.activeElement.localName, scroll: [scrollX, scrollY, s.scrollTop, t.scrollTop], frames: frames.length, selection: String(getSelection()), sheets: document.styleSheets.length + document.adoptedStyleSheets.length, fonts: document.fonts.size, custom: Object.keys(window).length });
<\/script>`.replaceAll("<\\/", "</");

/** What the page has seen in a while in which something is done. */
async function seenBy(during) {
  await visit("/watched", { html });
  await value("settled.then(() => 1)");
  await during();
  await value("new Promise((r) => setTimeout(r, 300)).then(() => 1)");
  return JSON.parse(await value("state()"));
}

const unwatched = await seenBy(() => new Promise((r) => setTimeout(r, 1500)));
const watching = {
  pictures: async () => {
    for (const params of [
      {},
      { captureBeyondViewport: true },
      { format: "jpeg", clip: { x: 0, y: 0, width: 300, height: 300, scale: 2 } },
    ])
      is((await cdp("Page.captureScreenshot", params)).data.length > 1000, true, "a picture");
  },
  "a screencast": async () => {
    for (const inUse of [false, true]) {
      await cdp("Page.startScreencast", { format: "png", inUse });
      await cdp("Page.screencastFrameAck", { sessionId: (await event("Page.screencastFrame")).sessionId });
      await new Promise((r) => setTimeout(r, 700));
      await cdp("Page.stopScreencast");
    }
  },
};
for (const [what, during] of Object.entries(watching))
  is(await seenBy(during), unwatched, `what the page sees of ${what}`);
