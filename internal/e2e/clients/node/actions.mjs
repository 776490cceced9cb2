// What an action costs by each of the hub's action APIs, and the same by Playwright
// and by Playwright MCP over the same hub, on the same page: each client comes in
// turns, does every action some times and leaves. The Go benchmark that runs this sets
//
//	HUB      the base URL of the hub for clients
//	METRICS  the Unix socket at which the hub tells how many commands its Host has answered
//	APP      the page, /app.html of the end-to-end tests
//	ROUNDS   how many turns each client has
//	SCRATCH  a folder for what Playwright MCP leaves behind
//
// Prints {"CLIENT":{"ACTION":{"ms":[…],"commands":[…]}}}: one time of each action, and
// the commands that came to the browser or the frame, for each of them on average.
import { spawn } from "node:child_process";
import { get } from "node:http";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const { HUB, METRICS, APP, ROUNDS, SCRATCH } = process.env;
const TIMES = 8;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// ---------------------------------------------------------------- clients

/** A WebSocket whose requests are answered one after the other. */
async function socket(path, failure) {
  const ws = new WebSocket(HUB.replace("http", "ws") + path);
  await new Promise((open, fail) => Object.assign(ws, { onopen: open, onerror: fail }));
  let answered;
  ws.onmessage = ({ data }) => answered(JSON.parse(data));
  const ask = async (request) => {
    const answer = await new Promise((done) => {
      answered = done;
      ws.send(JSON.stringify(request));
    });
    if (failure(answer)) throw new Error(JSON.stringify(answer));
    return answer;
  };
  return { ask, close: () => ws.close() };
}

async function playwright() {
  const browser = await chromium.connectOverCDP(HUB);
  const [page] = browser.contexts()[0].pages();
  return {
    navigate: () => page.goto(APP),
    navigateTitled: async () => (await page.goto(APP), page.title()),
    click: () => page.click("#plus"),
    fill: (text) => page.fill("#name", text),
    text: () => page.evaluate("document.querySelector('#heading').textContent"),
    snapshot: () => page.ariaSnapshot({ mode: "ai" }),
    close: () => browser.close(),
  };
}

async function ndjson() {
  const { ask, close } = await socket("/ndjson", (a) => !a.success);
  const act = (action, params) => ask({ id: "1", action, params });
  return {
    navigate: () => act("page.navigate", { url: APP }),
    click: () => act("page.click", { selector: "#plus" }),
    fill: (value) => act("page.fill", { selector: "#name", value }),
    text: async () => (await act("page.evaluate", { expression: "document.querySelector('#heading').textContent" })).data.value,
    snapshot: async () => (await act("page.snapshot")).data.tree_yaml,
    close,
  };
}

async function jsonrpc() {
  const { ask, close } = await socket("/ws", (a) => a.error);
  const act = async (method, params = {}) => (await ask({ jsonrpc: "2.0", id: 1, method: `browser.${method}`, params })).result;
  const target = (css) => ({ type: "selector", css });
  return {
    navigateTitled: () => act("navigate", { url: APP }),
    click: () => act("click", { target: target("#plus") }),
    fill: (text) => act("fill", { target: target("#name"), text }),
    text: async () => (await act("evaluate", { script: "document.querySelector('#heading').textContent" })).value,
    snapshot: async () => JSON.stringify(await act("snapshot")),
    close,
  };
}

async function hooks() {
  const { ask, close } = await socket("/hooks", (a) => !a.ok);
  const act = async (name, params) => (await ask({ id: 1, name: `browser.${name}`, params: { browserId, ...params } })).result;
  let browserId, ids;
  ({ id: browserId } = (await act("list")).browsers.find((b) => b.url.startsWith(new URL(APP).origin)));
  const see = async () => (await act("snapshot")).markdown;
  const idOf = async (line) => ((ids ??= await see()).split("\n").find((l) => l.includes(line)).match(/\[(\w+)/)[1]);
  return {
    navigateTitled: () => ((ids = undefined), act("navigate", { url: APP })),
    click: async () => act("click", { elementId: await idOf("Add one") }),
    fill: async (value) => act("fill", { elementId: await idOf("input text]"), value }),
    text: async () => (await act("eval", { script: "document.querySelector('#heading').textContent" })).value,
    snapshot: see,
    close,
  };
}

async function bap() {
  const { ask, close } = await socket("/bap", (a) => a.error);
  const act = async (method, params = {}) => (await ask({ jsonrpc: "2.0", id: 1, method, params })).result;
  await act("initialize", { protocolVersion: "0.8.0", clientInfo: { name: "bench", version: "1" }, capabilities: {} });
  await act("browser/launch");
  const selector = (value) => ({ type: "css", value });
  return {
    navigateTitled: () => act("page/navigate", { url: APP }),
    click: () => act("action/click", { selector: selector("#plus") }),
    fill: (value) => act("action/fill", { selector: selector("#name"), value }),
    text: async () => (await act("observe/element", { selector: selector("#heading"), properties: ["text"] })).text,
    snapshot: async () => (await act("observe/ariaSnapshot")).snapshot,
    close,
  };
}

/** The tools that both MCP servers have. */
function tools(call, close) {
  return {
    navigate: () => call("browser_navigate", { url: APP }),
    click: () => call("browser_click", { element: "Add one", target: "#plus" }),
    fill: (text) => call("browser_type", { element: "Name", target: "#name", text }),
    text: () => call("browser_evaluate", { function: "() => document.querySelector('#heading').textContent" }),
    snapshot: () => call("browser_snapshot"),
    close,
  };
}

const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };

