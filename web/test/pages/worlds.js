// Isolated worlds have the globals that the page has deleted or replaced.
const inWorld = async (frameId, expression, worldName = "util") => {
  const { executionContextId: contextId } = await cdp("Page.createIsolatedWorld", { frameId, worldName });
  const r = await cdp("Runtime.evaluate", { expression, contextId, returnByValue: true, awaitPromise: true });
  return r.exceptionDetails ? r.exceptionDetails.exception.description.split("\n")[0] : r.result.value;
};
const spoil = `
  delete window.Node; window.Map = window.Set = window.Date = window.Promise = undefined;
  JSON.stringify = JSON.stringify; JSON = { stringify: () => "busted" }; setTimeout = () => { throw new Error("no timers") };`;
const probe = `[typeof Node, new Map([[1, 2]]).size, JSON.stringify({ a: 1 }), typeof Date.now(), document.body instanceof Node]`;
const sane = ["function", 1, '{"a":1}', "number", true];

const spoiled = (html = "") => ({ html: `<script>${spoil}<\/script><body>${html}` });
await visit("/worlds", spoiled("<iframe name=kid></iframe>"));
is(await value("[typeof Node, typeof Map, JSON.stringify(1)].join()"), "undefined,undefined,busted");
is(await inWorld("MAIN", probe), sane, "evaluate");
is([await inWorld("MAIN", "const late = 1; late"), await inWorld("MAIN", "late")], [1, 1], "a declaration lasts");
is(await inWorld("MAIN", `var made = new Map([["x", 3]]); made.size`), 1, "statements");
is(await inWorld("MAIN", "made.get('x')"), 3, "var lasts");
is(await inWorld("MAIN", `"use strict"; try { undeclared = new Map() } catch (e) { e.name }`), "ReferenceError");
is(await inWorld("MAIN", "var Map = 5; Map"), 5, "a name of its own");
is(await inWorld("MAIN", "new Promise((r) => setTimeout(r, 1, JSON.stringify([7])))"), "[7]");
is(await inWorld("MAIN", "Map += "), "SyntaxError: Unexpected token '}'");

const { executionContextId } = await cdp("Page.createIsolatedWorld", { frameId: "MAIN", worldName: "util" });
const call = (functionDeclaration, more) =>
  cdp("Runtime.callFunctionOn", { functionDeclaration, executionContextId, returnByValue: true, ...more });
is((await call(`function () { return ${probe}.concat(this === window) }`)).result.value, [...sane, true]);
const { result } = await call("() => ({ later: () => new Set([1]).size })", { returnByValue: false });
is(
  (await call("function () { return this.later() }", { objectId: result.objectId, executionContextId: undefined }))
    .result.value,
  1,
  "a closure",
);
is(
  (await call('() => { "use strict"; return (function () { return this })() === undefined }')).result.value,
  true,
  "strict",
);

// In a child frame, from its beginning; the page comes and spoils it later.
const kid = (await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame.id;
await value(`frames.kid.eval(${JSON.stringify(spoil)})`);
is(await inWorld(kid, probe), sane, "a child frame");

// A new document, and a script of a world that begins with it.
await cdp("Page.addScriptToEvaluateOnNewDocument", {
  worldName: "util",
  source: "globalThis.sizeOf = (list) => new Set(list).size",
});
await visit("/again", spoiled());
is(await inWorld("MAIN", "sizeOf([1, 1, 2])"), 2);

// Where eval is forbidden: expressions have them, and programs keep their value.
await visit("/policy", { csp: "script-src 'nonce-abc'" });
await value("(delete window.Node, window.Map = undefined, 1)");
is(
  await inWorld("MAIN", "(() => {\n  const m = new Map([[1, 1]]);\n  return [m.size, typeof Node].join();\n})();"),
  "1,function",
);
is(await inWorld("MAIN", "var plain = 1; plain + 1"), 2);

// Too many contexts: 999: the next id would be that of another document.
await visit("/many", { html: "<iframe name=kid></iframe>" });
let last, refused;
for (let n = 0; n < 1000 && !refused; n++) {
  try {
    ({ executionContextId: last } = await cdp("Page.createIsolatedWorld", { frameId: "MAIN", worldName: `w${n}` }));
  } catch (e) {
    refused = e.message;
  }
}
is(refused, "Too many contexts: 999");
is((await cdp("Runtime.evaluate", { expression: "6 * 7", contextId: last })).result.value, 42);
// Ids of contexts that are gone are used again.
for (let n = 0; n < 3; n++) {
  const own = (await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame.id;
  const before = await value("document.querySelector('iframe').replaceWith(document.createElement('iframe')); 1");
  is(before, 1);
  const next = (await cdp("Page.getFrameTree")).frameTree.childFrames[0].frame.id;
  is(next === own, false);
}
// Each of them has a uniqueId that none before it has had.
await cdp("Runtime.enable");
const made = [];
for (let n = 0; n < 3; n++) {
  await value("document.querySelector('iframe').replaceWith(document.createElement('iframe')); 1");
  await cdp("Page.getFrameTree");
}
for (const e of events) if (e.method === "Runtime.executionContextCreated") made.push(e.params.context);
is(new Set(made.map((c) => c.id)).size < made.length, true, "ids are used again");
is(new Set(made.map((c) => c.uniqueId)).size, made.length);
await cdp("Runtime.disable");
is((await cdp("Runtime.evaluate", { expression: "6 * 7", contextId: last })).result.value, 42);
