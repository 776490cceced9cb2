// A Host page for tests. In a test: cdp(method, params, session) answers or
// throws an Error with the error's text; event(method) resolves to the params
// of the next such event, or of one not yet taken; events holds all that came;
// is(got, want, what) compares as JSON; fails(promise, text) wants that error;
// visit(path, query) opens a page of the app and waits until it is paired and
// loaded. pair(path, query) waits for the pairing alone.
const events = [];
const state = { sessions: [] };
const hub = {}; // base and key, as the welcome is to tell them
let port,
  checks = 0,
  serial = 0,
  loaders = 0,
  known = "",
  paired = () => {};
const calls = new Map();
const frame = document.createElement("iframe");
frame.style = "width:800px;height:600px;border:0";
document.body.append(frame);

addEventListener("message", (e) => {
  if (e.source !== frame.contentWindow || e.data?.icdp !== "hello" || e.data.docId === known) return;
  const navigated = known !== "";
  known = e.data.docId;
  const c = new MessageChannel();
  port = c.port1;
  port.onmessage = (m) => receive(JSON.parse(m.data));
  frame.contentWindow.postMessage(
    { icdp: "welcome", v: 1, frameId: "MAIN", loaderId: "LOADER" + ++loaders, navigated, state, ...hub },
    e.origin,
    [c.port2],
  );
  paired();
});

function receive(m) {
  if (m.icdp === "evalput") return void putScript(m);
  if (m.id === undefined) return void events.push(m);
  const { done, failed } = calls.get(m.id);
  calls.delete(m.id);
  m.error ? failed(new Error(m.error.message)) : done(m.result);
}

async function putScript({ key, source }) {
  await fetch(HUB + "/put/" + key, { method: "POST", body: source });
  port.postMessage(JSON.stringify({ icdp: "evalok", key }));
}

function attach(sessionId) {
  state.sessions.push({ sessionId, domains: [], lifecycle: false, scripts: [], bindings: [], fileChooser: false });
  port?.postMessage(JSON.stringify({ icdp: "attached", sessionId }));
}

function cdp(method, params = {}, sessionId = "S1") {
  const id = ++serial;
  port.postMessage(JSON.stringify({ id, method, params, sessionId }));
  return new Promise((done, failed) => {
    const late = setTimeout(() => failed(new Error(`no answer to ${method} ${JSON.stringify(params)}`)), 20_000);
    const ends = (f) => (v) => (clearTimeout(late), f(v));
    calls.set(id, { done: ends(done), failed: ends(failed) });
  });
}

async function value(expression) {
  const r = await cdp("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception.description);
  return r.result.value;
}

// The bytes of an answer's head, which count as data.
function head({ status, statusText, headers }) {
  return `HTTP/1.1 ${status} ${statusText}\r\n${Object.entries(headers)
    .map(([n, v]) => `${n}: ${v}\r\n`)
    .join("")}\r\n`.length;
}

async function event(method, ms = 10_000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((r) => setTimeout(r, 10))) {
    const i = events.findIndex((e) => e.method === method || e.icdp === method);
    if (i >= 0) return events.splice(i, 1)[0].params ?? {};
  }
  throw new Error("no event " + method);
}

function is(got, want, what = "") {
  checks++;
  const [a, b] = [got, want].map((x) => JSON.stringify(x));
  if (a !== b) throw new Error(`${what}: got ${a}, want ${b}`);
}

async function fails(promise, text) {
  is(
    await promise.then(
      () => "no error",
      (e) => e.message,
    ),
    text,
  );
}

function pair(path, query = {}) {
  const arrived = new Promise((r) => (paired = r));
  frame.src = APP + path + "?" + new URLSearchParams(query);
  return arrived;
}

function visit(path, query) {
  const loaded = new Promise((r) => frame.addEventListener("load", r, { once: true }));
  return Promise.all([pair(path, query), loaded]);
}

async function start(test) {
  let error = "";
  try {
    attach("S1");
    await test();
  } catch (e) {
    error = String(e.stack ?? e);
  }
  await fetch("/outcome", { method: "POST", body: JSON.stringify({ error, checks }) });
}
