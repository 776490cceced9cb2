const answers = (...list) => fetch(HUB + "/answers", { method: "POST", body: JSON.stringify(list) });
const asked = async () => ((await (await fetch(HUB + "/dialogs")).json()) ?? []).map((b) => JSON.parse(b));
const answer = (o, delay = 0) => ({ body: JSON.stringify(o), delay });
Object.assign(hub, { base: HUB, key: "SECRET" });
// Nobody has Page enabled and no user is there.
await visit("/headless");
is(await value("[alert('a'), confirm('b'), prompt('c', 'd')]"), [null, false, null]);
is((await asked()).length, 0, "nobody is asked");
await visit("/one", { headed: 1, html: "<iframe srcdoc='<p>child'></iframe>" });

// Nobody has Page enabled: the browser's own dialog, here of a frame whose confirm was another before the agent saw it.
await value(`window.blank = document.createElement('iframe'); document.body.append(blank);
  blank.contentWindow.confirm = (message) => 'native ' + message; new Promise((done) => setTimeout(done))`);
const native = "blank.contentWindow.confirm";
is(await value(`${native}('anybody?')`), "native anybody?");
is((await asked()).length, 0, "nobody is asked");

await cdp("Page.enable");
state.sessions[0].domains.push("Page");
await answers(
  answer({ accept: true, text: "" }, 300),
  answer({ accept: true, text: "" }),
  answer({ accept: false, text: "" }),
  answer({ accept: true, text: "Ada" }),
  answer({ accept: false, text: "" }),
);
const waited = await value(
  "const t0 = performance.now(); const r = alert('hi'); [r === undefined, performance.now() - t0 >= 290]",
);
is(waited, [true, true], "alert blocks the page");
is(await value("[confirm('sure?'), confirm()]"), [true, false]);
is(await value("[prompt('name', 'Bob'), prompt('again')]"), ["Ada", null]);
const said = await asked();
is(
  said.map((d) => [d.type, d.message, d.defaultPrompt]),
  [
    ["alert", "hi", ""],
    ["confirm", "sure?", ""],
    ["confirm", "", ""],
    ["prompt", "name", "Bob"],
    ["prompt", "again", ""],
  ],
);
is(
  [said[0].targetId, said[0].key, said[0].frameId, said[0].url],
  ["MAIN", "SECRET", "MAIN", APP + "/one?headed=1&html=%3Ciframe+srcdoc%3D%27%3Cp%3Echild%27%3E%3C%2Fiframe%3E"],
);
is(
  events.filter((e) => e.method?.startsWith("Page.javascriptDialog")),
  [],
  "the hub tells of them, not the agent",
);

// Nobody at the hub wants it, or the hub refuses: the browser's own again.
await answers(answer({ native: true }), { status: 403, body: "no" });
is(await value(`[${native}('a'), ${native}('b')]`), ["native a", "native b"]);

// A child frame has functions of its own.
await answers(answer({ accept: true, text: "" }));
is(await value("frames[0].confirm('from below')"), true);
const below = (await asked()).at(-1);
is([below.message, below.url], ["from below", "about:srcdoc"]);
is(below.frameId === "MAIN", false);
is(await value("[alert, confirm, prompt, print].map((f) => f.name)"), ["alert", "confirm", "prompt", "print"]);
is(await value("print() === undefined"), true, "print opens no window");

// A click waits for the dialog that it has opened.
await value(
  'document.body.innerHTML = \'<button style="position:fixed;left:0;top:0;width:100px;height:50px" onclick="document.title = confirm(1)">go\'',
);
await answers(answer({ accept: true, text: "" }, 200));
for (const type of ["mousePressed", "mouseReleased"]) {
  await cdp("Input.dispatchMouseEvent", { type, x: 10, y: 10, button: "left", clickCount: 1 });
}
is(await value("document.title"), "true");

// So does a child frame of another site, which is of the same Target.
await cdp("Runtime.enable");
events.length = 0;
await value(`const i = document.createElement("iframe"); i.src = "${OTHER}/other"; document.body.append(i); 1`);
let there;
do there = (await event("Runtime.executionContextCreated")).context;
while (there.origin !== OTHER);
await answers(answer({ accept: true, text: "Eve" }));
const named = await cdp("Runtime.evaluate", { expression: "prompt('who?')", contextId: there.id });
is(named.result.value, "Eve");
const other = (await asked()).at(-1);
is([other.targetId, other.key, other.frameId, other.url], ["MAIN", "SECRET", there.auxData.frameId, OTHER + "/other"]);

// A document that is not yet adopted asks as the one before it would have.
const html = "<script>window.early = prompt('at once')<\/script>";
await answers(answer({ accept: true, text: "Zoe" }, 100));
await visit("/early", { html });
is(await value("[early, window.name]"), ["Zoe", ""]);
const soon = (await asked()).at(-1);
is([soon.targetId, soon.key, soon.frameId, soon.message], ["MAIN", "SECRET", "MAIN", "at once"]);
const left = "Object.keys(sessionStorage).filter((k) => k.startsWith('__hubAgent.'))";
is(await value(left), [], "what the document before left");
await value(`sessionStorage["__hubAgent.GONE"] = "{}"`);
await visit("/later");
is(await value(left), [], "of a frame that was removed");

// One of another origin has no key yet: its dialog is closed at once, and told of later.
events.length = 0;
const arrived = new Promise((r) => (paired = r));
frame.src = OTHER + "/early?" + new URLSearchParams({ html });
await arrived;
is(await value("[early, window.name]"), [null, ""]);
is(
  [(await event("Page.javascriptDialogOpening")).message, (await event("Page.javascriptDialogClosed")).result],
  ["at once", false],
);
is((await asked()).at(-1), soon, "the hub was not asked");

// Where the page's policy lets nobody be asked, clients hear of a dialog that was closed at once.
for (const query of [{ csp: "connect-src 'self'" }, { permissions: "sync-xhr=()" }]) {
  await visit("/two", query);
  events.length = 0;
  is(
    await value("[confirm('a'), prompt('b', 'c'), alert('d') === undefined]"),
    [false, null, true],
    JSON.stringify(query),
  );
  const opened = events.filter((e) => e.method === "Page.javascriptDialogOpening").map((e) => e.params);
  is(
    opened.map((p) => [p.type, p.message, p.defaultPrompt, p.hasBrowserHandler]),
    [
      ["confirm", "a", "", true],
      ["prompt", "b", "c", true],
      ["alert", "d", "", true],
    ],
  );
  const closed = events.filter((e) => e.method === "Page.javascriptDialogClosed").map((e) => e.params.result);
  is(closed, [false, false, true]);
}
