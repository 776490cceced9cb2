// Every own name of the globals and of the browser's interfaces, in the ways in which a page may change it: removed, a
// getter that throws, another value, a property of the objects themselves, a lexical name, another prototype. Many
// names are changed in a page at once; where it is then not driven like any other, halves of them tell which.
const page = `<button style="position:fixed;left:20px;top:20px;width:80px;height:30px">Press</button><input><form><input name=target></form>
<script>{
  const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
  const { focus } = HTMLElement.prototype, { value } = Object.getOwnPropertyDescriptors(HTMLInputElement.prototype);
  const nodes = [document, ...document.querySelectorAll("*")], [button, field] = document.querySelectorAll("button, input");
  const ask = fetch.bind(window), win = window, create = document.createElement.bind(document), append = document.body.appendChild.bind(document.body);
  const ofEvents = [], language = ("Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect RegExp Date Error Map Set WeakMap WeakSet WeakRef Promise " +
    "Proxy ArrayBuffer").split(" ");
  // What a page replaces only on purpose, and for itself as well: web/build/platform.mjs leaves these out.
  const tools = /^(URL|URLSearchParams|Performance\\w*|XMLHttpRequest\\w*|Headers|Request|Response|Readable\\w*|Abort\\w*|Blob|File|SecurityPolicy\\w*|ErrorEvent|PromiseRejectionEvent|CaretPosition|VisualViewport|DOMMatrix\\w*|ValidityState|UserActivation|Navigator|ServiceWorkerContainer|XPathResult|XMLSerializer|WebSocket|EventSource|CSSRuleList|ClipboardItem)$/;
  let clicks = 0;
  const listen = win.addEventListener.bind(win);
  button.addEventListener("click", () => { clicks++; });
  for (const type of ["mousedown", "mouseup", "click", "pointerdown", "pointermove", "mousemove", "focusin", "beforeinput", "input", "keydown"])
    listen(type, (e) => { for (let i = 0; i < ofEvents.length; i++) set(e, ofEvents[i], { value: 0 }); }, true);
  const interfaces = ownKeys(win).filter((name) => getOwnPropertyDescriptor(win, name).value?.prototype && /^[A-Z]/.test(name) && !language.includes(name) && !tools.test(name));
  const core = "EventTarget Node Element HTMLElement Document HTMLDocument Event UIEvent MouseEvent HTMLInputElement HTMLFormElement HTMLButtonElement".split(" ");
  interfaces.sort((a, b) => core.includes(b) - core.includes(a));
  const own = (on) => ownKeys(on).filter((key) => typeof key === "string" && key !== "constructor" && !/^\\d+$/.test(key)).map((key) => [on, key]);
  const lists = {
    globals: own(win).filter(([, key]) => key !== "eval" && getOwnPropertyDescriptor(win, key).configurable),
    properties: interfaces.flatMap((name) => [...own(win[name].prototype), ...own(win[name])]).filter(([on, key]) => getOwnPropertyDescriptor(on, key).configurable),
    interfaces: interfaces.map((name) => [win[name].prototype]),
    nodes: nodes.map((node) => [node]),
  };
  const set = (on, key, d) => { try { defineProperty(on, key, { __proto__: null, configurable: true, ...d }); } catch {} };
  const thrower = () => { throw new TypeError("a name of the page's"); };
  const ways = {
    removed: deleteProperty,
    thrower: (on, key) => set(on, key, { get: thrower, set: thrower }),
    value: (on, key) => set(on, key, { value: 0, writable: true }),
    own: (on, key) => { ofEvents[ofEvents.length] = key; for (let i = 0; i < nodes.length; i++) set(nodes[i], key, { get: thrower }); },
    lexical: (on, key) => { const script = create("script"); script.text = "let " + key + " = 0"; append(script); },
    prototype: (on) => { try { setPrototypeOf(on, {}); } catch {} },
  };
  defineProperty(win, "$test", { value: {
    __proto__: null,
    count: (list) => lists[list].length,
    name: (list, i) => (lists[list][i][0] === win ? "" : lists[list][i][0].constructor.name + ".") + (lists[list][i][1] ?? ""),
    core: () => lists.properties.filter(([on]) => core.some((name) => on === win[name] || on === win[name].prototype)).length,
    change: (way, list, from, to) => { const l = lists[list], f = ways[way]; for (let i = from; i < to; i++) f(l[i][0], l[i][1]); return to - from; },
    clicks: () => clicks,
    focus: () => (apply(focus, field, []), 1),
    typed: () => apply(value.get, field, []),
    ask: () => (ask("/data.json"), 1),
  } });
}<\/script>`;
const button = { x: 40, y: 30, button: "left", clickCount: 1 };

