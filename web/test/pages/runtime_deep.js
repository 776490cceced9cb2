// Deep serialization, and arguments that are programs: what WebDriver BiDi is made of
// (chromium-bidi). The wanted values are those of Chromium 156.
await visit("/one");
const deep = async (expression, more = {}) => {
  const serializationOptions = { serialization: "deep", ...more };
  return (await cdp("Runtime.evaluate", { expression, serializationOptions })).result.deepSerializedValue;
};
const number = (value) => ({ type: "number", value });

for (const [expression, want] of Object.entries({
  undefined: { type: "undefined" },
  null: { type: "null" },
  "'s'": { type: "string", value: "s" },
  "-0": number("-0"),
  NaN: number("NaN"),
  "7n": { type: "bigint", value: "7" },
  "Symbol('x')": { type: "symbol" },
  "(class {})": { type: "function" },
  "[1,,[2]]": { type: "array", value: [number(1), { type: "undefined" }, { type: "array", value: [number(2)] }] },
  "({ a: 1, get g() { return 5 }, [Symbol()]: 1 })": {
    type: "object",
    value: [
      ["a", number(1)],
      ["g", number(5)],
    ],
  },
  "new Map([['k', 1], [{}, 2]])": {
    type: "map",
    value: [
      ["k", number(1)],
      [{ type: "object", value: [] }, number(2)],
    ],
  },
  "new Set([1])": { type: "set", value: [number(1)] },
  "new Date(0)": { type: "date", value: "1970-01-01T00:00:00.000Z" },
  "new Date(NaN)": { type: "date", value: "Invalid Date" },
  "/a+/gi": { type: "regexp", value: { pattern: "a+", flags: "gi" } },
  "/b/": { type: "regexp", value: { pattern: "b" } },
  "new TypeError('x')": { type: "error" },
  "Promise.resolve(1)": { type: "promise" },
  "new Uint8Array(3)": { type: "typedarray" },
  "new DataView(new ArrayBuffer(2))": { type: "object", value: [] },
  "(function* () {})()": { type: "generator" },
  "(function () { return arguments })(1)": { type: "object", value: [["0", number(1)]] },
  "new (class Foo { x = 1 })": { type: "object", value: [["x", number(1)]] },
  "Object.create(null)": { type: "object", value: [] },
  Math: { type: "object", value: [] },
  "new Intl.NumberFormat()": { type: "object", value: [] },
  location: { type: "platformobject" },
  "new URL('http://a/b')": { type: "platformobject" },
  "new (class extends EventTarget {})": { type: "platformobject" },
  "document.body.classList": { type: "platformobject" },
  window: { type: "window", value: { context: "MAIN" } },
})) {
  is(await deep(expression), want, expression);
}
await fails(deep("({ get g() { throw new Error() } })"), "exception during deep serialization");

// What comes twice is told once.
is(await deep("(() => { const f = () => 1; return [f, f] })()"), {
  type: "array",
  value: [
    { type: "function", weakLocalObjectReference: 1 },
    { type: "function", weakLocalObjectReference: 1 },
  ],
});
const circle = await deep("(() => { const a = []; a.push(a); return a })()");
is(circle.value, [{ type: "array", weakLocalObjectReference: 1 }]);
is(circle.weakLocalObjectReference, 1);

// Only so deep.
is(await deep("[1, [2]]", { maxDepth: 1 }), { type: "array", value: [number(1), { type: "array" }] });
is(await deep("new Set([1])", { maxDepth: 0 }), { type: "set" });
is(await deep("document.querySelectorAll('body')", { maxDepth: 0 }), { type: "nodelist" });