function said({ result, error }) {
  if (error || result.isError) throw new Error(JSON.stringify(error ?? result));
  return result.content?.map((c) => c.text).join("");
}

async function mcp() {
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const ask = async (body) => {
    const answer = await fetch(`${HUB}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    headers["Mcp-Session-Id"] ??= answer.headers.get("Mcp-Session-Id");
    const text = await answer.text();
    return text && JSON.parse(text.replace(/^[^]*?^data: /m, ""));
  };
  await ask({ id: 1, method: "initialize", params: greeting });
  await ask({ method: "notifications/initialized" });
  const call = async (name, args = {}) => said(await ask({ id: 2, method: "tools/call", params: { name, arguments: args } }));
  return tools(call, () => fetch(`${HUB}/mcp`, { method: "DELETE", headers }));
}

async function playwrightMCP() {
  const server = spawn(process.execPath, [resolve("node_modules/.bin/playwright-mcp"), "--cdp-endpoint", HUB], { stdio: ["pipe", "pipe", "ignore"], cwd: SCRATCH });
  let answered;
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id) answered(message);
  });
  const tell = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (message) => new Promise((done) => ((answered = done), tell({ id: 1, ...message })));
  await ask({ method: "initialize", params: greeting });
  tell({ method: "notifications/initialized" });
  const call = async (name, args = {}) => said(await ask({ method: "tools/call", params: { name, arguments: args } }));
  return tools(call, () => new Promise((done) => server.on("exit", done) && server.stdin.end()));
}

// ---------------------------------------------------------------- measuring

const clients = { Playwright: playwright, NDJSON: ndjson, "browser.*": jsonrpc, hooks, BAP: bap, "Playwright-MCP": playwrightMCP, MCP: mcp };

async function commands() {
  const answer = await new Promise((done, fail) => get({ socketPath: METRICS, path: "/metrics" }, done).on("error", fail));
  const text = (await Array.fromAsync(answer)).join("");
  return Number(text.match(/^cdphub_commands_answered_total\{by="host"\} (\S+)/m)[1]);
}

const actions = {
  text: async (c) => (await c.text()).includes("Field book"),
  snapshot: async (c) => (await c.snapshot()).includes("Out of order"),
  fill: async (c, n) => (await c.fill(`value ${n}`), true),
  click: async (c) => (await c.click(), true),
  navigate: async (c) => (await c.navigate(), true),
  navigateTitled: async (c) => (await c.navigateTitled(), true),
};

const results = {};

async function turn(name) {
  const client = await clients[name]();
  await (client.navigate ?? client.navigateTitled)();
  for (const [action, once] of Object.entries(actions)) {
    if (!client[action]) continue;
    const { ms, commands: counts } = ((results[name] ??= {})[action] ??= { ms: [], commands: [] });
    await once(client, -1); // what is done at the first time alone
    await pause(50);
    const before = await commands();
    for (let n = 0; n < TIMES; n++) {
      const begun = performance.now();
      if (!(await once(client, n))) throw new Error(`${name}: ${action} did not go well`);
      ms.push(performance.now() - begun);
      await pause(20);
    }
    await pause(50);
    counts.push(((await commands()) - before) / TIMES);
  }
  await client.close();
}

const names = Object.keys(clients);
for (let round = 0; round < Number(ROUNDS); round++) {
  for (const name of round % 2 ? names.toReversed() : names) await turn(name);
}
console.log(JSON.stringify(results));
process.exit();
