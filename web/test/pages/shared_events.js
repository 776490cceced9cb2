// Events for several sessions come in one message, as far as they are the same for all.
const listen = async (...ids) => {
  for (const id of ids) for (const d of ["Runtime", "Page", "Network"]) await cdp(d + ".enable", {}, id);
};
const all = ["S1", "S2", "S3"];
const shared = (method) =>
  message(method + " for all", (m) => m.method === method && m.sessionIds?.join() === all.join());
const single = async (method) => {
  const list = [];
  for (const id of all)
    list.push(await message(`${method} for ${id}`, (m) => m.method === method && m.sessionId === id));
  return list;
};

attach("S2");
attach("S3");
for (const s of state.sessions) s.lifecycle = true;
for (const together of [true, undefined]) {
  hub.sessionIds = together;
  await visit("/shared" + together, { html: "<p id=p>text</p>" });
  await listen(...all);
  events.length = 0;
  await value("fetch('/data.json?1').then((r) => r.text()); console.log('text', { id: 1 }); console.log('text')");
  await message(
    "the end",
    (m) => m.method === "Network.loadingFinished" && (m.sessionId ?? m.sessionIds.at(-1)) === "S3",
  );
  const [request] = together ? [await shared("Network.requestWillBeSent")] : await single("Network.requestWillBeSent");
  is(request.params.request.url, APP + "/data.json?1");
  // Objects are those of one session each.
  const calls = await single("Runtime.consoleAPICalled");
  is(new Set(calls.map((m) => m.params.args[1].objectId)).size, 3);
  const [call] = together ? [await shared("Runtime.consoleAPICalled")] : await single("Runtime.consoleAPICalled");
  is(call.params.args, [{ type: "string", value: "text" }]);
  is(
    events.filter((m) => m.sessionId && m.sessionIds).map((m) => m.method),
    [],
  );
  is(
    events.some((m) => m.sessionIds),
    together === true,
  );
  // A session that has disabled a domain is not named.
  await cdp("Network.disable", {}, "S2");
  events.length = 0;
  await value("fetch('/data.json?2').then((r) => r.text())");
  await message(
    "the end",
    (m) => m.method === "Network.loadingFinished" && (m.sessionId ?? m.sessionIds.at(-1)) === "S3",
  );
  is(
    events
      .filter((m) => m.method === "Network.requestWillBeSent")
      .map((m) => (m.sessionIds ?? [m.sessionId]).join())
      .join(),
    "S1,S3",
  );
}

// A single session is named alone.
port.postMessage(JSON.stringify({ icdp: "detached", sessionId: "S2" }));
port.postMessage(JSON.stringify({ icdp: "detached", sessionId: "S3" }));
state.sessions.length = 1;
hub.sessionIds = true;
await visit("/one");
await listen("S1");
events.length = 0;
await value("console.log(1)");
is((await message("a call", (m) => m.method === "Runtime.consoleAPICalled")).sessionId, "S1");
