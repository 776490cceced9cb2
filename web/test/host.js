// A Host page for tests. In a test: cdp(method, params, session) answers or
// throws an Error with the error's text; event(method) resolves to the params
// of the next such event, or of one not yet taken; message(what, is) resolves
// to the whole of a message; until(what, find) waits until find returns
// something true; decoded(data) reads a picture; events holds all that came and was not taken;
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
  port.onmessage = (m) => receive(typeof m.data === "string" ? JSON.parse(m.data) : m.data);
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
    const late = setTimeout(() => failed(new Error(`no answer to ${method} ${JSON.stringify(params)}`)), 60_000);
    const ends = (f) => (v) => (clearTimeout(late), f(v));
    calls.set(id, { done: ends(done), failed: ends(failed) });
  });
}

async function value(expression) {
  const r = await cdp("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception.description);
  return r.result.value;
}

// Has the proxy in front of the app send events to the next agent that connects, after so many milliseconds.
function proxySays(list, after = 0) {
  return fetch(`${HUB}/events?after=${after}`, { method: "POST", body: JSON.stringify(list) });
}

// The event of a request that the proxy reports.
function proxyRequest(path, more) {
  return { what: "request", id: "1", url: APP + path, method: "GET", headers: {}, referrer: APP + "/app", ...more };
}

// The bytes of an answer's head, which count as data.
function head({ status, statusText, headers }) {
  return `HTTP/1.1 ${status} ${statusText}\r\n${Object.entries(headers)
    .map(([n, v]) => `${n}: ${v}\r\n`)
    .join("")}\r\n`.length;
}

// What find returns, once that is true.
async function until(what, find, ms = 60_000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((r) => setTimeout(r, 10))) {
    const found = await find();
    if (found) return found;
  }
  const came = events.map((e) => e.method ?? e.icdp).join(" ");
  throw new Error(`not within ${ms} ms: ${what}; not taken: ${came}`);
}

/** The size of a picture in base64, and a function for the colour of a pixel: red, green, blue, alpha. */
async function decoded(data) {
  const image = new Image();
  image.src = "data:;base64," + data;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const from = canvas.getContext("2d");
  from.drawImage(image, 0, 0);
  return { size: [canvas.width, canvas.height], at: (x, y) => [...from.getImageData(x, y, 1, 1).data] };
}

// The next message of the agent that is such, or one not yet taken.
function message(what, is, ms) {
  const take = () => {
    const i = events.findIndex(is);
    return i >= 0 && events.splice(i, 1)[0];
  };
  return until(what, take, ms);
}

async function event(method, ms) {
  const m = await message("event " + method, (e) => e.method === method || e.icdp === method, ms);
  return m.params ?? {};
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

// What a page has measured, by unit.
let figures = {};
function report(measured) {
  figures = measured;
}

async function start(test) {
  let error = "";
  try {
    attach("S1");
    await test();
  } catch (e) {
    error = String(e.stack ?? e);
  }
  await fetch("/outcome", { method: "POST", body: JSON.stringify({ error, checks, figures }) });
}