/** What a Client does with a page, and which of it fails. */
async function drive(change) {
  await visit("/names", { html: page });
  await cdp("Network.enable");
  is((await value(change)) > 0, true);
  attach("S2");
  const failed = [];
  const step = async (what, run) => {
    try {
      await run();
    } catch (e) {
      failed.push(`${what}: ${e.message.slice(0, 150)}`);
    }
  };
  await step("a new Client", async () =>
    is((await cdp("Runtime.evaluate", { expression: "1 + 1" }, "S2")).result.value, 2),
  );
  await step("read", async () => {
    const { root } = await cdp("DOM.getDocument", { depth: -1 });
    is(JSON.stringify(root).match(/"nodeName":"(BUTTON|INPUT)"/g).length, 3);
  });
  await step("accessibility", async () => {
    const { nodes } = await cdp("Accessibility.getFullAXTree");
    is(nodes.filter((n) => /^(button|textbox)$/.test(n.role?.value)).length, 3);
  });
  await step("click", async () => {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await cdp("Input.dispatchMouseEvent", { type, ...button });
    is(await value("$test.clicks()"), 1);
  });
  await step("type", async () => {
    await value("$test.focus()");
    await cdp("Input.insertText", { text: "ab" });
    for (const type of ["keyDown", "keyUp"])
      await cdp("Input.dispatchKeyEvent", { type, key: "c", code: "KeyC", text: type === "keyDown" ? "c" : "" });
    is(await value("$test.typed()"), "abc");
  });
  await step("network", async () => {
    events.length = 0;
    await value("$test.ask()");
    is((await event("Network.responseReceived", 5_000)).response.status, 200);
  });
  state.sessions.pop();
  return failed;
}

const wrong = [];
let pages = 0;
/** Looks for the names between from and to in whose way a page is not driven. */
async function walk(way, list, from, to) {
  const failed = await drive(`$test.change("${way}", "${list}", ${from}, ${to})`);
  if (!failed.length) return false;
  if (++pages > 80 || to - from === 1) {
    const names = await value(`$test.name("${list}", ${from})`).catch(() => from);
    wrong.push(`${way} ${list} ${names}${to - from > 1 ? ` and ${to - from - 1} more` : ""}: ${failed.join("; ")}`);
    return true;
  }
  const middle = (from + to) >> 1;
  const found = [await walk(way, list, from, middle), await walk(way, list, middle, to)];
  if (!found.includes(true)) wrong.push(`${way} ${list} ${from} to ${to} together: ${failed.join("; ")}`);
  return true;
}

await visit("/names", { html: page });
const count = {};
for (const list of ["globals", "properties", "interfaces", "nodes"])
  count[list] = await value(`$test.count("${list}")`);
const core = await value("$test.core()");
for (const way of ["removed", "thrower", "value", "own"]) {
  await walk(way, "properties", 0, core);
  await walk(way, "properties", core, count.properties);
  if (way !== "own") await walk(way, "globals", 0, count.globals);
}
await walk("lexical", "globals", 0, count.globals);
await walk("prototype", "interfaces", 0, count.interfaces);
await walk("prototype", "nodes", 1, count.nodes);
is(wrong, []);
