await visit("/one");
const ev = async (expression, more) => (await cdp("Runtime.evaluate", { expression, ...more })).result;
is(await ev("1"), { type: "number", value: 1, description: "1" });
is(await ev("-0"), { type: "number", unserializableValue: "-0", description: "-0" });
is(await ev("10n"), { type: "bigint", unserializableValue: "10n", description: "10n" });
is(await ev("({a:1,b:[1,'x',null]})", { returnByValue: true }), { type: "object", value: { a: 1, b: [1, "x", null] } });
is((await ev("document.body")).description, "body");
is((await ev("self")).className, "Window");
is(await ev("Promise.resolve(7)", { awaitPromise: true }), { type: "number", value: 7, description: "7" });
is(await ev("await Promise.resolve(8)", { replMode: true }), { type: "number", value: 8, description: "8" });
is(await ev("frameElement"), { type: "object", subtype: "null", value: null });
await fails(ev("const o={};o.o=o;o", { returnByValue: true }), "Object reference chain is too long");

const bad = await cdp("Runtime.evaluate", { expression: "throw new TypeError('evil')" });
is(bad.exceptionDetails.text, "Uncaught");
is(bad.result.description, "TypeError: evil\n    at <anonymous>:1:7");
is(bad.exceptionDetails.columnNumber, 6);
const rejected = await cdp("Runtime.evaluate", { expression: "Promise.reject(new Error('no'))", awaitPromise: true });
is(rejected.exceptionDetails.text, "Uncaught (in promise) Error: no");
const side = await cdp("Runtime.evaluate", { expression: "1", throwOnSideEffect: true });
is(side.exceptionDetails.exception.className, "EvalError");

const o = await ev("({k:{},arr:[1]})");
const sum = await cdp("Runtime.callFunctionOn", {
  objectId: o.objectId,
  functionDeclaration: "function(n){return this.arr[0]+n}",
  arguments: [{ value: 2 }],
});
is(sum.result.value, 3);
const props = await cdp("Runtime.getProperties", { objectId: o.objectId, ownProperties: true });
is(
  props.result.map((p) => [p.name, p.value.description]),
  [
    ["k", "Object"],
    ["arr", "Array(1)"],
  ],
);
await cdp("Runtime.releaseObject", { objectId: o.objectId });
await fails(cdp("Runtime.getProperties", { objectId: o.objectId }), "Could not find object with given id");
await fails(cdp("Runtime.evaluate", { expression: "1", contextId: 5 }), "Cannot find context with specified id");
await fails(cdp("No.such"), "Method not found: No.such ('No.such' wasn't found)");
await fails(
  cdp("Page.printToPDF"),
  "Page.printToPDF is not possible in an embedded frame: page script cannot print to a file",
);

await value("console.log('early', {a:1,b:[1,2]})");
await cdp("Runtime.enable");
is((await event("Runtime.executionContextCreated")).context.auxData, {
  isDefault: true,
  type: "default",
  frameId: "MAIN",
});
const line = await event("Runtime.consoleAPICalled");
is(line.args[1].preview, {
  type: "object",
  description: "Object",
  overflow: false,
  properties: [
    { name: "a", type: "number", value: "1" },
    { name: "b", type: "object", value: "Array(2)", subtype: "array" },
  ],
});
await value("setTimeout(() => { throw new Error('boom') })");
is((await event("Runtime.exceptionThrown")).exceptionDetails.exception.className, "Error");
await cdp("Runtime.addBinding", { name: "hook" });
await value("hook('x')");
is((await event("Runtime.bindingCalled")).payload, "x");
const world = await cdp("Page.createIsolatedWorld", { frameId: "MAIN", worldName: "second" });
await cdp("Runtime.addBinding", { name: "hook", executionContextName: "second" });
await value("hook('y')");
await message(
  "a call of the second world",
  (e) => e.params?.executionContextId === world.executionContextId && e.params.payload === "y",
  5000,
);

await visit("/csp", { csp: "script-src 'nonce-abc'" });
is(await value("1+1"), 2, "by nonce");
is(await value("[1,2].map(x => x*2).join()"), "2,4");
await visit("/csp", { csp: "script-src 'self'" });
is((await cdp("Runtime.evaluate", { expression: "1" })).exceptionDetails.exception.className, "EvalError");
