hub.base = HUB;
const policies = {
  none: "",
  trustedTypes: "script-src 'self' 'unsafe-eval'; require-trusted-types-for 'script'; trusted-types hub-agent",
  nonce: "script-src 'self' 'nonce-abc'",
  nonceOnly: "default-src 'none'; script-src 'nonce-abc'",
  strictDynamic: "script-src 'nonce-abc' 'strict-dynamic'",
  nonceTrusted: "script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types hub-agent",
  inline: "script-src 'self' 'unsafe-inline'",
  blob: "script-src 'self' blob:",
  blobTrusted: "script-src 'self' blob:; require-trusted-types-for 'script'; trusted-types hub-agent",
  hub: "script-src 'self' " + HUB,
  hubTrusted: "script-src 'self' " + HUB + "; require-trusted-types-for 'script'; trusted-types hub-agent",
};
const source = "window.atBoot = document.currentScript !== undefined && 'yes'";

async function result(method, params) {
  const r = await cdp(method, params);
  return r.exceptionDetails ? r.exceptionDetails.exception.description.split("\n")[0] : r.result.value;
}
const evaluate = (expression, more = {}) => result("Runtime.evaluate", { expression, returnByValue: true, ...more });

await visit("/start");
for (const d of ["Runtime", "Network", "Log"]) await cdp(d + ".enable");
state.sessions[0].domains.push("Runtime", "Network", "Log");
await cdp("Page.addScriptToEvaluateOnNewDocument", { source, identifier: "1" });
state.sessions[0].scripts.push({ identifier: "1", source });

for (const [name, csp] of Object.entries(policies)) {
  await visit("/" + name, { csp, html: "<p id=p>text" });
  events.length = 0;
  is(await evaluate("1 + 1"), 2, name);
  is(await evaluate("document.querySelector('#p').textContent; // its text"), "text", name);
  is(await evaluate("const list = [1, 2];\nlist.map((x) => {\n  return `${x};`;\n}).join('')"), "1;2;", name);
  is(await evaluate("var a = 6, b = 7; if (a) { b++ }\na * b"), 48, name);
  is(await evaluate("window.n = (window.n || 0) + 1; n"), 1, name + " runs once");
  is(await evaluate("window.n = (window.n || 0) + 1; n"), 2, name + " runs each time");
  is(await evaluate("function twice(x) { return 2 * x }"), undefined, name);
  is(await evaluate("twice(4)"), 8, name + " declares functions");
  is(await evaluate("const kept = 5; let more = 6;\nkept + more"), 11, name);
  is(await evaluate("const again = 1; again", { replMode: true }), 1, name);
  const evalOnly = name === "trustedTypes";
  is(
    await evaluate("more + 10"),
    evalOnly ? "ReferenceError: more is not defined" : 16,
    name + " keeps what is declared",
  );
  is(
    await evaluate("const kept = 1; kept"),
    evalOnly ? 1 : "SyntaxError: Identifier 'kept' has already been declared",
    name,
  );
  is(await evaluate("new Promise((r) => setTimeout(r, 1, 'later'))", { awaitPromise: true }), "later", name);
  is(await evaluate("const late = await Promise.resolve(3);\nlate + 1", { replMode: true }), 4, name);
  is(await evaluate("throw new RangeError('mine')"), "RangeError: mine", name);
  is(await evaluate("window.n++; null.x"), "TypeError: Cannot read properties of null (reading 'x')", name);
  is(await evaluate("n"), 3, name + " ran once what threw");
  is((await evaluate("let 1 = 2")).slice(0, 11), "SyntaxError", name);
  const self = await cdp("Runtime.evaluate", { expression: "({ base: 40 })" });
  is(
    await result("Runtime.callFunctionOn", {
      objectId: self.result.objectId,
      functionDeclaration: "function (n) { return this.base + n }",
      arguments: [{ value: 2 }],
    }),
    42,
    name,
  );
  // What clients inject calls eval on texts that come as arguments.
  is(
    await result("Runtime.callFunctionOn", {
      objectId: self.result.objectId,
      functionDeclaration:
        "(text, data) => [eval(text)(20), (0, eval)(`(${data.code})`)(), data.text, eval(data.list[0].v)].join()",
      arguments: [
        { value: "(n) => n + 1" },
        { value: { code: "() => 'nested'", text: "window.n = 50; 1", list: [{ k: "expression", v: "6 * 7" }] } },
      ],
    }),
    "21,nested,window.n = 50; 1,42",
    name,
  );
  is(await evaluate("n"), 3, name + " runs no argument by itself");
  is(await evaluate("window.atBoot"), "yes", name + " runs init scripts");
  const own = (e) =>
    e.method === "Runtime.exceptionThrown" ||
    e.method === "Log.entryAdded" ||
    /eval\/|^blob:/.test(e.params?.request?.url);
  is(events.filter(own), [], name + " tells of nothing of its own");
}

// A handler that a policy blocks is logged, in markup and later.
await visit("/handler", { csp: "script-src 'self' 'unsafe-eval'", html: "<button onclick='window.ran = 1'>" });
for (const again of [false, true]) {
  if (again) await value("document.querySelector('button').setAttribute('onclick', 'window.ran = 2'), 1");
  const { entry } = await event("Log.entryAdded");
  is(
    [entry.source, entry.level, /inline event handler violates.*script-src 'self'/.test(entry.text)],
    ["security", "error", true],
  );
}

// A child frame of another site gets its scripts from the hub too.
await visit("/outer");
const other = OTHER + "/inner?csp=" + encodeURIComponent("script-src 'self' " + HUB);
events.length = 0;
await value(`const i = document.createElement("iframe"); i.src = ${JSON.stringify(other)}; document.body.append(i); 1`);
let there;
do there = (await event("Runtime.executionContextCreated")).context;
while (there.origin !== OTHER);
is(await evaluate("location.pathname", { contextId: there.id }), "/inner");

// No way is left: the error says so, and what would help.
for (const [csp, named] of [
  ["script-src 'self'", "script-src 'self'"],
  ["script-src 'self' 'unsafe-eval'; require-trusted-types-for 'script'; trusted-types mine", "trusted-types mine"],
]) {
  await visit("/never", { csp });
  const error = await evaluate("1");
  is(
    [error.startsWith("EvalError: The page's Content Security Policy \""), error.includes(named), error.includes(HUB)],
    [true, true, true],
    error,
  );
  is(await evaluate("1"), error);
}

// A policy in the document itself comes after the agent.
await visit("/meta", { html: "<meta http-equiv=Content-Security-Policy content=\"script-src 'nonce-abc'\">" });
is(await evaluate("'still ' + 'there'"), "still there");
