// Opens a page and follows its first link, by the Browser Agent Protocol. Node 22 or later:
//   node examples/actions/bap.mjs http://127.0.0.1:9222 https://example.com
import "../failures.mjs"; // says what is missing when the hub has no page

const [hub, url] = process.argv.slice(2);
const token = process.env.CDPHUB_TOKEN; // where the hub wants one
const socket = new WebSocket(hub.replace("http", "ws") + "/bap" + (token ? `?token=${token}` : ""));
await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));

const waiting = new Map();
socket.onmessage = ({ data }) => {
  const { id, result, error } = JSON.parse(data);
  if (id === undefined) return; // a notification
  const { resolve, reject } = waiting.get(id);
  error ? reject(new Error(`${error.code} ${error.message}`)) : resolve(result);
};

let last = 0;
const tell = (message) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
function call(method, params = {}) {
  const id = ++last;
  tell({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

await call("initialize", { protocolVersion: "0.8.0", clientInfo: { name: "example", version: "1" }, capabilities: {} });
tell({ method: "notifications/initialized" });
await call("browser/launch");
await call("page/create"); // the pages of a client are those that it creates
const { title } = await call("page/navigate", { url });
console.log(title);
const { interactiveElements } = await call("agent/observe", { includeInteractiveElements: true, filterRoles: ["a"] });
const [link] = interactiveElements;
await call("action/click", { selector: { type: "ref", ref: link.ref } });
const { pages, activePage } = await call("page/list");
console.log(`${link.name}: ${pages.find((p) => p.id === activePage).url}`);
socket.close();
