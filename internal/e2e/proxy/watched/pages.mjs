// Small pages of every kind, each of which notes what happens to it. body: markup; w: what it waits for.

/** The agent reads properties that a page has given its elements. */
const OWN = "own properties";
/** Worlds of clients share the globals of the page (docs/pages.md). */
const WORLDS = "worlds";
/** An error of the page on a machine that is slow, and none on another. */
export const AT_TIMES = "a slow machine";

const text = (name, body) => [name, { body }];
const script = (name, code, body = "", w = undefined) => [name, { body: `${body}<script>${code}</script>`, w }];
/** Custom elements say so when they are made, connected and changed. */
const element = (name, rest, body, w) => [
  name,
  {
    body: `<script>customElements.define("x-a", class extends HTMLElement {
      static observedAttributes = ["a", "class", "style"];
      constructor() { super(); note("made"); ${rest} }
      connectedCallback() { note("connected", this.isConnected); }
      disconnectedCallback() { note("disconnected"); }
      attributeChangedCallback(n, a, b) { note("attribute", n, a, b); }
    })</script>${body}`,
    w,
  },
];
const resource = (body, type) => `/part?${new URLSearchParams({ body, type })}`;

export const pages = Object.fromEntries([
  // Forms.
  text("a form", "<form action=/none><label>Name <input name=n value=Ada></label><select name=s><option>a<option selected>b</select><textarea>t</textarea></form>"),
  text("required fields", "<form><input required><input type=email value=x><input type=number min=1 max=3 value=9></form>"),
  text("all inputs", ["checkbox", "radio", "date", "time", "color", "range", "file", "password", "search", "url"].map((t) => `<input type=${t} aria-label=${t}>`).join("")),
  ["autofocus", { body: "<input><input autofocus id=f>" }],
  script("a form that listens", 'for (const t of ["input","change","invalid","reset","focus","blur","formdata"]) addEventListener(t, (e) => e.target.nodeName && note(t, e.target.nodeName), true)', "<form><input required value=1><button type=button id=act>b</button></form>"),
  script("a selection", "const i = document.querySelector('input'); i.focus(); i.setSelectionRange(1, 3); document.onselectionchange = () => note('selection', i.selectionStart, i.selectionEnd)", "<input value=hello>"),
  script("a selection of text", "getSelection().selectAllChildren(document.querySelector('p')); document.onselectionchange = () => note('selection', String(getSelection()))", "<p>some text</p>"),
  text("a fieldset", "<fieldset disabled><legend>L</legend><input value=x></fieldset><progress value=.3></progress><meter value=.4></meter><output>o</output>"),
  // Editors.
  script("contenteditable", "const d = document.querySelector('div'); d.focus(); new MutationObserver((l) => note('changed', l.length)).observe(d, { subtree: true, childList: true, characterData: true, attributes: true })", "<div contenteditable>text <b>bold</b></div>"),
  script("designMode", "document.designMode = 'on'; document.onbeforeinput = (e) => note(e.inputType)", "<p>text</p>"),
  script("an edit context", "if (window.EditContext) { const d = document.querySelector('canvas'); d.editContext = new EditContext({ text: 'abc' }); d.focus(); d.editContext.addEventListener('textupdate', () => note('update')) }", "<canvas tabindex=0 width=50 height=20></canvas>"),
  script("a caret", "const t = document.querySelector('textarea'); t.focus(); t.onscroll = () => note('scroll'); t.scrollTop = 20", "<textarea rows=2>1\n2\n3\n4\n5\n6</textarea>"),
  // Custom elements.
  element("an element", "", "<x-a a=1></x-a>"),
  element("an element with a shadow", "this.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot><style>:host{color:red}</style>'", "<x-a>t</x-a>"),
  element("an element with a closed shadow", "this.attachShadow({ mode: 'closed' }).innerHTML = '<b>s</b>'", "<x-a></x-a>"),
  element("an element that throws", "if (window.again) throw new Error('made again'); window.again = 1", "<x-a></x-a>"),
  element("an element of a template", "", "<template><x-a></x-a></template><p>t</p>"),
  text("a declarative shadow", "<div><template shadowrootmode=open><p>in</p><slot></slot></template>out</div>"),
  [ "a customized button", { body: "<script>customElements.define('x-b', class extends HTMLButtonElement { constructor() { super(); note('made'); } }, { extends: 'button' })</script><button is=x-b>b</button>" }],
  [ "an element of a form", { body: "<script>customElements.define('x-f', class extends HTMLElement { static formAssociated = true; constructor() { super(); this.i = this.attachInternals(); note('made'); } formAssociatedCallback(f) { note('form', !!f); } })</script><form><x-f></x-f></form>" }],
  script("an element defined late", "setTimeout(() => customElements.define('x-late', class extends HTMLElement { connectedCallback() { note('connected'); } }), 20)", "<x-late></x-late>"),
  // Observers.
  script("a mutation observer", "new MutationObserver((l) => l.forEach((m) => note(m.type, m.target.nodeName, m.attributeName))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })", "<p>t</p><img alt=i>"),
  script("a resize observer", "new ResizeObserver((l) => note('size', l.map((e) => e.target.nodeName))).observe(document.querySelector('div'))", "<div style='resize:both;width:50%;overflow:auto'>t</div>"),
  script("an intersection observer", "new IntersectionObserver((l) => note('seen', l.map((e) => e.isIntersecting))).observe(document.querySelector('div'))", "<div style='height:30px'>t</div>"),
  script("a performance observer", "new PerformanceObserver((l) => l.getEntries().forEach((e) => note(e.entryType, e.name))).observe({ entryTypes: ['mark', 'measure'] }); performance.mark('m')"),
  script("mutation of attributes", "const o = new MutationObserver((l) => note('attributes', l.length)); o.observe(document.documentElement, { attributes: true }); o.observe(document.body, { attributes: true })", "<p>t</p>"),
  script("a reporting observer", "new ReportingObserver((l) => l.forEach((r) => note('report', r.type, r.body.id))).observe()"),
  // Storage.
  script("local storage", "localStorage.clear(); localStorage.a = 1; addEventListener('storage', (e) => note('storage', e.key))"),
  script("session storage", "sessionStorage.clear(); sessionStorage.a = 1; note('keys', Object.keys(sessionStorage))"),
  script("cookies", "document.cookie = 'k=v'; note('cookie', document.cookie)"),
  script("IndexedDB", "hold(new Promise((y) => { const o = indexedDB.open('d', 1); o.onupgradeneeded = () => o.result.createObjectStore('s'); o.onsuccess = () => { note('open'); o.result.onversionchange = () => note('version'); y(); } }))"),
  script("the cache", "hold(caches.open('c').then((c) => c.put('/k', new Response('v'))))"),
  script("a broadcast", "const c = new BroadcastChannel('c'); c.onmessage = (e) => note('heard', e.data); new BroadcastChannel('c').postMessage(1)"),
  script("a lock", "hold(navigator.locks.request('l', () => note('locked')))"),
  script("the window's name", "window.name = 'mine'; note('name', name)"),
  script("history", "history.replaceState({ a: 1 }, '', '#h'); addEventListener('hashchange', () => note('hash')); addEventListener('popstate', () => note('pop')); note('state', history.state)"),
  // Frames.
  text("a frame", '<iframe srcdoc="<p>inner</p><script>parent.note(\'inner\', document.URL)</script>"></iframe>'),
  script("a blank frame", "note('frames', frames.length, frames[0].location.href)", "<iframe></iframe>"),
  script("a sandbox", "addEventListener('message', (e) => note('said', e.data, e.origin))", "<iframe sandbox=allow-scripts srcdoc=\"<script>parent.postMessage(1, '*')</script>\"></iframe>"),
  script("a made frame", "const f = document.createElement('iframe'); f.onload = () => note('load'); document.body.append(f); f.contentDocument.body.innerHTML = '<b>x</b>'"),
  ["an object", { w: AT_TIMES, body: `<object data="${resource("<p>o", "text/html")}" type=text/html width=50 height=50></object>` }],
  // Workers.
  script("a worker", "hold(new Promise((y) => { const w = new Worker(URL.createObjectURL(new Blob(['postMessage(self.name + typeof window)'])), { name: 'n' }); w.onmessage = (e) => { note('worker', e.data); y(); } }))"),
  script("a worker of an address", `hold(new Promise((y) => { const w = new Worker(${JSON.stringify(resource("postMessage(1)", "text/javascript"))}); w.onmessage = (e) => { note('worker', e.data); y(); } }))`),
  script("a shared worker", "hold(new Promise((y) => { const w = new SharedWorker(URL.createObjectURL(new Blob(['onconnect = (e) => e.ports[0].postMessage(1)']))); w.port.onmessage = (e) => { note('shared', e.data); y(); } }))"),
  script("service workers", "hold(navigator.serviceWorker.getRegistrations().then((l) => note('registered', l.length, navigator.serviceWorker.controller)))"),
  script("a worklet", "hold(CSS.paintWorklet ? CSS.paintWorklet.addModule('data:text/javascript,').then(() => note('worklet'), () => note('none')) : 0)"),
  // What is drawn.
  script("a CSS animation", "for (const t of ['animationstart', 'animationend', 'animationcancel', 'transitionrun']) addEventListener(t, (e) => note(t)); hold(new Promise((y) => addEventListener('animationend', y)))", "<style>@keyframes k{to{left:9px}} div{position:relative;animation:k .05s}</style><div>t</div>"),
  script("a transition", "const d = document.querySelector('div'); for (const t of ['transitionrun', 'transitionend', 'transitioncancel']) d.addEventListener(t, () => note(t)); d.getBoundingClientRect(); d.style.left = '9px'; hold(new Promise((y) => d.addEventListener('transitionend', y)))", "<style>div{position:relative;left:0;transition:left .05s}</style><div>t</div>"),
  script("a canvas", "const c = document.querySelector('canvas').getContext('2d'); c.fillRect(0, 0, 9, 9); note('pixel', [...c.getImageData(1, 1, 1, 1).data]); for (const [p, names] of [[HTMLCanvasElement.prototype, ['toDataURL', 'toBlob', 'getContext']], [CanvasRenderingContext2D.prototype, ['drawImage', 'fillRect', 'getImageData']]]) for (const n of names) { const f = p[n]; p[n] = function (...a) { note('used', n); return f.apply(this, a); } }", "<canvas width=20 height=20></canvas>"),
  script("WebGL", "const g = document.querySelector('canvas').getContext('webgl'); note('gl', !!g)", "<canvas width=20 height=20></canvas>"),
  script("scrolling", "addEventListener('scroll', () => note('scroll'), true); document.querySelector('div').scrollTop = 30; scrollTo(0, 40)", "<div style='height:50px;overflow:auto'><p style='height:200px'>t</p></div><p style='height:3000px'>"),
  script("a dialog", "document.querySelector('dialog').showModal(); for (const t of ['close', 'cancel', 'toggle']) document.querySelector('dialog').addEventListener(t, () => note(t))", "<dialog><button>x</button></dialog>"),
  script("a popover", "const p = document.querySelector('[popover]'); for (const t of ['beforetoggle', 'toggle']) p.addEventListener(t, (e) => note(t, e.newState)); p.showPopover()", "<div popover>p</div>"),
  script("details", "document.querySelector('details').ontoggle = (e) => note('toggle', e.target.open)", "<details><summary>s</summary>t</details>"),
  text("pictures", `<img alt=a src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"><picture><source srcset="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><img alt=b></picture><svg width=9 height=9><title>s</title><rect width=5 height=5 /></svg>`),
  script("a lost picture", "document.querySelector('img').onerror = () => note('lost')", "<img alt=a src='data:image/png,x'>"),
  script("media", "const v = document.querySelector('video'); for (const t of ['play', 'pause', 'loadstart', 'error', 'emptied', 'seeking']) v.addEventListener(t, () => note(t))", "<video controls></video><audio></audio>"),
  // Style sheets.
  text("a style sheet", `<link rel=stylesheet href="${resource("p{color:red}", "text/css")}"><p>t</p>`),
  text("hover", "<style>p:hover{color:red} p::before{content:'x'}</style><p id=act>t</p>"),
  script("adopted style sheets", "const s = new CSSStyleSheet(); s.replaceSync('p{color:red}'); document.adoptedStyleSheets = [s]; note('sheets', document.styleSheets.length, document.adoptedStyleSheets.length)", "<p>t</p>"),
  script("media queries", "matchMedia('(min-width: 10px)').onchange = () => note('query'); addEventListener('resize', () => note('resize')); visualViewport.onresize = () => note('viewport')"),
  // Requests.
  script("fetch", `hold(fetch(${JSON.stringify(resource("f", "text/plain"))}).then((r) => r.text()).then((t) => note('got', t)))`),
  script("XMLHttpRequest", `hold(new Promise((y) => { const x = new XMLHttpRequest(); x.open('GET', ${JSON.stringify(resource("f", "text/plain"))}); for (const t of ['readystatechange', 'load', 'loadend']) x.addEventListener(t, () => note(t, x.readyState)); x.onloadend = y; x.send(); }))`),
  script("a failed fetch", "hold(fetch('/drop').catch((e) => note('failed', e.name)))"),
  script("a beacon", "note('sent', navigator.sendBeacon('/beacon', 'x'))"),
  script("an event source", `const e = new EventSource(${JSON.stringify(resource("data: 1\n\n", "text/event-stream"))}); hold(new Promise((y) => { e.onmessage = (m) => { note('message', m.data); e.close(); y(); } }))`),
  script("an import", `hold(import(${JSON.stringify(resource("export const a = 1", "text/javascript"))}).then((m) => note('imported', m.a)))`),
  // Events, errors and the rest.
  script("an event printer", "for (const t of ['pointermove', 'mousemove', 'pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'keydown', 'keyup']) addEventListener(t, (e) => note(t, e.target.nodeName, Reflect.ownKeys(e).map(String)), true)", "<button id=act>b</button>"),
  script("getters that tell", "const d = document.querySelector('div'); for (const n of ['id', 'className', 'innerHTML', 'textContent', 'offsetWidth', 'shadowRoot', 'attributes', 'children', 'style', 'title']) Object.defineProperty(d, n, { configurable: true, get() { note('read', n); } })", "<div title=t>t</div>", OWN),
  script("errors", "setTimeout(() => { throw new Error('thrown'); }); Promise.reject(new Error('rejected')); console.error('said'); hold(new Promise((y) => setTimeout(y, 30)))"),
  script("the console", "console.log('a', { b: 1 }); console.table([1]); console.log({ toString() { note('asked'); return 's'; }, get g() { note('got'); return 1; } })"),
  script("a page that counts listeners", "const f = EventTarget.prototype.addEventListener; EventTarget.prototype.addEventListener = function (...a) { note('listens', a[0]); return f.apply(this, a); }", "", WORLDS),
  script("clones that tell", "for (const n of ['cloneNode', 'appendChild', 'insertBefore', 'setAttribute', 'attachShadow']) for (const p of [Node.prototype, Element.prototype]) if (Object.hasOwn(p, n)) { const f = p[n]; p[n] = function (...a) { note(n); return f.apply(this, a); } }", "<p>t</p><input value=x>"),
  script("globals", "note('enumerable', Object.keys(window).filter((k) => !['note', 'hold'].includes(k)).length > 0)"),
  script("visibility", "document.onvisibilitychange = () => note(document.visibilityState); addEventListener('blur', () => note('blur')); addEventListener('focus', () => note('focus')); note(document.hidden)"),
  script("timers", "let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); note('three'); } }, 5); hold(new Promise((y) => setTimeout(y, 40)))"),
]);
