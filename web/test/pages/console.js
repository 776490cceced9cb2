// The console and uncaught exceptions, in Chromium's types and shapes.
await visit("/app", { html: "<p>" });
await cdp("Runtime.enable");
const heard = async (js) => {
  events.length = 0;
  await value(js + "; 0");
  const c = await event("Runtime.consoleAPICalled");
  return [c.type, ...c.args.map((a) => a.value ?? a.description)];
};
for (const [js, ...want] of [
  [`console.log("%s is %d", "a", 5)`, "log", "%s is %d", "a", 5],
  [`console.warn("w")`, "warning", "w"],
  [`console.dir({ a: 1 })`, "dir", "Object"],
  [`console.table([{ a: 1 }])`, "table", "Array(1)"],
  [`console.count()`, "count", "default: 1"],
  [`console.count("x")`, "count", "x: 1"],
  [`console.count("x")`, "count", "x: 2"],
  [`console.countReset("y")`, "warning", "Count for 'y' does not exist"],
  [`console.timeEnd("t")`, "warning", "Timer 't' does not exist"],
  [`console.timeLog("t")`, "warning", "Timer 't' does not exist"],
  [`console.time("t"), console.time("t")`, "warning", "Timer 't' already exists"],
  [`console.group("g", "h")`, "startGroup", "g", "h"],
  [`console.group()`, "startGroup", "console.group"],
  [`console.groupCollapsed("c")`, "startGroupCollapsed", "c"],
  [`console.groupEnd()`, "endGroup", "console.groupEnd"],
  [`console.assert(true, "x"), console.assert(false)`, "assert", "console.assert"],
  [`console.assert(false, "m", 1)`, "assert", "m", 1],
  [`console.trace()`, "trace", "console.trace"],
  [`console.trace("t")`, "trace", "t"],
  [`console.clear()`, "clear", "console.clear"],
])
  is(await heard(js), want, js);
is(/^t: \d+(\.\d+)? ms$/.test((await heard(`console.timeLog("t", 1)`))[1]), true);
const [type, text] = await heard(`console.timeEnd("t")`);
is([type, /^t: \d+(\.\d+)? ms$/.test(text)], ["timeEnd", true]);
const { objectId, preview } = (
  await (async () => (await value(`console.log({ a: [1] }); 0`), await event("Runtime.consoleAPICalled")))()
).args[0];
is(preview.properties[0].name, "a");
is(
  (
    await cdp("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: "function () { return this.a[0]; }",
      returnByValue: true,
    })
  ).result.value,
  1,
);

// Where it was called.
await value(`(function outer() { (function inner() { console.log("where"); })(); })(); 0`);
is(
  (await event("Runtime.consoleAPICalled")).stackTrace.callFrames.slice(0, 2).map((f) => f.functionName),
  ["inner", "outer"],
);

// A page may have stacks of its own making. Which call it was is not known then, and the call is told and kept.
await value(`Error.prepareStackTrace = (e, sites) => sites; console.log("no text"); 0`);
is((await event("Runtime.consoleAPICalled")).stackTrace.callFrames, []);
await cdp("Runtime.disable");
events.length = 0;
await cdp("Runtime.enable");
is(events.filter((e) => e.method === "Runtime.consoleAPICalled").at(-1)?.params.args[0].value, "no text");
await value(`delete Error.prepareStackTrace, 0`);

// A child frame tells once, in its own context.
await value(
  `new Promise((done) => { const f = document.createElement("iframe"); f.src = "/child"; f.onload = done; document.body.append(f); }).then(() => 0)`,
);
events.length = 0;
await value(`document.querySelector("iframe").contentWindow.console.log("child"); console.log("parent"); 0`);
const [child, parent] = [await event("Runtime.consoleAPICalled"), await event("Runtime.consoleAPICalled")];
is(
  [child.args[0].value, parent.args[0].value, child.executionContextId !== parent.executionContextId],
  ["child", "parent", true],
);

// Exceptions, and those that were handled after all.
events.length = 0;
await value(`setTimeout(function foo() { throw new Error("boom"); }), 0`);
let e = (await event("Runtime.exceptionThrown")).exceptionDetails;
is(
  [e.text, e.exception.description.split("\n")[0], e.stackTrace.callFrames[0].functionName],
  ["Uncaught", "Error: boom", "foo"],
);
await value(`setTimeout(() => { throw "text"; }), 0`);
e = (await event("Runtime.exceptionThrown")).exceptionDetails;
is([e.text, e.exception], ["Uncaught", { type: "string", value: "text" }]);
for (const [odd, ...want] of [
  ["null", "null", null],
  ["undefined", "undefined", null],
  ["0", "number", 0],
  ["''", "string", ""],
]) {
  await value(`setTimeout(() => { throw ${odd}; }), 0`);
  e = (await event("Runtime.exceptionThrown")).exceptionDetails;
  is([e.text, e.exception.subtype ?? e.exception.type, e.exception.value ?? null], ["Uncaught", ...want]);
}
await value(`window.p = Promise.reject(new Error("late")), 0`);
e = (await event("Runtime.exceptionThrown")).exceptionDetails;
is([e.text, e.exception.description.split("\n")[0]], ["Uncaught (in promise)", "Error: late"]);
await value(`p.catch(() => 0), 0`);
is(await event("Runtime.exceptionRevoked"), {
  reason: "Handler added to rejected promise",
  exceptionId: e.exceptionId,
});
