// A Host that is a browser, as docs/bridge.md describes it: it puts a Chromium that
// runs with --remote-debugging-port=9333 behind a hub. Node 22 or later runs it:
//   node examples/browser-host.mjs http://127.0.0.1:9333 ws://127.0.0.1:9223/icdp/host
const [browserURL, hubURL] = process.argv.slice(2);
if (!globalThis.WebSocket) fail(`This needs Node 22 or later, and this is ${process.version}.`);
if (!hubURL) fail("Name a browser and a hub, as in the first lines of this file.");
const found = await fetch(new URL("/json/version", browserURL)).catch(() =>
  fail(`No browser answers at ${browserURL}: start Chromium with --remote-debugging-port=9333.`),
);
const version = await found.json();
const browser = await open(version.webSocketDebuggerUrl);
const hub = await open(hubURL);

const begun = new Map(); // the browser's ids of the sessions that the hub has begun, by the hub's: promises
const sessions = new Map(); // all sessions, by the browser's ids: { hubId, client }; a client is the first session of one
const owners = new Map(); // the clients that have created contexts, by the contexts' ids
const answers = new Map(); // what waits for the browser's answers, by the commands' ids

let lastId = 0;
function ask(method, params = {}, sessionId) {
  browser.send(JSON.stringify({ id: ++lastId, method, params, sessionId }));
  return new Promise((resolve) => answers.set(lastId, resolve));
}
const tell = (message) => hub.send(JSON.stringify(message));

// A target in a context that a client has created is for that client alone.
const mayKnow = (client, info) => [undefined, client].includes(owners.get(info.browserContextId));

hub.onmessage = async ({ data }) => {
  const { kind, sessionId, targetId, id, method, params } = JSON.parse(data);
  if (kind === "attached") return begun.set(sessionId, begin(sessionId, targetId));
  const own = (await begun.get(sessionId)) ?? sessionId; // those born inside have one id
  if (kind === "detached") {
    for (const [each, { client }] of sessions) if (client === sessionId) sessions.delete(each);
    begun.delete(sessionId);
    ask("Target.detachFromTarget", { sessionId: own });
  } else if (kind === "command") {
    const client = sessions.get(own)?.client;
    if (method === "Target.createBrowserContext") params.disposeOnDetach = true; // when the client leaves
    const { result, error } = await ask(method, params, own);
    if (method === "Target.createBrowserContext" && result) owners.set(result.browserContextId, client);
    if (method === "Target.getTargets" && result)
      result.targetInfos = result.targetInfos.filter((t) => mayKnow(client, t));
    tell({ kind: "response", sessionId, id, result, error });
  }
};

async function begin(hubId, targetId) {
  const { result } = await (targetId
    ? ask("Target.attachToTarget", { targetId, flatten: true })
    : ask("Target.attachToBrowserTarget"));
  if (result) sessions.set(result.sessionId, { hubId, client: hubId });
  return result?.sessionId;
}

browser.onmessage = ({ data }) => {
  const { id, result, error, sessionId, method, params } = JSON.parse(data);
  if (id) {
    answers.get(id)({ result, error });
    answers.delete(id);
  } else if (!sessionId) tellAll(method.replace("Target.", ""), params);
  else if (sessions.has(sessionId)) tellSession(sessionId, method, params);
};

function tellSession(parent, method, params) {
  const { hubId, client } = sessions.get(parent);
  const { sessionId, targetInfo } = params; // of some events
  const event = { kind: "event", sessionId: hubId, method, params };
  const hidden = targetInfo && !mayKnow(client, targetInfo);
  if (method === "Target.attachedToTarget" && hidden) {
    ask("Runtime.runIfWaitingForDebugger", {}, sessionId);
    ask("Target.detachFromTarget", { sessionId }, parent);
  } else if (method === "Target.attachedToTarget") {
    sessions.set(sessionId, { hubId: sessionId, client });
    event.opens = { sessionId, targetId: targetInfo.targetId, type: targetInfo.type };
  } else if (method === "Target.detachedFromTarget") {
    if (!sessions.delete(sessionId)) return; // it was hidden
    event.closes = sessionId;
  }
  if (!hidden) tell(event);
}

// Keeps /json/list.
function tellAll(kind, { targetInfo, targetId }) {
  if (kind === "targetDestroyed") tell({ kind, targetId });
  else if (targetInfo && mayKnow(undefined, targetInfo)) tell({ kind, target: targetInfo });
}

const pages = { filter: [{ type: "page" }] };
const targets = (await ask("Target.getTargets", pages)).result.targetInfos;
tell({
  kind: "ready",
  v: 1,
  features: ["browser", "nested"],
  browser: {
    product: version.Browser,
    userAgent: version["User-Agent"],
    revision: version["WebKit-Version"].match(/@\w+/)?.[0],
    jsVersion: version["V8-Version"],
    protocolVersion: version["Protocol-Version"],
  },
  targets,
});
ask("Target.setDiscoverTargets", { discover: true, ...pages });

function open(url) {
  const socket = new WebSocket(url);
  return new Promise((resolve) => {
    socket.onclose = () => fail(`${url} does not answer: if this is the hub, run "cdphub serve", and see its log.`);
    socket.onopen = () => {
      socket.onclose = ({ code, reason }) => fail(`${url} was closed: ${code} ${reason}`);
      resolve(socket);
    };
  });
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