// Nodes.
await value("document.body.innerHTML = `<div id=a class='x y'>text<b>bold</b></div><p id=host></p>`");
await value("document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<i>s</i>'");
const { type, value: div } = await deep("document.getElementById('a')");
const { backendNodeId, loaderId, ...rest } = div;
is([type, typeof backendNodeId, loaderId.startsWith("LOADER")], ["node", "number", true]);
is(rest, {
  nodeType: 1,
  childNodeCount: 2,
  shadowRoot: null,
  localName: "div",
  namespaceURI: "http://www.w3.org/1999/xhtml",
  attributes: { id: "a", class: "x y" },
});
const object = (await cdp("DOM.resolveNode", { backendNodeId })).object;
is(object.description, "div#a.x.y");
const below = await deep("document.getElementById('a')", { additionalParameters: { maxNodeDepth: 1 } });
is(
  below.value.children.map((c) => c.value.nodeValue ?? c.value.localName),
  ["text", "b"],
);
is(below.value.children[1].value.children, undefined);
const shown = async (includeShadowTree) => {
  const additionalParameters = { maxNodeDepth: 1, includeShadowTree };
  const { shadowRoot } = (await deep("document.getElementById('host')", { additionalParameters })).value;
  return [shadowRoot.value.mode, shadowRoot.value.children?.length];
};
is(await shown("none"), ["open", undefined]);
is(await shown("all"), ["open", 1]);
is((await deep("document.getElementsByTagName('b')")).value[0].value.localName, "b");
await fails(deep("1", { additionalParameters: { includeShadowTree: "x" } }), "Unknown value includeShadowTree:x");

// The other serializations, and what a promise comes to.
const evaluate = (serialization, expression, more) =>
  cdp("Runtime.evaluate", { expression, serializationOptions: { serialization }, ...more });
is((await evaluate("json", "({ a: [1] })")).result, { type: "object", value: { a: [1] } });
is(typeof (await evaluate("idOnly", "({ a: [1] })", { returnByValue: true })).result.objectId, "string");
await fails(evaluate("bogus", "1"), "Unknown serializationOptions.serialization value bogus");
const late = await evaluate("deep", "Promise.resolve([1])", { awaitPromise: true });
is(late.result.deepSerializedValue, { type: "array", value: [number(1)] });
is((await evaluate("deep", "throw { a: 1 }")).result.deepSerializedValue, undefined);

// An argument is whatever its text makes.
const { objectId } = (await cdp("Runtime.evaluate", { expression: "window" })).result;
const given = async (...list) => {
  const functionDeclaration = "function (...all) { return all.map((v) => `${typeof v} ${v}`) }";
  const p = { objectId, functionDeclaration, arguments: list, returnByValue: true };
  return (await cdp("Runtime.callFunctionOn", p)).result.value;
};
const texts = [
  "undefined",
  "null",
  "-0",
  "12n",
  'BigInt("12")',
  "new Date(0).getTime()",
  "new RegExp('a', 'g')",
  "1+1",
  "",
  "{a:1}",
];
is(
  await given(
    ...texts.map((unserializableValue) => ({ unserializableValue })),
    { value: 1, unserializableValue: "2" },
    {},
  ),
  [
    "undefined undefined",
    "object null",
    "number 0",
    "bigint 12",
    "bigint 12",
    "number 0",
    "object /a/g",
    "number 2",
    "undefined undefined",
    "number 1",
    "number 1",
    "undefined undefined",
  ],
);
for (const unserializableValue of ["nosuch", "throw 1", "}"]) {
  await fails(given({ unserializableValue }), "Couldn't parse value object in call argument");
}

// Where the page's policy has scripts come from the hub alone.
await visit("/csp", { csp: "script-src 'nonce-abc'" });
is(await value("typeof eval"), "function");
const again = (await cdp("Runtime.evaluate", { expression: "window" })).result.objectId;
const sum = await cdp("Runtime.callFunctionOn", {
  objectId: again,
  functionDeclaration: "(a, b) => a + b",
  arguments: [{ unserializableValue: 'BigInt("40")' }, { unserializableValue: "1n + 1n" }],
});
is(sum.result.description, "42n");
