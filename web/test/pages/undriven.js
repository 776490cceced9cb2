// What happens while no client drives the page goes straight to the browser, and a client that comes later finds it.
const html = `<iframe id=first srcdoc=first></iframe><div id=host></div><script>
  const kept = [fetch, XMLHttpRequest.prototype.send];
  onmessage = async (e) => {
    if (typeof e.data.run !== "string") return;
    let did;
    try { did = await eval(e.data.run); } catch (error) { did = String(error); }
    e.source.postMessage({ did }, "*");
  };
<\/script>`;
const run = (code) =>
  new Promise((r) => {
    const heard = (e) => {
      if (e.source !== frame.contentWindow || !("did" in (e.data ?? {}))) return;
      removeEventListener("message", heard);
      r(e.data.did);
    };
    addEventListener("message", heard);
    frame.contentWindow.postMessage({ run: code }, "*");
  });
const detach = () => {
  const { sessionId } = state.sessions.pop();
  port.postMessage(JSON.stringify({ icdp: "detached", sessionId }));
};
const ask = (path) =>
  `new Promise((r) => { const x = new XMLHttpRequest(); x.open("GET", "${path}"); x.onloadend = () => r([x.status, x.responseText]); x.send(); })`;
const load = (code) => run(`new Promise((r) => { ${code}; made.onload = () => r(1); })`);

state.sessions.length = 0;
await visit("/undriven", { html, csp: "connect-src 'self'" });

// Requests have the outcome that they have without an agent.
is(await run("fetch('/data.json').then((r) => r.json())"), { answer: 42 });
is(await run(ask("/data.json")), [200, '{"answer":42}']);
is(await run("fetch('/missing?status=404').then((r) => r.status)"), 404);
is((await run(ask("/missing?status=503")))[0], 503);
is(
  await run("fetch(location.href, 1)"),
  "TypeError: Failed to execute 'fetch' on 'Window': The provided value is not of type 'RequestInit'.",
);
is(await run("fetch('http://blocked.test/')"), "TypeError: Failed to fetch");
is((await run(ask("http://blocked.test/x")))[0], 0);
is(await run("fetch('/data.json', { signal: AbortSignal.abort() }).catch((e) => e.name)"), "AbortError");
is(
  await run(
    "new Promise((r) => { addEventListener('unhandledrejection', () => r('unhandled'), { once: true }); void fetch('http://blocked.test/again'); })",
  ),
  "unhandled",
);

// The Host hears of the title, and a client of what has failed, and of all frames.
events.length = 0;
await run("document.title = 'Undriven'");
await message("title", (m) => m.icdp === "info" && m.title === "Undriven");
await load(
  "const made = document.createElement('iframe'); made.name = 'second'; made.srcdoc = '<script>console.log(1)<\\/script>'; document.body.append(made)",
);
await load(
  "const made = document.createElement('iframe'); made.name = 'third'; made.srcdoc = 'x'; host.attachShadow({ mode: 'closed' }).append(made)",
);
attach("S1");
const names = async () => (await cdp("Page.getFrameTree")).frameTree.childFrames.map((c) => c.frame.name);
is(await names(), ["first", "second", "third"]);
await cdp("Log.enable");
const texts = events.filter((e) => e.method === "Log.entryAdded").map((e) => e.params.entry);
is(
  texts.map((e) => [e.text.replace(/.*: /, ""), e.url.replace(APP, "")]),
  [
    ["the server responded with a status of 404 (Not Found)", "/missing?status=404"],
    ["the server responded with a status of 503 (Service Unavailable)", "/missing?status=503"],
    ["net::ERR_BLOCKED_BY_CSP", "http://blocked.test/"],
    ["net::ERR_BLOCKED_BY_CSP", "http://blocked.test/x"],
    ["net::ERR_BLOCKED_BY_CSP", "http://blocked.test/again"],
  ].map(([text, url]) => [text, url]),
);

// Functions that the page has kept from before are heard of.
await cdp("Network.enable");
events.length = 0;
is(await value("kept[0]('/data.json').then((r) => r.status)"), 200);
is((await event("Network.requestWillBeSent")).request.url, `${APP}/data.json`);
await event("Network.loadingFinished");
await value(ask("/data.json"));
is((await event("Network.requestWillBeSent")).type, "XHR");

// When the last client has gone, and another comes.
detach();
await load(
  "const made = document.createElement('iframe'); made.name = 'fourth'; made.srcdoc = 'x'; document.body.append(made)",
);
await run("document.querySelector('#first').remove()");
attach("S1");
is(await names(), ["second", "third", "fourth"]);

// A document that is opened anew, while none is there.
detach();
await run(
  "document.open(); document.write('<title>Anew</title><iframe name=fifth srcdoc=x></iframe>'); document.close(); onmessage = null",
).catch(() => {});
await message("the new title", (m) => m.icdp === "info" && m.title === "Anew");
attach("S1");
is(await names(), ["fifth"]);
