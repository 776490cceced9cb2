// A page that removes and replaces what every script relies on.
await visit("/globals", {
  html: "<button style='position:fixed;left:20px;top:20px;width:80px;height:30px' onclick='this.append(\"!\")'>Press</button>",
});
await value(`(() => {
  for (const k of ["Node", "NodeFilter", "Document", "ShadowRoot", "DOMException", "WeakRef", "Promise", "Symbol", "URL"]) delete window[k];
  window.Map = window.Set = window.WeakMap = window.Date = window.Array = window.Error = function () { throw new TypeError("replaced") };
  JSON = Object = Math = Number = String = undefined;
})()`);
is(await value("typeof Node + typeof Object"), "undefinedundefined");
const at = { x: 40, y: 30, button: "left", clickCount: 1 };
await cdp("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
await cdp("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
is(await value("document.querySelector('button').textContent"), "Press!");
is(
  (await cdp("Accessibility.getFullAXTree")).nodes.filter((n) => n.role?.value === "button").map((n) => n.name.value),
  ["Press!"],
);
const { root } = await cdp("DOM.getDocument", { depth: -1 });
is(
  root.children.at(-1).children.map((n) => n.localName),
  ["head", "body"],
);
const { result } = await cdp("Runtime.evaluate", { expression: "({ a: document.body, b: /x/g })" });
is(
  (await cdp("Runtime.getProperties", { objectId: result.objectId, ownProperties: true })).result
    .filter((p) => p.name !== "__proto__")
    .map((p) => [p.name, p.value.subtype]),
  [
    ["a", "node"],
    ["b", "regexp"],
  ],
);

// Older libraries give everything a toJSON.
await visit("/json");
await value("Array.prototype.toJSON = Object.prototype.toJSON = String.prototype.toJSON = () => 'busted'");
is(await value("[1, { a: ['x'] }]"), [1, { a: ["x"] }]);
is(await value("JSON.stringify([1])"), '"busted"', "as the page has it");
