// A page may replace any built-in by what is no function, or by one that
// throws. The agent goes by those that it found: it answers, reads the document
// and clicks. All that one object has is replaced together.
const page = `<style>button:hover { color: red } @media all { p:hover { color: red } }</style><button style="position:fixed;left:20px;top:20px;width:80px;height:30px" onclick="clicks++">Press</button><input id=field>
<ul><li class=a>one<li>two</ul><script>
  var clicks = 0, undo = [], fieldOf = document.getElementById('field');
  const { defineProperty: define, ownKeys: keys, getOwnPropertyDescriptor: describe, getPrototypeOf: proto } = Reflect;
  const mine = { __proto__: null, change: 1, changeAll: 1, restore: 1, clicks: 1, undo: 1, eval: 1, focusField: 1, takeText: 1, fieldOf: 1 };
  const groups = [["window", window]];
  const language = "Object Function Array String Number Boolean Symbol BigInt Math JSON Reflect RegExp Date Error TypeError Map Set WeakMap " +
    "WeakSet WeakRef Promise Proxy ArrayBuffer Uint8Array";
  const dom = "URL URLSearchParams TextEncoder TextDecoder EventTarget Event UIEvent MouseEvent PointerEvent MessageEvent MessagePort " +
    "MessageChannel Node Element HTMLElement Document HTMLDocument DocumentFragment ShadowRoot NodeList HTMLCollection DOMTokenList " +
    "NamedNodeMap CSSStyleDeclaration Range Selection MutationObserver Headers Crypto Performance CharacterData Text DOMRect " +
    "DOMRectReadOnly HTMLButtonElement History Storage Window";
  for (const name of (language + " " + dom).split(" ")) {
    groups.push([name, window[name]]);
    if (window[name].prototype) groups.push([name + ".prototype", window[name].prototype]);
  }
  for (const it of [[].values(), new Map().values(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/x/g), function* () {}()])
    groups.push([it[Symbol.toStringTag], proto(it)]);
  groups.push(["Iterator.prototype", proto(proto([].values()))], ["Generator.prototype", proto(proto(function* () {}()))]);
  groups.push(["TypedArray.prototype", proto(Uint8Array.prototype)]);
  const named = (language + " " + dom).split(" "), rest = keys(window).filter((k) => typeof k === "string" && /^[A-Z]/.test(k) && !named.includes(k));
  for (let from = 0; from < rest.length; from += 10) {
    const objects = [];
    for (const name of rest.slice(from, from + 10)) {
      const value = describe(window, name).value;
      if (value && /^(function|object)$/.test(typeof value)) objects.push(value, ...(value.prototype ? [value.prototype] : []));
    }
    groups.push([rest[from] + " to " + (rest[from + 9] ?? rest.at(-1)), ...objects]);
  }
  function change(i, accessors, by) {
    undo = { __proto__: null, n: 0 };
    const group = groups[i];
    for (let o = 1; o < group.length; o++) changeAll(group[o], accessors, by);
  }
  function changeAll(object, accessors, by) {
    const all = keys(object);
    for (let k = 0; k < all.length; k++) {
      const key = all[k], d = describe(object, key);
      if ((object === window && key in mine) || accessors === "value" in d || (!accessors && typeof d.value !== "function")) continue;
      const now = accessors ? { __proto__: null, get: by, configurable: true } : { __proto__: null, value: by, writable: true, configurable: true };
      if (define(object, key, now)) undo[undo.n++] = { object, key, d };
    }
  }
  function restore() {
    for (let k = 0; k < undo.n; k++) define(undo[k].object, undo[k].key, undo[k].d);
  }
  const { apply } = Reflect, { focus } = HTMLElement.prototype, { get: valueOf, set: setValue } = describe(HTMLInputElement.prototype, "value");
  function focusField() {
    apply(focus, fieldOf, []);
  }
  function takeText() {
    const text = apply(valueOf, fieldOf, []);
    apply(setValue, fieldOf, [""]);
    return text;
  }
  function thrower() {
    throw 1;
  }
<\/script>`;
await visit("/builtins", { html: page });
const names = await value("groups.map((g) => g[0])");
const language = (await value("language")).split(" ");
const button = { x: 40, y: 30, button: "left", clickCount: 1 };
let clicks = 0;

const evaluate = async () => {
  is(await value("1 + 1"), 2);
  is(await value("({ a: [1, { b: 'x' }] })"), { a: [1, { b: "x" }] });
  is(await value("(async () => 7)()"), 7);
};
const read = async () => is((await cdp("DOM.getDocument", { depth: -1 })).root.children.at(-1).children.length, 2);
const click = async () => {
  await cdp("Input.dispatchMouseEvent", { type: "mousePressed", ...button });
  await cdp("Input.dispatchMouseEvent", { type: "mouseReleased", ...button });
  is(await value("clicks"), ++clicks);
};
const type = async () => {
  await value("focusField()");
  await cdp("Input.insertText", { text: "ab" });
  for (const type of ["keyDown", "keyUp"])
    await cdp("Input.dispatchKeyEvent", { type, key: "c", code: "KeyC", text: type === "keyDown" ? "c" : "" });
  is(await value("takeText()"), "abc");
};

const wrong = [];
for (const [accessors, by] of [
  [false, "null"],
  [false, "thrower"],
  [true, "thrower"],
]) {
  for (const [i, name] of names.entries()) {
    await value(`change(${i}, ${accessors}, ${by})`);
    for (const run of [evaluate, read, click, type]) {
      await run().catch((e) => {
        wrong.push(`${name}, ${by}: ${run.name}: ${e.message}`);
      });
    }
    await value("restore()");
    clicks = await value("clicks");
  }
}
is(wrong, []);

// The library that draws goes by the page's own built-ins: a screenshot may fail, and is answered.
for (const name of ["window", "Array.prototype", "Promise.prototype", "Map.prototype", "JSON"]) {
  await value(`change(${names.indexOf(name)}, false, thrower)`);
  const shot = await cdp("Page.captureScreenshot").catch((e) => e.message);
  is(/no answer/.test(shot), false, name);
  await value("restore()");
}
